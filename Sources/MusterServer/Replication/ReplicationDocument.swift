import MusterCore
import MusterDocuments
import MusterReplication
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
    let order: Result<ReplicationOrder, CouchFault>
    /// How it ended; nil where it did not.
    let ending: ScheduledState?
    /// What the document says of its end, or how it went; nil where it says nothing.
    let endedAt: String?
    let reason: String?
    let statistics: JSONValue?

    /// - Returns: nil for what orders nothing: a design document, one that is no more.
    init?(_ document: StoredDocument) {
        guard !document.id.hasPrefix(DocumentID.designPrefix), let winner = document.tree.winner, !winner.isDeleted,
            let body = document.body
        else { return nil }
        name = ReplicationJob.DocumentName(id: document.id, revision: winner.revision)
        self.body = body
        let value = (try? JSONValue(parsing: body.json, valueLimit: 2 * CouchLimits.names)) ?? .null
        order = Result { try ReplicationOrder(value) }.mapError {
            CouchFault(telling: $0) ?? .badRequest("The order cannot be read.")
        }
        // Versions of CouchDB before 3 wrote other states, which mean nothing.
        let state = value["_replication_state"]?.string.flatMap { ScheduledState(rawValue: $0) }
        ending = state == .completed || state == .failed ? state : nil
        endedAt = ending == nil ? nil : value["_replication_state_time"]?.string
        reason = ending == nil ? nil : value["_replication_state_reason"]?.string
        statistics = ending == nil ? nil : value["_replication_stats"]
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
        writer.members(of: try Self.order(in: body.json))
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

    /// A body without what was written of an end before.
    private static func order(in json: [UInt8]) throws -> [UInt8] {
        try json.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes, depthLimit: CouchDocument.depthLimit + 1)
            var order: [UInt8] = [UInt8(ascii: "{")]
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let value = try reader.skip()
                if CouchDocument.replicationMembers.contains(key.string) { continue }
                if order.count > 1 { order.append(UInt8(ascii: ",")) }
                order.append(UInt8(ascii: "\""))
                order.append(contentsOf: key.bytes)
                order.append(contentsOf: "\":".utf8)
                order.append(contentsOf: value)
            }
            order.append(UInt8(ascii: "}"))
            return order
        }
    }
}

extension DocumentReader {
    /// Looks at every document of `_replicator`, in order, a page at a time.
    func eachReplication(
        in database: DatabaseNumber, _ body: (ReplicationDocument) throws -> Void
    ) throws {
        var range = DocumentRange(withBodies: true, limit: CouchLimits.pageDocuments)
        while true {
            let page = try documents(in: .database(database), range)
            for document in page { if let document = ReplicationDocument(document) { try body(document) } }
            guard let last = page.last, page.count == range.limit else { return }
            range.advance(past: last.id)
        }
    }
}
