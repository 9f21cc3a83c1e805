import MusterCore
import MusterDocuments
import MusterReplication
import MusterServer
import MusterWire

/// A document of `_replicator`: an order, and how its replication ended.
///
/// As in CouchDB 3, only an end is written into the document: `completed` or `failed`. Such a document orders nothing,
/// even after a restart, until a client removes `_replication_state` from it.
struct ReplicationDocument: Sendable {
    /// The id and revision of the document.
    let name: ReplicationJob.DocumentName
    /// The content of the document.
    let body: DocumentBody
    /// The order, or why it is invalid.
    let order: Result<ReplicationOrder, CouchError>
    /// The name of the user who gave the order; nil in a document stored before owners were recorded.
    let owner: String?
    /// How the replication ended; nil if it has not.
    let ending: ScheduledState?
    /// The time in the document at which the replication ended; nil if it has not ended.
    let endedAt: String?
    /// The reason in the document of a failed replication; nil for any other.
    let reason: String?
    /// The counts in the document of a completed replication; nil for any other.
    let statistics: JSONValue?

    /// - Returns: nil for a document without an order: a design document or a deleted one.
    init?(_ document: StoredDocument, openedBy seal: ReplicationSeal) {
        guard !document.id.hasPrefix(DocumentID.designPrefix), let winner = document.tree.winner, !winner.isDeleted,
            let body = document.body
        else { return nil }
        name = ReplicationJob.DocumentName(id: document.id, revision: winner.revision)
        self.body = body
        order = Result {
            try ReplicationOrder(
                JSONValue(
                    parsing: body.json, depthLimit: CouchDocument.depthLimit + 1, valueLimit: 2 * CouchLimits.names),
                openedBy: seal)
        }.mapError { CouchError(mapping: $0) ?? .badRequest("The order cannot be read.") }
        // Parsed separately from the order, so that an end is recognized even if the order is invalid.
        let value =
            (try? JSONValue(
                parsing: Self.members(of: body.json) {
                    $0.hasPrefix("_replication") || $0 == ReplicationSeal.ownerKey
                }))
            ?? .null
        owner = value[ReplicationSeal.ownerKey]?.string
        // CouchDB before version 3 wrote other states, which have no meaning here.
        let state = value["_replication_state"]?.string.flatMap { ScheduledState(rawValue: $0) }
        ending = state == .completed || state == .failed ? state : nil
        endedAt = ending == nil ? nil : value["_replication_state_time"]?.string
        reason = ending == nil ? nil : value["_replication_state_reason"]?.string
        statistics = ending == nil ? nil : value["_replication_stats"]
    }

    /// Returns a JSON object with only some of its members.
    static func members(of json: [UInt8], where isWanted: (String) -> Bool) throws -> [UInt8] {
        try json.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes, depthLimit: CouchDocument.depthLimit + 1)
            var found: [UInt8] = [UInt8(ascii: "{")]
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let value = try reader.skip()
                if !isWanted(key.string) { continue }
                if found.count > 1 { found.append(UInt8(ascii: ",")) }
                found.append(UInt8(ascii: "\""))
                found.append(contentsOf: key.bytes)
                found.append(contentsOf: "\":".utf8)
                found.append(contentsOf: value)
            }
            found.append(UInt8(ascii: "}"))
            return found
        }
    }
}

/// The end of a replication that a document ordered.
enum ReplicationEnding: Sendable {
    /// The replication has transferred everything.
    case completed(ReplicationOrder, ReplicationProgress, startedAt: Instant)
    /// The replication cannot succeed.
    case failed(ReplicationOrder?, reason: String)

    /// Returns the document with this end written into it.
    func written(in body: DocumentBody, at moment: Instant) throws -> DocumentBody {
        var writer = JSONWriter()
        writer.beginObject()
        // The members of an earlier end are left out.
        writer.members(
            of: try ReplicationDocument.members(of: body.json) { !CouchDocument.replicationMembers.contains($0) })
        switch self {
        case .completed(let order, let progress, let startedAt):
            writer.member("_replication_state", ScheduledState.completed.rawValue)
            writer.member("_replication_state_time", moment.secondsText)
            writer.member("_replication_id", order.id)
            writer.key("_replication_stats")
            writer.beginObject()
            writer.counts(of: progress)
            writer.member("start_time", startedAt.secondsText)
            writer.endObject()
        case .failed(let order, let reason):
            writer.member("_replication_state", ScheduledState.failed.rawValue)
            writer.member("_replication_state_time", moment.secondsText)
            writer.member("_replication_state_reason", reason)
            writer.member("_replication_id", order?.id)
        }
        writer.endObject()
        return DocumentBody(json: writer.takeBytes(), attachments: body.attachments)
    }
}

extension DocumentReader {
    /// Calls `body` for every order in `_replicator`, in the order of ids. Reads a page of documents at a time.
    func eachReplication(
        in database: DatabaseNumber, openedBy seal: ReplicationSeal, _ body: (ReplicationDocument) throws -> Void
    ) throws {
        var range = DocumentRange(withBodies: true, limit: CouchLimits.pageDocuments)
        while true {
            let page = try documents(in: .database(database), range)
            for document in page {
                if let document = ReplicationDocument(document, openedBy: seal) { try body(document) }
            }
            guard let last = page.last, page.count == range.limit else { return }
            range.advance(past: last.id)
        }
    }
}
