import MusterCore
import MusterReplication
import MusterWire
import NIOCore
import Synchronization
import Testing

@testable import MusterCouchDB
@testable import MusterHTTP
@testable import MusterServer

/// The replications that a server runs.
@Suite struct ReplicatorTests {
    @Test(arguments: [true, false])
    func `a peer that is away is looked up anew, however often`(isContinuous: Bool) async throws {
        let town = try await Town()
        let resolver = MovingResolver(lookups: 5)
        let replicator = Replicator(
            coordinator: town.coordinator, feeds: LogFeeds(coordinator: town.coordinator), allowsPrivate: true,
            resolver: resolver,
            pacing: ReplicationPacing(sleep: { _ in try Task.checkCancellation() }))
        let text =
            #"{"source":"http://peer.example:1/notes","target":"notes","create_target":true,"#
            + #""continuous":\#(isContinuous)}"#
        let order = try ReplicationOrder(JSONValue(parsing: Array(text.utf8)), openedBy: replicator.seal)
        let states = Mutex<[ReplicationProgress.State]>([])
        // Nobody listens at the port. The last lookup ends it: it leads where nobody may call, and that does not pass.
        await #expect(throws: ReplicationError.self) {
            try await replicator.persist(in: order, by: Town.ana) { progress in
                states.withLock { $0.append(progress.state) }
            }
        }
        #expect(resolver.asked == 5)
        #expect(!states.withLock { $0.isEmpty })
        for state in states.withLock({ $0 }) {
            guard case .waiting(_, .unreachable) = state else {
                Issue.record("\(state)")
                continue
            }
        }
        try await town.coordinator.close()
    }
}

/// Names a port of this machine at which nobody listens, and at last an address that may not be called.
private final class MovingResolver: HostResolver {
    private let left: Mutex<Int>
    private let lookups: Int

    init(lookups: Int) {
        self.lookups = lookups
        left = Mutex(lookups)
    }

    var asked: Int { lookups - left.withLock { $0 } }

    func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
        let isLast = left.withLock { left in
            left -= 1
            return left == 0
        }
        return [try SocketAddress(ipAddress: isLast ? "169.254.169.254" : "127.0.0.1", port: port)]
    }
}
