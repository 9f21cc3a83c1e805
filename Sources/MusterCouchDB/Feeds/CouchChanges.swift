import HTTPTypes
import MusterCore
import MusterDocuments
import MusterServer
import MusterWire

/// Documents by when they were touched, as `_changes` tells them: read a page at a time, in one of three forms.
struct CouchChanges: PagedAnswer {
    let request: CouchChangesRequest
    let scope: DatabaseScope
    /// Up to here everything was told; nil before the first page.
    private(set) var cursor: MusterCore.LogSequence?
    /// What `last_seq` says.
    private(set) var last = MusterCore.LogSequence.zero
    /// How many rows were told.
    private(set) var rows = 0
    private(set) var isComplete = false
    private var size = PageSize()

    init(_ request: CouchChangesRequest, in scope: DatabaseScope) {
        self.request = request
        self.scope = scope
    }

    /// The next bytes of the whole answer that `feed=normal` gives.
    mutating func next(_ reader: any DocumentReader) throws -> [UInt8] {
        var bytes = cursor == nil ? Self.head : []
        let isExhausted = try appendRows(to: &bytes, reader)
        isComplete = isExhausted || isFull
        if isComplete { bytes += try tail(reader) }
        return bytes
    }

    /// What stands before the rows of a list.
    static let head = Array("{\"results\":[\n".utf8)

    /// What stands behind the rows of a list.
    func tail(_ reader: any DocumentReader) throws -> [UInt8] {
        let pending = try pending(reader)
        return Array("\n],\n".utf8) + [UInt8](JSONWriter.object { ending(&$0, pending) }.dropFirst()) + [0x0A]
    }

    /// The line that ends a continuous feed.
    func lastLine(_ reader: any DocumentReader) throws -> [UInt8] {
        let pending = try pending(reader)
        return JSONWriter.object { ending(&$0, pending) } + [0x0A]
    }

    /// How much is behind what was told. A replication ends where that is nothing, so it is never guessed.
    private func pending(_ reader: any DocumentReader) throws -> Int {
        // Whoever has everything has nothing pending; that is known without counting.
        guard isFull, !request.terms.isDescending, let cursor else { return 0 }
        return try reader.pendingChanges(in: scope, since: cursor)
    }

    private func ending(_ writer: inout JSONWriter, _ pending: Int) {
        writer.member("last_seq", "\(last.rawValue)")
        writer.member("pending", pending)
    }

    /// Appends the rows of the next page.
    ///
    /// - Returns: whether there is nothing more at this moment.
    mutating func appendRows(to bytes: inout [UInt8], _ reader: any DocumentReader) throws -> Bool {
        let newest = try reader.newest(in: scope)
        if cursor == nil { begin(newest) }
        guard let since = cursor, !isFull else { return true }
        if case .ids(let ids) = request.filter, ids.count <= CouchLimits.pageDocuments, !request.terms.isDescending {
            return try appendRows(of: ids, after: since, newest, to: &bytes, reader)
        }
        if !request.terms.isDescending, since >= newest { return true }
        let limit = request.filter == .none ? min(size.count, request.terms.limit - rows) : size.count
        let documents = try reader.changes(
            in: scope, since: since, isDescending: request.terms.isDescending,
            withBodies: request.includesDocuments || request.filter.needsBody, limit: limit)
        let before = bytes.count
        for document in documents {
            if request.terms.isDescending, document.sequence <= request.terms.floor { return true }
            cursor = request.terms.isDescending ? LogSequence(document.sequence.rawValue - 1) : document.sequence
            try append(document, to: &bytes, reader)
            if isFull { return true }
        }
        size.note(documents.count, bytes: bytes.count - before)
        guard let last = documents.last else { return true }
        return !request.terms.isDescending && last.sequence >= newest
    }

    private mutating func begin(_ newest: MusterCore.LogSequence) {
        cursor = request.terms.isDescending ? newest : request.terms.since ?? newest
        last = request.terms.isDescending ? newest : cursor ?? newest
    }

    /// The few documents that are asked for by id are looked at one by one.
    private mutating func appendRows(
        of ids: Set<String>, after since: MusterCore.LogSequence, _ newest: MusterCore.LogSequence,
        to bytes: inout [UInt8],
        _ reader: any DocumentReader
    ) throws -> Bool {
        let touched = try ids.compactMap { try reader.document($0, in: scope) }.filter { $0.sequence > since }
        for document in touched.sorted(by: { $0.sequence < $1.sequence }) {
            cursor = document.sequence
            try append(document, to: &bytes, reader)
            if isFull { return true }
        }
        cursor = max(since, newest)
        last = max(last, newest)
        return true
    }

    private mutating func append(
        _ document: StoredDocument, to bytes: inout [UInt8], _ reader: any DocumentReader
    ) throws {
        if !request.terms.isDescending { last = document.sequence }
        guard let winner = document.tree.winner else { return }
        let leaves = try request.filter.admitted(
            request.tellsAllLeaves ? document.tree.leaves : [winner], document, in: scope, reader)
        guard !leaves.isEmpty else { return }
        if request.terms.isDescending { last = document.sequence }
        if request.terms.form == .list, rows > 0 { bytes += [0x2C, 0x0A] }
        if request.terms.form == .events { bytes += "data: ".utf8 }
        rows += 1
        var writer = JSONWriter(appendingTo: bytes)
        bytes = []
        try writer.row(document, leaves, winner, request, in: scope, reader)
        bytes = writer.takeBytes()
        switch request.terms.form {
        case .list: break
        case .lines: bytes.append(0x0A)
        case .events: bytes += "\nid: \(document.sequence.rawValue)\n\n".utf8
        }
    }
}

