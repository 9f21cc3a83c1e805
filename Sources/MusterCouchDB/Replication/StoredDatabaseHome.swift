import MusterCore
import MusterDocuments
import MusterReplication
import MusterServer
import MusterStore
import MusterWire

/// A database of this server as one side of a replication that the server runs. Documents that arrive go through the
/// commit pipeline, so a location document becomes an observation.
struct StoredDatabaseHome: DocumentHome {
    let coordinator: StoreCoordinator
    let feeds: LogFeeds
    let database: ResolvedDatabase
    /// The user by whose rights the database is read and written.
    let user: UserNumber
    /// Whether the user ordered the replication. Then it runs as long as the user may order one.
    let isOrdered: Bool
    let identity: String
    let scope: DatabaseScope

    /// - Throws: `ReplicationError` for a database that cannot be replicated.
    init(
        _ database: ResolvedDatabase, by user: UserNumber, isOrdered: Bool = false, _ coordinator: StoreCoordinator,
        _ feeds: LogFeeds
    ) async throws {
        guard let scope = database.scope else { throw ReplicationError.unsupported("users are not replicated") }
        self.coordinator = coordinator
        self.feeds = feeds
        self.database = database
        self.user = user
        self.isOrdered = isOrdered
        self.scope = scope
        // `GET /` and `GET /{db}` return the same to clients, so that a client's checkpoints and the server's have the
        // same id.
        let uuid = try await coordinator.read { try $0.uuid() }
        identity = uuid.filter { $0 != "-" } + "/" + database.name
    }

    func readDocuments<Success: Sendable>(
        _ body: @escaping @Sendable (any DocumentReader) throws -> Success
    ) async throws -> Success {
        try requireDatabase()
        return try await translatingErrors {
            try await coordinator.readDocuments { reader in
                // Within a request, the bound of the request counts.
                guard BoundedWork.bound == nil else { return try body(reader) }
                let limit = WorkLimit(seconds: ReadingLimits.seconds, steps: ReadingLimits.steps)
                let result = Result { try BoundedWork.$bound.withValue(limit) { try body(reader) } }
                // A result that was cut short has no meaning.
                if let error = limit.fault { throw error }
                return try result.get()
            }
        }
    }

    /// Checks that the database still exists (a new one of the same name is another), and that the giver of the order
    /// may still run it.
    ///
    /// - Throws: `ReplicationError.noDatabase`, `.forbidden`.
    private func requireDatabase() throws {
        let directory = coordinator.directory
        guard !isOrdered || directory.letsReplicate(orderedBy: user) else {
            throw ReplicationError.forbidden(Replicator.unfounded)
        }
        guard directory.database(named: database.name)?.scope == scope else {
            throw ReplicationError.noDatabase(database.name)
        }
    }

    func write(_ edits: [DocumentEdit]) async throws -> [EditOutcome] {
        guard database.number != nil else {
            throw ReplicationError.forbidden("\(database.name) is read-only")
        }
        guard database.name != DatabaseName.replicator else {
            throw ReplicationError.forbidden("orders in _replicator must be stored by an admin, not replicated")
        }
        try requireDatabase()
        return try await translatingErrors { try await coordinator.write(edits, to: database, by: Author(user: user)) }
    }

    func local(_ id: String) -> (database: DatabaseNumber, name: String) {
        let locals = database.number.map { LocalDocumentKey(in: $0) } ?? LocalDocumentKey(of: user, reading: database)
        return (locals.database, locals.name(id))
    }

    func put(_ json: [UInt8], local id: String) async throws {
        let (number, name) = local(id)
        try await translatingErrors {
            try await coordinator.storeState { transaction, _ in
                let documents = transaction.documents
                let revision = try documents.local(name, in: number)?.revision ?? 0
                try documents.put(LocalDocument(id: name, revision: revision + 1, json: json), in: number)
            }
        }
    }

    var attachmentLimitBytes: Int64 { Int64(CouchLimits.attachmentBytes) }

    func refusal(of revision: ReplicatedRevision) -> WriteRefusal? {
        DocumentAdmission.refusal(of: revision, in: database)
    }

    func storeAttachment(_ bytes: AttachmentBytes, limit: Int64) async throws -> KeptBytes {
        var intake = AttachmentUpload(coordinator)
        var length: Int64 = 0
        do {
            return try await translatingErrors {
                for try await piece in bytes {
                    length += Int64(piece.count)
                    guard length <= limit else { throw ReplicationError.tooLarge(limitBytes: Int(limit)) }
                    try await intake.append(piece)
                }
                let file = try await intake.finish()
                return KeptBytes(md5: file.md5, key: file.key, length: file.length)
            }
        } catch {
            await intake.abandon()
            throw error
        }
    }

    /// Translates errors of the coordinator for the replication. A full queue or disk may have room later.
    private func translatingErrors<Success>(_ body: () async throws -> Success) async throws -> Success {
        do {
            return try await body()
        } catch let error as CoordinatorError {
            switch error {
            case .full, .unavailable, .unwritable: throw ReplicationError.busy(status: 503, retryAfterSeconds: 1)
            case .overQuota(let error): throw ReplicationError(mapping: error)
            case .gone: throw ReplicationError.noDatabase(database.name)
            case .closed: throw CancellationError()
            }
        } catch let error as QuotaError {
            throw ReplicationError(mapping: error)
        } catch is StoreError {
            throw ReplicationError.busy(status: 503, retryAfterSeconds: 1)
        } catch is WorkLimit.InterruptionError {
            throw ReplicationError.unsupported(
                "reading one page of \(database.name) took longer than \(Int(ReadingLimits.seconds)) s: "
                    + "the selector takes too long")
        }
    }

    func waitForChange(after sequence: LogSequence) async throws {
        let feed = try? feeds.open(
            .documents(scope), by: FeedOwner(replicationOf: user, limit: FeedShares.ofLeader + Replicator.jobLimit),
            beatSeconds: nil, timeoutSeconds: 60)
        guard let feed else { return try await Task.sleep(for: .seconds(5)) }
        defer { feed.close() }
        // The feed is open already, so it also reports what is committed between the two.
        let scope = scope
        let first = try await readDocuments {
            try $0.changes(in: scope, since: sequence, isDescending: false, withBodies: false, limit: 1)
        }
        if !first.isEmpty { return }
        if await feed.next() == nil { throw CancellationError() }
        try requireDatabase()
    }
}
