import Foundation
import MusterCore
import MusterGeometry
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import MusterNearby

/// Devices that find and measure each other over real sockets.
@Suite(.timeLimit(.minutes(5))) struct NearbyTests {
    /// A device that runs.
    private final class Party {
        let nearby: Nearby
        let task: Task<Void, any Error>
        private var news: News<NearbyEvent>.AsyncIterator

        init(
            _ name: String, at east: Double, store: NearbyStore? = nil, dialling port: Int? = nil,
            secret: [UInt8]? = nil, source: (any RangingSource)? = nil, rangeTag: RangeTag? = nil,
            silenceSeconds: Double = 60, accept: @escaping @Sendable (Nearby.Invitation) async -> Bool = { _ in true }
        ) throws {
            var options = Nearby.Options(name: name)
            (options.host, options.teamSecret, options.retrySeconds) = ("127.0.0.1", secret, 0.1)
            options.limits.silenceSeconds = silenceSeconds
            options.rangeTag = rangeTag
            let simulated = SimulatedRanging(
                .standing(east: east, north: 0, heading: 90), noise: .none, seed: 1, rate: 50)
            let discovery = port.map { [StaticDiscovery([NearbyAddress(host: "127.0.0.1", port: $0)])] } ?? []
            nearby = try Nearby(
                options: options, source: source ?? simulated, store: try store ?? NearbyStore(),
                discovery: discovery, accept: accept)
            news = nearby.events.makeAsyncIterator()
            task = Task { [nearby] in try await nearby.run() }
        }

        deinit { task.cancel() }

        /// Reads until an event is what the test looks for.
        func wait<Found>(for match: (NearbyEvent) -> Found?) async throws -> Found {
            while let event = await news.next() { if let found = match(event) { return found } }
            throw Unexpected()
        }

        func port() async throws -> Int {
            try await wait { if case .listening(let port) = $0 { port } else { nil } }
        }

        func connected() async throws -> NearbyPeer {
            try await wait { if case .connected(let peer) = $0 { peer } else { nil } }
        }

        func measured() async throws -> RangeMeasurement {
            try await wait { if case .update(_, .measured(let measurement)) = $0 { measurement } else { nil } }
        }

        func disconnected() async throws -> ChannelEnd {
            try await wait { if case .disconnected(_, let end) = $0 { end } else { nil } }
        }

        func removed() async throws -> NearbyUpdate.Removal {
            try await wait { if case .update(_, .removed(let reason)) = $0 { reason } else { nil } }
        }

        func turnedAway() async throws -> String {
            try await wait { if case .turnedAway(_, _, let end) = $0 { "\(end)" } else { nil } }
        }

        func failed() async throws -> ChannelEnd {
            try await wait { if case .failed(_, let end) = $0 { end } else { nil } }
        }
    }

    /// Whether the peer refused. The end of the connection may arrive before its goodbye.
    private func isRefused(_ end: ChannelEnd) -> Bool {
        if case .broke = end { true } else { end == .refusedByPeer }
    }

    /// Opens a channel to a port as a peer that says what the test wants, and returns how it ended.
    private func call(
        _ port: Int, as store: NearbyStore, name: String = "ana", token: DiscoveryToken,
        isListening: Bool = true, notes: [[UInt8]] = []
    ) async throws -> ChannelEnd {
        let found = Collected<ChannelEnd>()
        let (ends, continuation) = AsyncStream.makeStream(of: ChannelEnd.self)
        let owner = ChannelOwner(
            introduce: { _ in
                Conversation.Own(
                    name: name, proof: [], run: 1,
                    capabilities: PeerCapabilities(kinds: [.simulated], direction: true), token: token)
            },
            judge: { _, _, _ in nil },
            open: { _, _, channel in
                for note in notes { channel.send(note: note) }
                if notes.isEmpty { channel.end(.ended, telling: .done) }
                return nil
            },
            note: { _ in }, ended: { continuation.yield($0) })
        let tls = try store.identity.tlsContext(isServer: false)
        _ = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try TokenChannel.configure(
                    channel, isServer: false, tls: tls, deadlines: .init(), clock: .system, owner: owner)
            }
        }.connect(host: "127.0.0.1", port: port).get()
        await found.read(ends, atMost: 1).value
        return try #require(found.elements.first)
    }

    @Test func `a device hands over its range tag if its owner agrees, and keeps the same one`() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/muster-nearby-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let tag = try NearbyStore(folder: folder).rangeSecret().tag
        #expect(try NearbyStore(folder: folder).rangeSecret().tag == tag)
        let ana = try Party("ana", at: 0)
        let ben = try Party("ben", at: 4, dialling: try await ana.port(), rangeTag: tag)
        #expect(
            try await ana.wait { if case .rangeTag(let peer, let tag) = $0 { [peer.name, "\(tag)"] } else { nil } }
                == ["ben", "\(tag)"])
        // Ana does not agree: ben is measured, and hears of no tag before that.
        let first = try await ben.wait { event -> Bool? in
            switch event {
            case .rangeTag: true
            case .update(_, .measured): false
            default: nil
            }
        }
        #expect(!first && ana.nearby.isSimulated)
    }

    @Test func `two devices measure each other, and the one that stays hears the goodbye`() async throws {
        let ana = try Party("ana", at: 0)
        let ben = try Party("ben", at: 4, dialling: try await ana.port())
        #expect(try await ana.connected().name == "ben")
        #expect(try await ben.connected().name == "ana")
        let (here, there) = (try await ana.measured(), try await ben.measured())
        #expect(here.distance == 4 && there.distance == 4)
        // Both look east: ben is straight ahead of ana, and ana behind ben.
        #expect(here.horizontalAngle == 0)
        #expect(there.direction == nil && there.noDirection == .outsideFieldOfView)
        ben.task.cancel()
        #expect(try await ana.removed() == .peerEnded)
        #expect(try await ana.disconnected() == .goodbye)
    }

    /// The channel carries the notes of each part and the ranges of both ends. Prints how long the first distance took.
    @Test func `two devices fuse their sources over one channel`() async throws {
        func fused(_ east: Double) -> FusedRanging {
            let place = Coordinate(validLatitude: 43.5, longitude: -6).destination(bearing: 90, distance: Metres(east))
            return FusedRanging([
                SimulatedRanging(.standing(east: east, north: 0, heading: 90), noise: .none, seed: 1, rate: 50),
                GPSRanging(rate: 10) { .init(coordinate: place, accuracy: 5, time: NearbyClock.system.now()) },
            ])
        }
        let ana = try Party("ana", at: 0, source: fused(0))
        let port = try await ana.port()
        let began = ContinuousClock.now
        let ben = try Party("ben", at: 4, dialling: port, source: fused(4))
        let measurement = try await ana.measured()
        print("from the call to the first distance: \((ContinuousClock.now - began) / .milliseconds(1)) ms")
        #expect(measurement.source == .fused)
        #expect(abs(try #require(measurement.distance).value - 4) < 0.1)
        var isBearing = measurement.bearing != nil
        while !isBearing {
            let next = try await ana.measured()
            isBearing = next.bearing != nil || next.horizontalAngle == 0
        }
        ben.task.cancel()
        #expect(try await ana.disconnected() == .goodbye)
    }

    @Test func `a restarted device brings a new token, and an old one is refused`() async throws {
        let (anas, bens) = (try NearbyStore(), try NearbyStore())
        let ana = try Party("ana", at: 0, store: anas)
        let port = try await ana.port()
        let first = try Party("ben", at: 4, store: bens, dialling: port)
        let peer = try await ana.connected()
        _ = try await ana.measured()
        first.task.cancel()
        _ = try await ana.disconnected()
        let second = try Party("ben", at: 4, store: bens, dialling: port)
        let again = try await ana.connected()
        #expect(again.key == peer.key && again.run > peer.run)
        _ = try await ana.measured()
        second.task.cancel()
        _ = try await ana.disconnected()
        // The peer has Ben's key, and a token of an earlier session.
        let old = DiscoveryToken(bytes: [UInt8](repeating: 1, count: 16), epoch: 0)
        // The caller opens its side by Ana's token and ends it at once. Ana reports whether the caller's token was
        // accepted.
        _ = try await call(port, as: bens, name: "ben", token: old)
        #expect(try await ana.turnedAway().contains("is of an old session"))
        let last = try #require(anas.pins.first).epoch
        _ = try await call(port, as: bens, name: "ben", token: .init(bytes: old.bytes, epoch: last))
        #expect(try await ana.turnedAway().contains("was used before"))
        #expect(try await call(port, as: bens, name: "ben", token: .init(bytes: old.bytes, epoch: last + 9)) == .ended)
        #expect(try await ana.connected().name == "ben")
    }

    @Test func `another key under a known name is refused, and both ends report it`() async throws {
        let ana = try Party("ana", at: 0)
        let port = try await ana.port()
        let ben = try Party("ben", at: 1, dialling: port)
        _ = try await ana.connected()
        let impostor = try Party("ben", at: 2, dialling: port)
        #expect(isRefused(try await impostor.failed()))
        #expect(try await ana.turnedAway().contains("someone may be in the middle"))
        #expect(ana.nearby.peers.map(\.name) == ["ben"])
        _ = ben
    }

    @Test func `only peers that know the team's secret are accepted`() async throws {
        let secret = [UInt8](repeating: 7, count: 20)
        let ana = try Party("ana", at: 0, secret: secret)
        let port = try await ana.port()
        let stranger = try Party("eve", at: 1, dialling: port, secret: [UInt8](repeating: 8, count: 20))
        // Both ends ask for it, and either may notice first.
        let end = try await stranger.failed()
        #expect(isRefused(end) || "\(end)".contains("does not know the team's secret"))
        let open = try Party("eve", at: 1, dialling: port)
        #expect(isRefused(try await open.failed()))
        let ben = try Party("ben", at: 4, dialling: port, secret: secret)
        #expect(try await ana.connected().name == "ben")
        #expect(try await ben.measured().distance == 4)
    }

    @Test func `a refused peer gets no token, and the handler sees its key`() async throws {
        let asked = Mutex<[Nearby.Invitation]>([])
        let ana = try Party("ana", at: 0) { invitation in
            asked.withLock { $0.append(invitation) }
            return false
        }
        let ben = try Party("ben", at: 1, dialling: try await ana.port())
        #expect(isRefused(try await ben.failed()))
        #expect(try await ana.turnedAway() == "was refused: it was not let in")
        #expect(asked.withLock { $0.first?.name } == "ben")
        #expect(asked.withLock { $0.first?.key } == ben.nearby.store.fingerprint)
        #expect(asked.withLock { $0.first?.isKnown } == false)
        #expect(ben.nearby.store.pins.isEmpty && ana.nearby.store.pins.isEmpty)
    }

    @Test func `an invalid place ends the session with its reason`() async throws {
        let ana = try Party("ana", at: 0)
        var note: [UInt8] = [1]
        for number in [Double.nan, -1, 0] { note.append(number) }
        let end = try await call(
            try await ana.port(), as: try NearbyStore(),
            token: .init(bytes: [UInt8](repeating: 1, count: 16), epoch: 1),
            notes: [note])
        #expect(end == .goodbye)
        let error = try await ana.wait { if case .update(_, .invalidated(let error?)) = $0 { error } else { nil } }
        #expect(error.kind == .sessionFailed && error.reason.contains("no device is at nan m"))
        _ = try await ana.disconnected()
    }

    @Test func `a peer that is unreachable or does not speak TLS 1.3 is reported with the reason`() async throws {
        let ana = try Party("ana", at: 0)
        let port = try await ana.port()
        let stranger = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port).get()
        try await stranger.writeAndFlush(ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n"))
        #expect(try await ana.turnedAway().contains("no TLS 1.3 came about"))
        let ben = try Party("ben", at: 1, dialling: 1)
        guard case .unreachable(let reason) = try await ben.failed() else {
            Issue.record("the attempt ended otherwise")
            return
        }
        // A machine that is very busy takes longer to refuse a connection than the device waits.
        #expect(reason == "nothing listens there, or it does not answer" || reason == "it does not answer")
    }

    @Test func `a peer that measures by something else is refused`() async throws {
        let ana = try Party("ana", at: 0)
        let fix = GPSRanging(rate: 10) { nil }
        let ben = try Party("ben", at: 0, dialling: try await ana.port(), source: fix)
        let ends = "\(try await ben.failed())"
        #expect(ends.contains("does not measure by") || ends.contains("does not accept"))
    }

    @Test func `a suspended device measures again only when it is run`() async throws {
        // Ben's session is silent soon.
        let ana = try Party("ana", at: 0, silenceSeconds: 2)
        let ben = try Party("ben", at: 4, dialling: try await ana.port(), silenceSeconds: 2)
        _ = try await ana.measured()
        ana.nearby.suspend()
        _ = try await ana.wait { if case .update(_, .suspended) = $0 { true } else { nil } }
        // Ana's source sends no positions meanwhile, so Ben's session times out although the channel is alive.
        #expect(try await ben.removed() == .timeout)
        ana.nearby.endSuspension()
        _ = try await ana.wait { if case .update(_, .suspensionEnded) = $0 { true } else { nil } }
        ana.nearby.runAgain()
        #expect(try await ana.measured().distance == 4)
        #expect(try await ben.measured().distance == 4)
    }
}
