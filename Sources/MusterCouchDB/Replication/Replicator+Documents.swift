import MusterCore
import MusterDocuments
import MusterReplication
import MusterServer
import MusterWire

/// Carries out the orders in the documents of `_replicator`.
extension Replicator {
    /// The seconds between two checks for a `_replicator` database, and between two attempts to write the end of a
    /// replication into its document.
    static let lookSeconds = 2.0
    /// The seconds from the end of a job until the replicator looks for the orders that wait for its place.
    private static let gatherSeconds = 0.2

    /// The orders in the documents, compared with the jobs that run.
    private struct Agenda: Sendable {
        /// The documents whose orders have not ended, by id.
        var wanted: [String: Revision] = [:]
        /// The documents whose orders do not run, as many as there is room for.
        var due: [ReplicationDocument] = []
        /// Whether more orders wait for their turn.
        var isCrowded = false
        /// The sequence up to which the documents were read.
        var sequence = LogSequence.zero
    }

    /// Brings the jobs in line with the documents once, and waits until a document changes.
    func follow() async throws {
        guard let database = coordinator.directory.database(named: DatabaseName.replicator),
            let number = database.number,
            let admin = coordinator.directory.users.all.first(where: { $0.role == .admin })
        else {
            // Without the database, its orders end.
            end { $0.document != nil }
            return try await Task.sleep(for: .seconds(Self.lookSeconds))
        }
        let home = try await StoredDatabaseHome(database, by: admin.number, coordinator, feeds)
        let running = Set(jobs.compactMap(\.document))
        let room = Self.jobLimit - jobs.count
        let agenda = try await home.readDocuments { [seal] reader in
            var agenda = Agenda(sequence: reader.lastSequence)
            try reader.eachReplication(in: number, openedBy: seal) { document in
                guard document.ending == nil else { return }
                agenda.wanted[document.name.id] = document.name.revision
                guard !running.contains(document.name) else { return }
                if agenda.due.count < room { agenda.due.append(document) } else { agenda.isCrowded = true }
            }
            return agenda
        }
        end { job in job.document.map { agenda.wanted[$0.id] != $0.revision } ?? false }
        for document in agenda.due {
            if seal.hasPlainSecret(document.body.json) {
                try await sealSecrets(of: document, in: database)
                continue
            }
            // A document stored before owners were recorded runs by the rights of the first admin, as it did then.
            guard let owner = document.owner.map({ coordinator.directory.users[$0] }) ?? admin,
                coordinator.directory.letsReplicate(orderedBy: owner.number)
            else {
                try await write(.failed(nil, reason: Self.unfounded), into: document.name, in: database)
                continue
            }
            switch document.order {
            case .success(let order): try? begin(order, of: document.name, in: database, by: owner.number)
            case .failure(let error):
                try await write(.failed(nil, reason: error.reason), into: document.name, in: database)
            }
        }
        try await wait(for: home, after: agenda.sequence, orRoom: agenda.isCrowded)
    }

    /// The reason in the document of an order whose giver is no longer an admin.
    static let unfounded = "the user who ordered it is no longer an admin: an admin can order it by storing it again"

    /// Ends the jobs whose givers may no longer order replications, and writes that into their documents.
    func endUnfounded() async {
        let directory = coordinator.directory
        let unfounded = jobs.filter { !directory.letsReplicate(orderedBy: $0.user) }
        guard !unfounded.isEmpty else { return }
        end { !directory.letsReplicate(orderedBy: $0.user) }
        guard let database = directory.database(named: DatabaseName.replicator) else { return }
        for job in unfounded {
            guard let document = job.document else { continue }
            // If the write fails, the next reading of the documents finds the order again.
            try? await write(.failed(job.order, reason: Self.unfounded), into: document, in: database)
        }
    }

    /// Seals the secrets in a document that an earlier version stored in plain text.
    private func sealSecrets(of document: ReplicationDocument, in database: ResolvedDatabase) async throws {
        var body = document.body
        body.json = try seal.sealed(body.json, owner: nil)
        let edit = DocumentEdit(
            id: document.name.id, body: body, isDeleted: false, place: .on(document.name.revision))
        _ = try await coordinator.write([edit], to: database, by: nil)
    }

    /// Returns when a document changes, or when an order that waits for its turn may begin.
    private func wait(for home: StoredDatabaseHome, after sequence: LogSequence, orRoom isCrowded: Bool) async throws {
        guard isCrowded else { return try await home.waitForChange(after: sequence) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await home.waitForChange(after: sequence) }
            group.addTask {
                await self.waitForRoom()
                // Each pass reads all documents, so jobs that end within a moment are replaced in one pass.
                try await Task.sleep(for: .seconds(Self.gatherSeconds))
            }
            try await group.next()
            group.cancelAll()
        }
    }

    /// Begins the order of a document. While a peer is unreachable the job tries again; it never ends for that reason.
    private func begin(
        _ order: ReplicationOrder, of document: ReplicationJob.DocumentName, in database: ResolvedDatabase,
        by user: UserNumber
    ) throws {
        let startedAt = coordinator.now()
        _ = try enlist(order, document: document, by: user) { [self] number in
            let ending: ReplicationEnding
            do {
                let done = try await persist(in: order, by: user) { self.recordProgress($0, of: number) }
                ending = .completed(order, done.progress, startedAt: startedAt)
            } catch let error where error is ReplicationError || error is CouchError {
                // A cancelled job, because its order was withdrawn or the server stops, has not failed. After another
                // error, such as a full disk, the job begins again.
                try Task.checkCancellation()
                ending = .failed(order, reason: Self.sentence(error))
            }
            // The job stays on the roster until its end is written. Otherwise the order would begin again.
            while true {
                do {
                    return try await write(ending, into: document, in: database)
                } catch CoordinatorError.full {
                    try await Task.sleep(for: .seconds(Self.lookSeconds))
                }
            }
        }
    }

    /// Writes into a document how its replication ended, unless the document has changed.
    private func write(
        _ ending: ReplicationEnding, into document: ReplicationJob.DocumentName, in database: ResolvedDatabase
    ) async throws {
        guard let number = database.number else { return }
        let found = try await coordinator.readDocuments { [seal] reader in
            try reader.document(document.id, in: .database(number)).flatMap {
                ReplicationDocument($0, openedBy: seal)
            }
        }
        guard let found, found.name == document else { return }
        let edit = DocumentEdit(
            id: document.id, body: try ending.written(in: found.body, at: coordinator.now()), isDeleted: false,
            place: .on(document.revision))
        // If another edit came first, the next pass reads it.
        _ = try await coordinator.write([edit], to: database, by: nil)
    }
}
