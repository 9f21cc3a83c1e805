import Hummingbird
import MusterCore
import MusterDocuments
import MusterWire

extension CouchEndpoint {
    func addRevisions(to routes: inout RouteTable) {
        let json = ["application/json"]
        add(
            .post, "/{db}/_revs_diff", "Which of these revisions are not here, and what they may stem from.",
            body: json, to: &routes
        ) { try await Self.compare($0, .difference) }
        add(.post, "/{db}/_missing_revs", "Which of these revisions are not here.", body: json, to: &routes) {
            try await Self.compare($0, .missing)
        }
    }

    private static func compare(_ call: CouchCall, _ form: CouchComparison.Form) async throws -> Response {
        let place = try call.readable()
        guard let scope = place.scope else { throw CouchFault.forbidden("Users are not replicated.") }
        let body = try await call.json(limit: CouchLimits.bulkBytes)
        let asked = try body.withUnsafeReadableBytes {
            try CouchRevisions.list(parsing: $0, limit: CouchLimits.names)
        }
        return try await call.send(CouchComparison(asked, form, in: scope))
    }
}

/// The answer to `_revs_diff` and `_missing_revs`.
struct CouchComparison: PagedAnswer {
    /// How it is told.
    enum Form: Sendable {
        case difference, missing
    }

    private let asked: [CouchRevisions]
    private let form: Form
    private let scope: DatabaseScope
    private var position = 0
    private var writer = JSONWriter()
    private(set) var isComplete = false

    init(_ asked: [CouchRevisions], _ form: Form, in scope: DatabaseScope) {
        self.asked = asked
        self.form = form
        self.scope = scope
    }

    mutating func next(_ reader: any DocumentReader) throws -> [UInt8] {
        if position == 0 {
            writer.beginObject()
            if form == .missing {
                writer.key("missing_revs")
                writer.beginObject()
            }
        }
        let page = asked[position..<min(position + 2 * CouchLimits.pageDocuments, asked.count)]
        for item in page { try write(item, reader) }
        position += page.count
        isComplete = position == asked.count
        if isComplete {
            if form == .missing { writer.endObject() }
            writer.endObject()
        }
        return writer.takeBytes()
    }

    private mutating func write(_ item: CouchRevisions, _ reader: any DocumentReader) throws {
        let tree = try reader.tree(of: item.id, in: scope)
        let missing = tree?.missing(item.revisions) ?? item.revisions
        guard !missing.isEmpty else { return }
        writer.key(item.id)
        guard form == .difference else { return list(missing) }
        writer.beginObject()
        writer.key("missing")
        list(missing)
        let ancestors = tree?.possibleAncestors(of: missing) ?? []
        if !ancestors.isEmpty {
            writer.key("possible_ancestors")
            list(ancestors)
        }
        writer.endObject()
    }

    private mutating func list(_ revisions: [Revision]) {
        writer.beginArray()
        for revision in revisions { writer.value(revision) }
        writer.endArray()
    }
}

extension DocumentReader {
    /// The revisions of a document; nil where there is none.
    func tree(of id: String, in scope: DatabaseScope) throws -> RevisionTree? { try document(id, in: scope)?.tree }
}
