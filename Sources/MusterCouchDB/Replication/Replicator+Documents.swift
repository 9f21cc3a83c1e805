import MusterCore
import MusterDocuments
import MusterReplication
import MusterServer
import MusterStore
import MusterWire

/// The replications that documents of `_replicator` order.
extension Replicator {
    /// Seconds between two looks at whether there is a `_replicator` database, and between two attempts to write how a
    /// replication ended.
    static let lookSeconds = 2.0
    /// Seconds from the end of a job until those that wait for its place are looked for.
    private static let gatherSeconds = 0.2

    /// What the documents want of the jobs.
    private struct Agenda: Sendable {
        /// All that order something, by id.
        var wanted: [String: Revision] = [:]
        /// Those that do not run: as many as there is room for.
        var due: [ReplicationDocument] = []
        /// Whether others wait for their turn.
        var isCrowded = false
        /// Up to where the documents were read.
        var sequence = LogSequence.zero
    }

    /// Does once what the documents say, and waits until one was touched.
    func follow() async throws {
        guard let place = coordinator.directory.database(named: DatabaseName.replicator), let database = place.number,
            let admin = coordinator.directory.users.all.first(where: { $0.role == .admin })
        else {
            // Documents that are no more order nothing.
            end { $0.document != nil }
            return try await Task.sleep(for: .seconds(Self.lookSeconds))
        }
        let home = try await StoredDatabaseHome(place, by: admin.number, coordinator, feeds)
        let running = Set(jobs.compactMap(\.document))
        let room = Self.jobLimit - jobs.count
        let agenda = try await home.look { [seal] reader in
            var agenda = Agenda(sequence: reader.lastSequence)
            try reader.eachReplication(in: database, openedBy: seal) { document in
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
                try await sealSecrets(of: document, in: place)
                continue
            }
            // A document of before its owner was noted goes on by the first admin's right, as it did.
            guard let owner = document.owner.map({ coordinator.directory.users[$0] }) ?? admin,
                coordinator.directory.letsReplicate(orderedBy: owner.number)
            else {
                try await write(.failed(nil, reason: Self.unfounded), into: document.name, in: place)
                continue
            }
            switch document.order {
            case .success(let order): try? begin(order, of: document.name, in: place, by: owner.number)
            case .failure(let fault):
                try await write(.failed(nil, reason: fault.reason), into: document.name, in: place)
            }
        }
        try await wait(for: home, after: agenda.sequence, orRoom: agenda.isCrowded)
    }

    /// What is told of an order whose giver's right has ended.
    static let unfounded = "whoever ordered it is no admin any more: an admin who puts the document again orders it"

    /// Ends the jobs whose givers may order none any more, and says so in the documents that ordered them.
    func endUnfounded() async {
        let directory = coordinator.directory
        let unfounded = jobs.filter { !directory.letsReplicate(orderedBy: $0.user) }
        guard !unfounded.isEmpty else { return }
        end { !directory.letsReplicate(orderedBy: $0.user) }
        guard let place = directory.database(named: DatabaseName.replicator) else { return }
        for job in unfounded {
            guard let document = job.document else { continue }
            // What cannot be written now is found again when the documents are followed next.
            try? await write(.failed(job.order, reason: Self.unfounded), into: document, in: place)
        }
    }

    /// Seals what an earlier version stored as it came.
    private func sealSecrets(of document: ReplicationDocument, in place: ResolvedDatabase) async throws {
        var body = document.body
        body.json = try seal.sealed(body.json, owner: nil)
        let edit = DocumentEdit(
            id: document.name.id, body: body, isDeleted: false, place: .on(document.name.revision))
        _ = try await coordinator.write([edit], to: place, by: nil)
    }

    /// Returns when a document was touched, or when one that waits for its turn may begin.
    private func wait(for home: StoredDatabaseHome, after sequence: LogSequence, orRoom isCrowded: Bool) async throws {
        guard isCrowded else { return try await home.waitForChange(after: sequence) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await home.waitForChange(after: sequence) }
            group.addTask {
                await self.waitForRoom()
                // Those that end within a moment are followed together: all documents are read each time.
                try await Task.sleep(for: .seconds(Self.gatherSeconds))
            }
            try await group.next()
            group.cancelAll()
        }
    }

    /// Begins what a document orders. A network that is away ends nothing: it is tried until it is back.
    private func begin(
        _ order: ReplicationOrder, of document: ReplicationJob.DocumentName, in place: ResolvedDatabase,
        by user: UserNumber
    ) throws {
        let startedAt = coordinator.now()
        _ = try enlist(order, document: document, by: user) { [self] number in
            let ending: ReplicationEnding
            do {
                let done = try await persist(in: order, by: user) { self.note($0, of: number) }
                ending = .completed(order, done.progress, startedAt: startedAt)
            } catch let error where error is ReplicationError || error is CouchError {
                // Whoever ended it, or stops the server, did not find that it cannot be done. Of another error, such as
                // a full disk, nobody knows that: it is begun again.
                try Task.checkCancellation()
                ending = .failed(order, reason: Self.sentence(error))
            }
            // Before it leaves the roster: else it would be begun again.
            while true {
                do {
                    return try await write(ending, into: document, in: place)
                } catch CoordinatorError.full {
                    try await Task.sleep(for: .seconds(Self.lookSeconds))
                }
            }
        }
    }

    /// Writes into a document how its replication ended, unless it says something else by now.
    private func write(
        _ ending: ReplicationEnding, into document: ReplicationJob.DocumentName, in place: ResolvedDatabase
    ) async throws {
        guard let database = place.number else { return }
        let found = try await coordinator.readDocuments { [seal] reader in
            try reader.document(document.id, in: .database(database)).flatMap {
                ReplicationDocument($0, openedBy: seal)
            }
        }
        guard let found, found.name == document else { return }
        let edit = DocumentEdit(
            id: document.id, body: try ending.told(in: found.body, at: coordinator.now()), isDeleted: false,
            place: .on(document.revision))
        // Where someone was faster, what was written last is followed next.
        _ = try await coordinator.write([edit], to: place, by: nil)
    }
}
