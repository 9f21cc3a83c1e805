import MusterCore
import MusterDocuments
import MusterReplication
import MusterServer
import MusterWire

/// A document of `_replicator`: what it orders, and how that ended.
///
/// As in CouchDB 3, only an end is written into the document: `completed` or `failed`. Such a document orders nothing
/// any more, after a restart neither, until someone takes `_replication_state` out of it.
struct ReplicationDocument: Sendable {
    /// Its id and revision.
    let name: ReplicationJob.DocumentName
    /// What it says.
    let body: DocumentBody
    /// What it orders; a fault where that cannot be read.
    let order: Result<ReplicationOrder, CouchError>
    /// Who ordered it, by name; nil in a document of before that was noted.
    let owner: String?
    /// How it ended; nil where it did not.
    let ending: ScheduledState?
    /// What the document says of its end, or how it went; nil where it says nothing.
    let endedAt: String?
    let reason: String?
    let statistics: JSONValue?

    /// - Returns: nil for what orders nothing: a design document, one that is no more.
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
        }.mapError { CouchError(telling: $0) ?? .badRequest("The order cannot be read.") }
        // By itself: whoever ended must be known to have, whatever else the document says.
        let value =
            (try? JSONValue(
                parsing: Self.members(of: body.json) {
                    $0.hasPrefix("_replication") || $0 == ReplicationSeal.ownerKey
                }))
            ?? .null
        owner = value[ReplicationSeal.ownerKey]?.string
        // Versions of CouchDB before 3 wrote other states, which mean nothing.
        let state = value["_replication_state"]?.string.flatMap { ScheduledState(rawValue: $0) }
        ending = state == .completed || state == .failed ? state : nil
        endedAt = ending == nil ? nil : value["_replication_state_time"]?.string
        reason = ending == nil ? nil : value["_replication_state_reason"]?.string
        statistics = ending == nil ? nil : value["_replication_stats"]
    }

    /// A document's body with only some of its members.
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

/// How the replication that a document ordered ended.
enum ReplicationEnding: Sendable {
    /// All is done.
    case completed(ReplicationOrder, ReplicationProgress, startedAt: Instant)
    /// It cannot be done.
    case failed(ReplicationOrder?, reason: String)

    /// What a document says once it says this too.
    func told(in body: DocumentBody, at moment: Instant) throws -> DocumentBody {
        var writer = JSONWriter()
        writer.beginObject()
        // Without what was written of an end before.
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
    /// Looks at every document of `_replicator`, in order, a page at a time.
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
