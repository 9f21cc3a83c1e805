import MusterCore
import MusterReplication
import MusterWire
import NIOCore

/// The two sides of an order as peers, for as long as it runs.
extension Replicator {
    /// What a replication did, and what its target remembers of it.
    typealias Done = (progress: ReplicationProgress, log: ReplicationLog?)

    /// Carries an order out.
    ///
    /// - Parameter attempts: how often it is tried without getting on.
    func replicate(
        _ order: ReplicationOrder, by user: UserNumber, attempts: Int? = nil,
        _ report: @escaping @Sendable (ReplicationProgress) -> Void
    ) async throws -> Done {
        let source = try await peer(order.source, by: user, isMade: false)
        let target: (peer: any ReplicationPeer, connections: HTTPConnections?)
        do {
            target = try await peer(order.target, by: user, isMade: order.options.createsTarget)
        } catch {
            await source.connections?.close()
            throw error
        }
        var pacing = ReplicationPacing(now: ledger.now)
        if let attempts { pacing.attempts = attempts }
        let replication = Replication(from: source.peer, to: target.peer, options: order.options, pacing: pacing)
        let result: Result<ReplicationProgress, any Error>
        do {
            result = .success(try await replication.run(report: report))
        } catch {
            result = .failure(error)
        }
        let log = try? await replication.log()
        await source.connections?.close()
        await target.connections?.close()
        return (try result.get(), log)
    }

    private func peer(
        _ side: ReplicationOrder.Side, by user: UserNumber, isMade: Bool
    ) async throws -> (peer: any ReplicationPeer, connections: HTTPConnections?) {
        switch side {
        case .local(let name):
            if isMade { try await make(name) }
            guard let place = ledger.directory.database(named: name) else { throw ReplicationFault.noDatabase(name) }
            return (DocumentPeer(try await LedgerHome(place, by: user, ledger, feeds)), nil)
        case .remote(let address):
            let connections = try await connections(to: address)
            return (HTTPPeer(address, connections: connections), connections)
        }
    }

    private func make(_ name: String) async throws {
        guard ledger.directory.database(named: name) == nil else { return }
        guard DatabaseName.isValid(name), !ReservedPaths.contains(name),
            DatabaseName.user(ofLocations: name) == nil
        else { throw CouchFault.illegalName(name) }
        _ = try await ledger.makeDatabase(named: name)
    }

    /// Connections that lead to addresses that were looked at, and to no other: a name is not looked up again.
    private func connections(to address: PeerAddress) async throws -> HTTPConnections {
        do {
            let found = try await resolver.addresses(of: address.host, port: address.port)
            for candidate in found {
                if let refusal = policy.refusal(of: candidate) { throw ReplicationFault.unsupported(refusal) }
            }
            guard let literal = found.first?.ipAddress else { throw ReplicationFault.unreachable("no address") }
            return HTTPConnections(addresses: [address.host: literal])
        } catch let fault as CallFault {
            throw ReplicationFault.unreachable("\(fault)")
        }
    }
}
