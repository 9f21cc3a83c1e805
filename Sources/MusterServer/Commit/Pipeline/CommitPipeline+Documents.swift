import MusterCore
import MusterDocuments
import MusterStore
import MusterWire

/// The data that one sender wants to store in the next transaction.
enum CommitRequest: Sendable {
    case observations([Observation], by: Author? = nil)
    case documents([DocumentEdit], in: WriteTarget)
    case dataset(DatasetUpdate, ownedBy: String)
    /// The guest is the update's owner.
    case guestDataset(DatasetUpdate, of: GuestID)
    case guestMerge(GuestID, into: UserNumber, called: String)

    /// The approximate size of the request, in observations. Bounds the queue and each transaction.
    var weight: Int {
        switch self {
        case .observations(let observations, by: _): observations.count
        case .documents(let edits, _): edits.reduce(0) { $0 + 1 + $1.body.json.count / 256 }
        case .dataset(let update, _), .guestDataset(let update, _): update.weight
        case .guestMerge: GuestLimits.bytes / GuestLimits.recordBytes
        }
    }
}

/// The database that edits write to, and the user and device that its documents describe.
struct WriteTarget: Sendable {
    var database: DatabaseNumber
    /// The database's name in the API.
    var name: String
    /// The number of ancestors that each leaf revision keeps.
    var revisionLimit: Int
    /// The author of the edits; nil for the server itself.
    var author: Author?
    /// The user whose locations the database holds; nil in any other database.
    var user: User?
    /// The devices of that user.
    var devices: [DeviceNumber] = []
    /// The device of that user that a location document describes.
    var device: DeviceNumber?
    /// The position that each edit's document reports, in the order of the edits; nil for other documents. Empty in
    /// databases that hold no locations. Parsed before the request waits, so that the writer's thread parses nothing.
    var positions: [Position?] = []

    /// The position that an edit's document reports.
    func position(at index: Int) -> Position? { positions.indices.contains(index) ? positions[index] : nil }
}

/// Documents share the transaction with observations, and location documents go through the same engine.
extension CommitPipeline {
    /// Carries out edits of documents. The engine then decides the positions that location documents report, like any
    /// other observation.
    ///
    /// - Returns: the request's receipt, without its sequence.
    mutating func write(
        _ edits: [DocumentEdit], in target: WriteTarget, now: Instant, in transaction: any StoreTransaction
    ) throws -> Receipt {
        let database = target.database
        var receipt = Receipt()
        if let refusal = try refusal(of: edits, in: target, transaction) {
            receipt.refusal = refusal
            return receipt
        }
        var observations: [Observation] = []
        var touch: (change: DocumentTouch, sequence: MusterCore.LogSequence)?
        var batch = DocumentBatch(
            of: edits, in: database, revisionLimit: target.revisionLimit, to: transaction.documents)
        for (index, edit) in edits.enumerated() {
            let position = target.position(at: index)
            var before: StoredDocument?
            if !batch.holds(edit.id) {
                before = try transaction.documents.document(edit.id, in: .database(database))
                if before == nil, let subject = PositionDocument.identity(of: edit.id),
                    let user = target.user, target.devices.contains(subject.device)
                {
                    before = try storedPosition(at: subject, of: user)
                    if before == nil, let position,
                        let outcome = try restore(
                            position, from: edit, subject, user, now, &receipt.tally, transaction)
                    {
                        receipt.outcomes.append(outcome)
                        continue
                    }
                }
            }
            let outcome = try batch.apply(edit, over: before) { winner in
                let change = DocumentTouch(
                    database: database, id: edit.id, winner: winner.revision, isDeleted: winner.isDeleted)
                let sequence = try transaction.append(.document(change))
                // One audit log entry for each request, however many documents it writes.
                touch = touch ?? (change, sequence)
                return sequence
            }
            receipt.outcomes.append(outcome)
            guard case .stored = outcome, let device = target.device, var position else { continue }
            position.reporter = target.author.flatMap { $0.user == target.user?.number ? nil : $0.user }
            observations.append(.position(position, of: device))
        }
        try batch.finish()
        try transaction.keepPositionIDs(edits.map(\.id), in: target.database) { engine.owner(of: $0) }
        if let touch, let author = target.author, author.user != target.user?.number {
            try transaction.appendAuditEntry(.document(touch.change), at: touch.sequence, now, by: author)
        }
        if !observations.isEmpty { receipt.tally += try decideObservations(observations, now: now, in: transaction) }
        return receipt
    }

    /// Returns the quota that the edits would exceed; nil where there is room. Deletions take no room.
    private func refusal(
        of edits: [DocumentEdit], in target: WriteTarget, _ transaction: any StoreTransaction
    ) throws -> QuotaError? {
        let bodies = edits.lazy.filter { !$0.isDeleted }.map(\.body)
        return quotas.refusal(
            ofBytes: bodies.reduce(0) { $0 + $1.storedBytes },
            with: try transaction.documents.counts(in: .database(target.database)).storedBytes,
            areFilesAmong: bodies.contains { !$0.attachments.isEmpty }, in: target)
    }

    /// The stored position, as the document that clients read.
    private func storedPosition(at subject: PositionDocument.Identity, of user: User) throws -> StoredDocument? {
        let found = try store.positions(
            of: subject.device, from: subject.sampleTime, to: subject.sampleTime.advanced(bySeconds: 0.001), after: nil,
            limit: 1_000)
        return found.first {
            PositionDocument.Identity(of: $0, device: subject.device) == subject && $0.source != .couchDB
        }
        .map { position in
            let sequenced = SequencedPosition(sequence: .zero, device: subject.device, position: position)
            return StoredDocument(sequenced, of: user, withBody: false)
        }
    }

    /// Stores a document as a position where it equals the document that the position would be. So a replica can give
    /// back positions that this server lost.
    ///
    /// - Returns: nil where the document differs from the one that the position would be, or the engine would not store
    ///   the position.
    private mutating func restore(
        _ position: Position, from edit: DocumentEdit, _ subject: PositionDocument.Identity, _ user: User,
        _ now: Instant,
        _ tally: inout Tally, _ transaction: any StoreTransaction
    ) throws -> EditOutcome? {
        guard edit.body.attachments.isEmpty else { return nil }
        var position = position
        position.source = .native
        let sequenced = SequencedPosition(sequence: .zero, device: subject.device, position: position)
        let document = StoredDocument(sequenced, of: user, withBody: true)
        guard document.id == edit.id, document.body == edit.body, let revision = document.tree.winner?.revision,
            edit.place == .on(nil) || edit.place == .at([revision])
        else { return nil }
        let taken = try decideObservations([.position(position, of: subject.device)], now: now, in: transaction)
        tally += taken
        guard taken.accepted + taken.late > 0 else { return taken.repeated > 0 ? .known(revision) : nil }
        return .stored(revision, lastAppended)
    }
}
