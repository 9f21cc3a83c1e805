import Hummingbird
import MusterCore
import MusterDocuments
import MusterServer
import MusterWire

/// The routes `_revs_diff` and `_missing_revs`: which revisions the database lacks.
struct CouchRevisionRoutes: CouchRoutes {
    func register(in routes: inout CouchRouteTable) {
        let json = ["application/json"]
        routes.add(
            .post, "/{db}/_revs_diff", "List the revisions that the database lacks, with possible ancestors.",
            body: json
        ) { try await Self.compareRevisions($0, .difference) }
        routes.add(.post, "/{db}/_missing_revs", "List the revisions that the database lacks.", body: json) {
            try await Self.compareRevisions($0, .missing)
        }
    }

    private static func compareRevisions(_ call: CouchCall, _ form: CouchComparison.Form) async throws -> Response {
        let database = try call.readable()
        guard let scope = database.scope else { throw CouchError.forbidden("Users are not replicated.") }
        let body = try await call.json(limit: CouchLimits.bulkBytes)
        let asked = try body.withUnsafeReadableBytes {
            try CouchRevisions.list(parsing: $0, limit: CouchLimits.names)
        }
        return try await call.send(CouchComparison(asked, form, in: scope))
    }
}

/// The response to `_revs_diff` and `_missing_revs`.
struct CouchComparison: PagedAnswer {
    /// The two forms of the response.
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
        let wanted = page.map { WantedRevisions(id: $0.id, revisions: $0.revisions) }
        for (item, found) in zip(page, try reader.missing(wanted, in: scope)) { write(item.id, found) }
        position += page.count
        isComplete = position == asked.count
        if isComplete {
            if form == .missing { writer.endObject() }
            writer.endObject()
        }
        return writer.takeBytes()
    }

    private mutating func write(_ id: String, _ found: MissingRevisions) {
        guard !found.missing.isEmpty else { return }
        writer.key(id)
        guard form == .difference else { return list(found.missing) }
        writer.beginObject()
        writer.key("missing")
        list(found.missing)
        if !found.possibleAncestors.isEmpty {
            writer.key("possible_ancestors")
            list(found.possibleAncestors)
        }
        writer.endObject()
    }

    private mutating func list(_ revisions: [Revision]) {
        writer.beginArray()
        for revision in revisions { writer.value(revision) }
        writer.endArray()
    }
}
