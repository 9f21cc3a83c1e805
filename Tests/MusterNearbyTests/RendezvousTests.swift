import Foundation
import MusterCore
import MusterGeometry
import Synchronization
import Testing

@testable import MusterNearby

/// Devices that find each other by a rendezvous, which carries their channels.
@Suite(.timeLimit(.minutes(5))) struct RendezvousTests {
    /// A device that runs.
    private final class Party {
        let task: Task<Void, any Error>
        private var news: News<NearbyEvent>.AsyncIterator

        init(_ name: String, id: String? = nil, at hub: MemoryRendezvous.Hub, store: NearbyStore? = nil) throws {
            var options = Nearby.Options(name: name)
            (options.host, options.retrySeconds) = ("127.0.0.1", 0.05)
            options.limits.silenceSeconds = 60
            let source = SimulatedRanging(
                .standing(east: name.hasPrefix("ana") ? 0 : 4, north: 0, heading: 90), noise: .none, seed: 1, rate: 50)
            let nearby = try Nearby(
                options: options, source: source, store: try store ?? NearbyStore(),
                discovery: [MemoryRendezvous(id ?? name, at: hub)]
            ) { _ in true }
            news = nearby.events.makeAsyncIterator()
            task = Task { try await nearby.run() }
        }

        deinit { task.cancel() }

        /// Reads until an event is what the test looks for.
        func wait<Found>(for match: (NearbyEvent) -> Found?) async throws -> Found {
            while let event = await news.next() { if let found = match(event) { return found } }
            throw CancellationError()
        }

        func measured() async throws -> RangeMeasurement {
            try await wait { if case .update(_, .measured(let measurement)) = $0 { measurement } else { nil } }
        }

        func disconnected() async throws -> ChannelEnd {
            try await wait { if case .disconnected(_, let end) = $0 { end } else { nil } }
        }

        func refused() async throws -> String {
            try await wait { event in
                switch event {
                case .turnedAway(_, _, .refused(let reason)), .failed(_, .refused(let reason)): reason
                default: nil
                }
            }
        }
    }

    @Test func `two devices measure each other over streams, of which the carrier can read nothing`() async throws {
        let hub = MemoryRendezvous.Hub()
        // Three letters are among some thousand encrypted bytes now and then, by chance.
        let name = "ana of the measured"
        let (ana, ben) = (try Party(name, at: hub), try Party("ben", at: hub))
        #expect(try await ana.measured().distance == 4)
        #expect(try await ben.measured().distance == 4)
        let carried = hub.streams.withLock { $0.map { $0.sent.withLock { $0 } } }
        #expect(carried.contains { !$0.isEmpty })
        for bytes in carried { #expect(!String(decoding: bytes, as: UTF8.self).contains(name)) }
        ben.task.cancel()
        // The goodbye goes out before the streams end.
        #expect(try await ana.disconnected() == .goodbye)
        #expect(try await ana.wait { if case .lost(let peer) = $0 { peer.name } else { nil } } == "ben")
    }

    @Test func `a carrier that is cut off ends the channel, and another one takes its place`() async throws {
        let hub = MemoryRendezvous.Hub()
        let (ana, ben) = (try Party("ana", at: hub), try Party("ben", at: hub))
        _ = (try await ana.measured(), try await ben.measured())
        hub.cut()
        #expect(try await ana.disconnected() == .closed)
        #expect(try await ana.measured().distance == 4)
    }

    @Test func `a carrier that leads to another device is refused by its key`() async throws {
        let hub = MemoryRendezvous.Hub()
        let store = try NearbyStore()
        var ben: Party? = try Party("ben", at: hub)
        do {
            let ana = try Party("ana", at: hub, store: store)
            _ = try await ana.measured()
            ana.task.cancel()
            _ = await ana.task.result
        }
        ben?.task.cancel()
        _ = await ben?.task.result
        ben = nil
        // The carrier hands the stream to eve, who calls herself ben.
        let eve = try Party("ben", id: "eve", at: hub)
        let ana = try Party("ana", at: hub, store: store)
        #expect(try await ana.refused().contains("someone may be in the middle"))
        withExtendedLifetime(eve) {}
    }
}
