import MusterMutex
public import MusterNearby
import MusterWire
import NIOCore

/// Peers of the same team that are connected to the relay of a Muster server, wherever they are.
///
/// The server learns which members of the team are connected, under which names, and who measures whom, and when. It
/// forwards what the devices encrypt, and cannot read it. The people of the team see the account and the name of each
/// connected device.
public final class RelayDiscovery: Rendezvous {
    /// The relay cannot be used, for the reason in `description`.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// A sentence without a full stop.
        public let description: String
    }

    private let server: String
    private let address: RelayAddress
    private let authorization: @Sendable () async throws -> String
    private let clock: NearbyClock
    private let chance: @Sendable () -> Double
    private let link = Mutex<Line?>(nil)

    /// The connection, from any thread.
    private struct Line {
        let handler: NIOLoopBound<RelayLink>
        let eventLoop: any EventLoop
    }

    /// The seconds between the first two attempts. They double with each further one, up to `longestWait`.
    private static let firstWait = 1.0
    private static let longestWait = 60.0

    /// Creates a discovery through a server.
    ///
    /// - Parameters:
    ///   - server: the server's address, http or https.
    ///   - clock: the waits between two attempts.
    ///   - authorization: returns the value of the field `Authorization`, such as `Bearer` and an API key. It is called
    ///     for each connection, so that a key that was replaced is used.
    /// - Throws: `Failure` when `server` is not an http or https address, or has a user, a query or a fragment.
    public convenience init(
        server: String, clock: NearbyClock = .system, authorization: @escaping @Sendable () async throws -> String
    ) throws {
        try self.init(server: server, clock: clock, chance: { .random(in: 0..<1) }, authorization: authorization)
    }

    init(
        server: String, clock: NearbyClock, chance: @escaping @Sendable () -> Double,
        authorization: @escaping @Sendable () async throws -> String
    ) throws {
        guard let address = RelayAddress(server) else {
            throw Failure(description: "'\(server)' is not an http or https address, or it has a user or a query")
        }
        self.server = server
        self.address = address
        self.clock = clock
        self.chance = chance
        self.authorization = authorization
    }

    /// Connects to the relay, and again after each failure, until the task is cancelled.
    ///
    /// - Throws: `Failure` when the server refuses this device for good, and what `authorization` throws.
    public func run(
        announcing own: Announcement, tell: @escaping @Sendable (DiscoveryNews) -> Void,
        accept: @escaping @Sendable (any PeerStream) -> Void
    ) async throws {
        var wait = Self.firstWait
        var told: RelayEnd?
        while !Task.isCancelled {
            let attempt = Attempt()
            let end = await follow(attempt, try await authorization(), own, tell, accept, isResumption: told != nil)
            guard !Task.isCancelled else { return }
            if end.isFinal { throw Failure(description: "the relay at \(server): \(end)") }
            if attempt.wasWelcome.withLock({ $0 }) { (wait, told) = (Self.firstWait, nil) }
            if end != told {
                told = end
                tell(.interrupted("the relay at \(server) is gone: \(end); trying again"))
            }
            await pause(wait * (0.75 + chance() / 2))
            wait = min(2 * wait, Self.longestWait)
        }
    }

    /// Opens a stream to a peer.
    public func open(_ id: String) async throws -> any PeerStream {
        guard let line = link.withLock({ $0 }), let number = UInt32(id) else { throw RelayStreamRefusal(closing: nil) }
        let opening = line.eventLoop.makePromise(of: RelayStream.self)
        line.eventLoop.execute { line.handler.value.open(number, opening) }
        return try await opening.futureResult.get()
    }

    /// One connection and its peers.
    private final class Attempt: Sendable {
        let wasWelcome = Mutex(false)
        let peers = Mutex<Set<UInt32>>([])
        let end = Mutex<RelayEnd?>(nil)
    }

    /// Opens a connection and follows it to its end, which it returns.
    private func follow(
        _ attempt: Attempt, _ authorization: String, _ own: Announcement,
        _ tell: @escaping @Sendable (DiscoveryNews) -> Void, _ accept: @escaping @Sendable (any PeerStream) -> Void,
        isResumption: Bool
    ) async -> RelayEnd {
        let server = server
        let owner = RelayLinkOwner(
            welcomed: {
                attempt.wasWelcome.withLock { $0 = true }
                if isResumption { tell(.resumed("the relay at \(server) is there again")) }
            },
            appeared: { peer in
                attempt.peers.withLock { _ = $0.insert(peer.number) }
                tell(
                    .found(
                        FoundPeer(
                            id: "\(peer.number)", name: peer.name, addresses: [], key: peer.key, account: peer.account))
                )
            },
            gone: { number in
                attempt.peers.withLock { _ = $0.remove(number) }
                tell(.lost(id: "\(number)"))
            },
            accept: accept,
            ended: { end in attempt.end.withLock { $0 = end } })
        do {
            let (channel, handler) = try await RelayLink.connect(to: address, authorization: authorization) {
                RelayLink(announcing: own, owner: owner)
            }
            link.withLock { $0 = Line(handler: handler, eventLoop: channel.eventLoop) }
            await withTaskCancellationHandler {
                try? await channel.closeFuture.get()
            } onCancel: {
                channel.close(promise: nil)
            }
            link.withLock { $0 = nil }
            for number in attempt.peers.withLock({ $0 }) { tell(.lost(id: "\(number)")) }
            return attempt.end.withLock { $0 } ?? .lost
        } catch let end as RelayEnd {
            return end
        } catch {
            return .unreachable("\(error)")
        }
    }

    private func pause(_ seconds: Double) async {
        for await _ in clock.ticks(.seconds(seconds)) { return }
    }
}
