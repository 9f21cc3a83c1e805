import HTTPTypes
import MusterCore
import MusterDocuments
import MusterWire

/// The documents in the order of their changes, as `_changes` returns them. They are read a page at a time, and written
/// in one of three formats.
struct CouchChanges: PagedAnswer {
    let request: CouchChangesRequest
    let scope: DatabaseScope
    /// The sequence up to which all rows were sent; nil before the first page.
    private(set) var cursor: MusterCore.LogSequence?
    /// The value of `last_seq`.
    private(set) var last = MusterCore.LogSequence.zero
    /// The number of rows sent so far.
    private(set) var rows = 0
    private(set) var isComplete = false
    private var size = PageSize()

    init(_ request: CouchChangesRequest, in scope: DatabaseScope) {
        self.request = request
        self.scope = scope
    }

    /// Returns the next bytes of the response to `feed=normal`.
    mutating func next(_ reader: any DocumentReader) throws -> [UInt8] {
        var bytes = cursor == nil ? Self.head : []
        let isExhausted = try appendRows(to: &bytes, reader)
        isComplete = isExhausted || isFull
        if isComplete { bytes += try tail(reader) }
        return bytes
    }

    /// The bytes before the rows of a list.
    static let head = Array("{\"results\":[\n".utf8)

    /// Returns the bytes after the rows of a list.
    func tail(_ reader: any DocumentReader) throws -> [UInt8] {
        let pending = try pending(reader)
        return Array("\n],\n".utf8) + [UInt8](JSONWriter.object { ending(&$0, pending) }.dropFirst()) + [0x0A]
    }

    /// Returns the last line of a continuous feed.
    func lastLine(_ reader: any DocumentReader) throws -> [UInt8] {
        let pending = try pending(reader)
        return JSONWriter.object { ending(&$0, pending) } + [0x0A]
    }

    /// Counts the changes after the rows that were sent. The count is exact, because a replication ends when it is
    /// zero.
    private func pending(_ reader: any DocumentReader) throws -> Int {
        // A feed that is not full has sent every change, so nothing needs to be counted.
        guard isFull, !request.terms.isDescending, let cursor else { return 0 }
        return try reader.pendingChanges(in: scope, since: cursor)
    }

    private func ending(_ writer: inout JSONWriter, _ pending: Int) {
        writer.member("last_seq", "\(last.rawValue)")
        writer.member("pending", pending)
    }

    /// Appends the rows of the next page.
    ///
    /// - Returns: whether there are no more rows for now.
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
        size.adjust(documents.count, bytes: bytes.count - before)
        guard let last = documents.last else { return true }
        return !request.terms.isDescending && last.sequence >= newest
    }

    private mutating func begin(_ newest: MusterCore.LogSequence) {
        cursor = request.terms.isDescending ? newest : request.terms.since ?? newest
        last = request.terms.isDescending ? newest : cursor ?? newest
    }

    /// Appends the rows of a few documents, which are looked up one by one.
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

/// The parameters of `_changes`. It is a class, so that each of ten thousand waiting feeds holds one instance and not
/// several copies.
final class CouchChangesRequest: Sendable {
    let terms: FeedTerms
    let tellsAllLeaves: Bool
    let includesDocuments: Bool
    let view: DocumentReadOptions
    let filter: CouchFilter

    init(_ query: CouchQuery, body: JSONValue, lastEventID: String?) throws {
        terms = try FeedTerms(query, lastEventID: lastEventID)
        tellsAllLeaves = query.text("style") == "all_docs"
        includesDocuments = try query.flag("include_docs")
        var view = DocumentReadOptions()
        view.conflicts = try query.flag("conflicts")
        view.attachments = try query.flag("attachments")
        self.view = view
        filter = try CouchFilter(query, body: body)
    }
}

/// Selects the documents that `_changes` returns.
enum CouchFilter: Hashable, Sendable {
    case none
    /// Documents with these ids.
    case ids(Set<String>)
    /// Design documents.
    case designs
    /// Documents that match the selector, with the selected fields of each.
    case selector(Selector, Projection)

    /// - Throws: `CouchError` for invalid parameters, and for a filter that is a program; `CouchFilterProgram` refuses
    ///   those more precisely.
    init(_ query: CouchQuery, body: JSONValue) throws {
        switch query.text("filter") {
        case nil:
            // A list of ids has no effect without `filter=_doc_ids`.
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

    /// The fields that are returned of each document; nil for all.
    var projection: Projection? {
        if case .selector(_, let projection) = self, projection != .whole { projection } else { nil }
    }

    /// Whether the filter reads the bodies of documents.
    var needsBody: Bool { if case .selector = self { true } else { false } }

    /// Returns those leaves of a document that pass the filter.
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
