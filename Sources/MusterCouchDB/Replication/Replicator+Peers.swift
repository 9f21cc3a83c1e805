import MusterCore
import MusterHTTP
import MusterReplication
import MusterServer
import MusterWire
import NIOCore
import Synchronization

/// Runs the replication of an order between its two databases.
extension Replicator {
    /// The progress of a replication, and its log at the target; nil without a log.
    typealias Done = (progress: ReplicationProgress, log: ReplicationLog?)

    /// The seconds until an unreachable peer is tried again after `attemptsAtOnce` attempts.
    private static let awaySeconds = 10.0
    /// The attempts in a row. They take about ten seconds, so that a client that waits gets the error before its own
    /// timeout.
    private static let attemptsAtOnce = 6

    /// Carries out an order however long a peer is unreachable. Each attempt looks the peer's name up again, because
    /// the peer may have moved to another address.
    func persist(
        in order: ReplicationOrder, by user: UserNumber, _ report: @escaping @Sendable (ReplicationProgress) -> Void
    ) async throws -> Done {
        let told = Mutex(ReplicationProgress())
        while true {
            let before = told.withLock { $0.counts }
            let tell: @Sendable (ReplicationProgress) -> Void = { progress in
                var progress = progress
                progress.counts = before + progress.counts
                told.withLock { $0 = progress }
                report(progress)
            }
            do {
                var done = try await replicate(order, by: user, tell)
                done.progress.counts = before + done.progress.counts
                return done
            } catch let error as ReplicationError where error.isPassing {
                var progress = told.withLock { $0 }
                progress.state = .waiting(seconds: Self.awaySeconds, after: error)
                report(progress)
                try await pacing.sleep(Self.awaySeconds)
            }
        }
    }

    /// Carries out an order, over addresses that are looked up once.
    func replicate(
        _ order: ReplicationOrder, by user: UserNumber, _ report: @escaping @Sendable (ReplicationProgress) -> Void
    ) async throws -> Done {
        let source = try await peer(order.source, by: user, isMade: false)
        let target: (peer: any ReplicationPeer, connections: HTTPConnections?)
        do {
            target = try await peer(order.target, by: user, isMade: order.options.createsTarget)
        } catch {
            await source.connections?.close()
            throw error
        }
        var pacing = pacing
        pacing.persists = false
        pacing.attempts = Self.attemptsAtOnce
        let replication = Replication(from: source.peer, to: target.peer, options: order.options, pacing: pacing)
        let result: Result<ReplicationProgress, any Error>
        do {
            result = .success(try await replication.run(report: report))
        } catch {
            result = .failure(error)
        }
        let log = order.options.keepsLogs ? try? await replication.log() : nil
        await source.connections?.close()
        await target.connections?.close()
        return (try result.get(), log)
    }

    private func peer(
        _ side: ReplicationOrder.Side, by user: UserNumber, isMade: Bool
    ) async throws -> (peer: any ReplicationPeer, connections: HTTPConnections?) {
        switch side {
        case .local(let name):
            if isMade { try await createTarget(name, by: user) }
            guard let database = coordinator.directory.database(named: name) else {
                throw ReplicationError.noDatabase(name)
            }
            return (
                DocumentPeer(try await StoredDatabaseHome(database, by: user, isOrdered: true, coordinator, feeds)), nil
            )
        case .remote(let address):
            let connections = try await connections(to: address)
            return (HTTPPeer(address, connections: connections), connections)
        }
    }

    private func createTarget(_ name: String, by user: UserNumber) async throws {
        guard coordinator.directory.database(named: name) == nil else { return }
        guard DatabaseName.isValid(name), !ReservedPaths.contains(name),
            DatabaseName.user(ofLocations: name) == nil
        else { throw CouchError.illegalName(name) }
        _ = try await coordinator.makeDatabase(named: name, by: Author(user: user))
    }

    /// Connects to one checked address of the peer. The client does not look the name up again.
    private func connections(to address: DatabaseAddress) async throws -> HTTPConnections {
        do {
            let origin = try HTTPAddress(address.root).origin
            let pinned = try await client.client(for: origin, spelled: address.host, AsyncHTTPTransport.configuration)
            return HTTPConnections(AsyncHTTPTransport(pinned))
        } catch let error as HTTPAddress.ParsingError {
            throw ReplicationError.unsupported("its address \(error.detail)")
        } catch CallError.forbidden(let refusal) {
            throw ReplicationError.unsupported(refusal)
        } catch let error as CallError {
            throw ReplicationError.unreachable(error.reason)
        }
    }
}
