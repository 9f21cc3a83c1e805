import Logging
import MusterCore
import MusterDocuments
import MusterReplication
import MusterStore
import MusterWire
import NIOCore
import ServiceLifecycle
import Synchronization

/// Runs the replications that admins ordered: those of `_replicate` until the server stops, those of the documents in
/// `_replicator` again after every start. Where each goes on is in the logs at its two sides.
package final class Replicator: Service {
    private let ledger: Ledger
    private let feeds: DocumentFeeds
    private let policy: AddressPolicy
    private let resolver: any HostResolver
    private let jobs = Mutex<[String: Job]>([:])

    /// Replications that run at a time.
    static let jobLimit = 100

    /// A replication that runs, or ran.
    struct Job: Sendable {
        let order: ReplicationOrder
        /// The document that orders it; nil for one of `_replicate`.
        let document: (id: String, revision: Revision)?
        fileprivate let task: Task<Void, Never>
        /// How it goes, where it is known.
        var progress = ReplicationProgress()
        /// Why it ended before all was done.
        var failure: String?
    }

    /// - Parameter allowsPrivate: whether peers may be on this machine or in a private network.
    package convenience init(ledger: Ledger, feeds: DocumentFeeds, allowsPrivate: Bool) {
        self.init(ledger: ledger, feeds: feeds, allowsPrivate: allowsPrivate, resolver: SystemResolver())
    }

    init(ledger: Ledger, feeds: DocumentFeeds, allowsPrivate: Bool, resolver: any HostResolver) {
        self.ledger = ledger
        self.feeds = feeds
        self.resolver = resolver
        policy = AddressPolicy(allowsPrivate: allowsPrivate)
    }

    // MARK: Orders

    /// Carries an order out while its sender waits.
    func carryOut(_ order: ReplicationOrder, by user: UserNumber) async throws -> (
        progress: ReplicationProgress, log: ReplicationLog?
    ) {
        guard jobs.withLock({ $0.count }) < Self.jobLimit else { throw Self.tooMany }
        return try await replicate(order, by: user) { _ in }
    }

    /// Begins an order that goes on by itself; one that runs already is left as it is.
    func begin(_ order: ReplicationOrder, by user: UserNumber) throws {
        try begin(order, as: order.id, document: nil, by: user)
    }

    /// Ends an order of `_replicate`.
    ///
    /// - Returns: false when none such runs.
    func cancel(_ id: String) -> Bool {
        guard let job = jobs.withLock({ $0.removeValue(forKey: id) }) else { return false }
        job.task.cancel()
        return true
    }

    /// All jobs, by id.
    var all: [(id: String, job: Job)] {
        jobs.withLock { $0.map { (id: $0.key, job: $0.value) } }.sorted { $0.id < $1.id }
    }

    private static let tooMany = CouchFault.unavailable("\(jobLimit) replications run already.")

    private func begin(
        _ order: ReplicationOrder, as id: String, document: (id: String, revision: Revision)?, by user: UserNumber
    ) throws {
        try jobs.withLock { jobs in
            guard jobs[id] == nil else { return }
            guard jobs.count < Self.jobLimit else { throw Self.tooMany }
            let task = Task {
                do {
                    let done = try await replicate(order, by: user) { progress in
                        self.jobs.withLock { $0[id]?.progress = progress }
                    }
                    self.end(id, done.progress, failure: nil, isKept: document != nil)
                } catch {
                    self.end(id, nil, failure: Self.sentence(error), isKept: document != nil)
                }
            }
            jobs[id] = Job(order: order, document: document, task: task)
        }
    }

    /// A job of a document stays, so that it is not begun again; one of `_replicate` is over.
    private func end(_ id: String, _ progress: ReplicationProgress?, failure: String?, isKept: Bool) {
        jobs.withLock { jobs in
            guard isKept else {
                jobs[id] = nil
                return
            }
            if let progress { jobs[id]?.progress = progress }
            jobs[id]?.failure = failure
        }
    }

    /// What may be told of an error: ours are written so that they hold no secret.
    static func sentence(_ error: any Error) -> String {
        (error as? ReplicationFault)?.description ?? (error as? CouchFault)?.reason ?? "it failed"
    }

    // MARK: Peers

    private func replicate(
        _ order: ReplicationOrder, by user: UserNumber,
        _ report: @escaping @Sendable (ReplicationProgress) -> Void
    ) async throws -> (progress: ReplicationProgress, log: ReplicationLog?) {
        let source = try await peer(order.source, by: user, isMade: false)
        let target: (peer: any ReplicationPeer, connections: HTTPConnections?)
        do {
            target = try await peer(order.target, by: user, isMade: order.options.createsTarget)
        } catch {
            await source.connections?.close()
            throw error
        }
        let replication = Replication(from: source.peer, to: target.peer, options: order.options)
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
            if isMade, ledger.directory.database(named: name) == nil { try await make(name) }
            guard let place = ledger.directory.database(named: name) else { throw ReplicationFault.noDatabase(name) }
            return (DocumentPeer(try await LedgerHome(place, by: user, ledger, feeds)), nil)
        case .remote(let address):
            let connections = try await connections(to: address)
            return (HTTPPeer(address, connections: connections), connections)
        }
    }

    private func make(_ name: String) async throws {
        guard DatabaseName.isValid(name), !ReservedPaths.contains(name),
            DatabaseName.user(ofLocations: name) == nil
        else { throw CouchFault.illegalName(name) }
        let now = ReplicationPacing.systemNow()
        try await ledger.edit { directory, draft in
            guard directory.database(named: name) == nil else { return }
            let number = try draft.transaction.documents.nextDatabaseNumber()
            draft.edits.append(.putDatabase(StoredDatabase(number: number, name: name, createdAt: now)))
        }
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

    // MARK: Documents

    /// Seconds between two looks at whether there is a `_replicator` database.
    private static let lookSeconds = 2.0

    /// Follows the documents of `_replicator`, until graceful shutdown.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await self.follow()
                } catch {
                    try? await Task.sleep(for: .seconds(Self.lookSeconds))
                }
            }
        }
        for job in jobs.withLock({ $0.values.map(\.task) }) { job.cancel() }
    }

    private func follow() async throws {
        guard let place = ledger.directory.database(named: DatabaseName.replicator),
            let admin = ledger.directory.users.all.first(where: { $0.role == .admin })
        else { return try await Task.sleep(for: .seconds(Self.lookSeconds)) }
        let home = try await LedgerHome(place, by: admin.number, ledger, feeds)
        let scope = home.scope
        let (documents, last) = try await home.look { reader in
            (
                try reader.documents(in: scope, DocumentRange(withBodies: true, limit: Self.jobLimit)),
                reader.lastSequence
            )
        }
        settle(documents, admin.number)
        try await home.waitForChange(after: last)
    }

    /// Begins what is ordered and does not run, and ends what is no longer ordered.
    private func settle(_ documents: [StoredDocument], _ admin: UserNumber) {
        var wanted: [String: Revision] = [:]
        for document in documents where !document.id.hasPrefix("_design/") {
            guard let winner = document.tree.winner, let body = document.body,
                let value = try? JSONValue(parsing: body.json), let order = try? ReplicationOrder(value)
            else { continue }
            let id = "doc:" + document.id
            wanted[id] = winner.revision
            let runs = jobs.withLock { $0[id]?.document?.revision }
            if runs == winner.revision { continue }
            _ = cancel(id)
            try? begin(order, as: id, document: (document.id, winner.revision), by: admin)
        }
        for (id, job) in all where job.document != nil && wanted[id] == nil { _ = cancel(id) }
    }
}