extension JSONWriter {
    /// Writes a row of `_changes`.
    fileprivate mutating func row(
        _ document: StoredDocument, _ leaves: [RevisionTree.Node], _ winner: RevisionTree.Node,
        _ request: CouchChangesRequest, in scope: DatabaseScope, _ reader: any DocumentReader
    ) throws {
        beginObject()
        member("seq", "\(document.sequence.rawValue)")
        key("id")
        value(document.id)
        key("changes")
        beginArray()
        for leaf in leaves {
            beginObject()
            key("rev")
            value(leaf.revision)
            endObject()
        }
        endArray()
        if winner.isDeleted { member("deleted", true) }
        if request.includesDocuments {
            key("doc")
            if let projection = request.filter.projection {
                var whole = JSONWriter()
                try whole.winner(of: document, request.view, in: scope, reader)
                value(projection.of(try JSONValue(parsing: whole.bytes, depthLimit: 64, valueLimit: .max)))
            } else {
                try self.winner(of: document, request.view, in: scope, reader)
            }
        }
        endObject()
    }
}

/// What `_changes` is asked. A class, for ten thousand feeds wait with one each, and would hold copies of it.
final class CouchChangesRequest: Sendable {
    let terms: FeedTerms
    let tellsAllLeaves: Bool
    let includesDocuments: Bool
    let view: CouchView
    let filter: CouchFilter

    init(_ query: CouchQuery, body: JSONValue, lastEventID: String?) throws {
        terms = try FeedTerms(query, lastEventID: lastEventID)
        tellsAllLeaves = query.text("style") == "all_docs"
        includesDocuments = try query.flag("include_docs")
        var view = CouchView()
        view.conflicts = try query.flag("conflicts")
        view.attachments = try query.flag("attachments")
        self.view = view
        filter = try CouchFilter(query, body: body)
    }
}

/// Which documents `_changes` tells of.
enum CouchFilter: Hashable, Sendable {
    case none
    /// Those of these ids.
    case ids(Set<String>)
    /// Design documents.
    case designs
    /// Those that a selector wants, and of them some fields.
    case selector(Selector, Projection)

    /// - Throws: `CouchError` for a filter that would have to run; see `CouchFilterProgram`.
    init(_ query: CouchQuery, body: JSONValue) throws {
        switch query.text("filter") {
        case nil:
            // Without a filter's name a list of ids is one all the same, as older clients send it.
            self = .none
        case "_doc_ids":
            guard let list = try body["doc_ids"] ?? query.json("doc_ids"), let ids = list.elements,
                ids.count <= CouchLimits.names
            else { throw CouchError.badRequest("`doc_ids` filter parameter is not a list of doc ids.") }
            self = .ids(Set(ids.compactMap(\.string)))
        case "_design": self = .designs
        case "_selector":
            guard let selector = body["selector"] else {
                throw CouchError.badRequest("Selector must be specified in POST payload")
            }
            self = try Self.reading(selector, fields: body["fields"])
        case _?: throw CouchError.notImplemented("Filter functions")
        }
    }

    private static func reading(_ selector: JSONValue, fields: JSONValue?) throws(CouchError) -> CouchFilter {
        let read: Selector
        do throws(SelectorError) {
            read = try Selector(selector)
        } catch {
            throw .badRequest(error == .noObject ? "Selector error: expected a JSON object" : error.reason)
        }
        guard let fields else { return .selector(read, .whole) }
        guard fields.elements != nil else { throw .badRequest("Selector error: fields must be JSON array") }
        do throws(MangoError) {
            return .selector(read, try Projection(fields))
        } catch {
            throw .badRequest(error.reason)
        }
    }

    /// Which fields it tells; nil for all.
    var projection: Projection? {
        if case .selector(_, let projection) = self, projection != .whole { projection } else { nil }
    }

    /// Whether it asks what documents say.
    var needsBody: Bool { if case .selector = self { true } else { false } }

    /// Which leaves of a document are told of.
    func admitted(
        _ leaves: [RevisionTree.Node], _ document: StoredDocument, in scope: DatabaseScope,
        _ reader: any DocumentReader
    ) throws -> [RevisionTree.Node] {
        switch self {
        case .none: leaves
        case .ids(let ids): ids.contains(document.id) ? leaves : []
        case .designs: document.id.hasPrefix(DocumentID.designPrefix) ? leaves : []
        case .selector(let selector, _):
            try leaves.filter { leaf in
                let known = leaf.revision == document.tree.winner?.revision ? document.body : nil
                guard let body = try known ?? reader.body(of: leaf.revision, of: document.id, in: scope) else {
                    return false
                }
                return selector.matches(
                    id: document.id, revision: leaf.revision.text, isDeleted: leaf.isDeleted, body: body)
            }
        }
    }
}
