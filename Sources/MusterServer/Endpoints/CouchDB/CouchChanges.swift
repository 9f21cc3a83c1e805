import HTTPTypes
import MusterCore
import MusterDocuments
import MusterWire

/// Documents by when they were touched, as `_changes` tells them: read a page at a time, in one of three forms.
struct CouchChanges: PagedAnswer {
    let request: CouchChangesRequest
    let scope: DatabaseScope
    /// Up to here everything was told; nil before the first page.
    private(set) var cursor: MusterCore.Sequence?
    /// What `last_seq` says.
    private(set) var last = MusterCore.Sequence.zero
    /// How many rows were told.
    private(set) var rows = 0
    private(set) var isComplete = false
    private var size = PageSize()

    init(_ request: CouchChangesRequest, in scope: DatabaseScope) {
        self.request = request
        self.scope = scope
    }

    /// Whether as many rows were told as were asked for.
    var isFull: Bool { rows >= request.limit }

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
        Array("\n],\n".utf8) + [UInt8](JSONWriter.object { ending(&$0, pending(reader)) }.dropFirst()) + [0x0A]
    }

    /// The line that ends a continuous feed.
    func lastLine(_ reader: any DocumentReader) throws -> [UInt8] {
        JSONWriter.object { ending(&$0, pending(reader)) } + [0x0A]
    }

    private func pending(_ reader: any DocumentReader) -> Int {
        // Whoever has everything has nothing pending; that is known without counting.
        guard isFull, !request.isDescending, let cursor else { return 0 }
        return (try? reader.pendingChanges(in: scope, since: cursor)) ?? 0
    }

    private func ending(_ writer: inout JSONWriter, _ pending: Int) {
        writer.member("last_seq", last.rawValue)
        writer.member("pending", pending)
    }

    /// Appends the rows of the next page.
    ///
    /// - Returns: whether there is nothing more at this moment.
    mutating func appendRows(to bytes: inout [UInt8], _ reader: any DocumentReader) throws -> Bool {
        let newest = try reader.newest(in: scope)
        if cursor == nil { begin(newest) }
        guard let since = cursor, !isFull else { return true }
        if case .ids(let ids) = request.filter, ids.count <= CouchLimits.pageDocuments, !request.isDescending {
            return try appendRows(of: ids, after: since, newest, to: &bytes, reader)
        }
        if !request.isDescending, since >= newest { return true }
        let limit = request.filter == .none ? min(size.count, request.limit - rows) : size.count
        let documents = try reader.changes(
            in: scope, since: since, isDescending: request.isDescending,
            withBodies: request.includesDocuments || request.filter.needsBody, limit: limit)
        let before = bytes.count
        for document in documents {
            if request.isDescending, document.sequence <= request.floor { return true }
            cursor = request.isDescending ? Sequence(document.sequence.rawValue - 1) : document.sequence
            try append(document, to: &bytes, reader)
            if isFull { return true }
        }
        size.note(documents.count, bytes: bytes.count - before)
        return documents.isEmpty || (!request.isDescending && documents.last.map { $0.sequence >= newest } ?? true)
    }

    private mutating func begin(_ newest: MusterCore.Sequence) {
        cursor = request.isDescending ? newest : request.since ?? newest
        last = request.isDescending ? newest : cursor ?? newest
    }

    /// The few documents that are asked for by id are looked at one by one.
    private mutating func appendRows(
        of ids: Set<String>, after since: MusterCore.Sequence, _ newest: MusterCore.Sequence, to bytes: inout [UInt8],
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
        if !request.isDescending { last = document.sequence }
        guard let winner = document.tree.winner,
            try request.filter.admits(document, winner, in: scope, reader)
        else { return }
        if request.isDescending { last = document.sequence }
        if request.form == .list, rows > 0 { bytes += [0x2C, 0x0A] }
        if request.form == .events { bytes += "data: ".utf8 }
        rows += 1
        var writer = JSONWriter(appendingTo: bytes)
        bytes = []
        try writer.row(document, winner, request, in: scope, reader)
        bytes = writer.takeBytes()
        switch request.form {
        case .list: break
        case .lines: bytes.append(0x0A)
        case .events: bytes += "\nid: \(document.sequence.rawValue)\n\n".utf8
        }
    }
}

extension JSONWriter {
    /// Writes a row of `_changes`.
    fileprivate mutating func row(
        _ document: StoredDocument, _ winner: RevisionTree.Node, _ request: CouchChangesRequest,
        in scope: DatabaseScope, _ reader: any DocumentReader
    ) throws {
        beginObject()
        member("seq", document.sequence.rawValue)
        key("id")
        value(document.id)
        key("changes")
        beginArray()
        for leaf in request.tellsAllLeaves ? document.tree.leaves : [winner] {
            beginObject()
            key("rev")
            value(leaf.revision)
            endObject()
        }
        endArray()
        if winner.isDeleted { member("deleted", true) }
        if request.includesDocuments {
            key("doc")
            try self.winner(of: document, request.view, in: scope, reader)
        }
        endObject()
    }
}

/// What `_changes` is asked. A class, for ten thousand feeds wait with one each, and would hold copies of it.
final class CouchChangesRequest: Sendable {
    /// How the rows are told.
    enum Form: Hashable, Sendable {
        case list, lines, events
    }

    /// When the answer ends.
    enum Feed: String, Sendable {
        case normal, longpoll, continuous, eventsource
    }

    let feed: Feed
    /// After which number; nil: after the newest.
    let since: MusterCore.Sequence?
    let limit: Int
    let isDescending: Bool
    let tellsAllLeaves: Bool
    let includesDocuments: Bool
    let view: CouchView
    let filter: CouchFilter
    /// Seconds between heartbeats; nil: none.
    let heartbeatSeconds: Double?
    /// Seconds after which a feed in which nothing happens ends; nil: never.
    let timeoutSeconds: Double?

    /// How long a feed without heartbeats waits unless told otherwise.
    static let longestSeconds: Double = 60

    /// How the rows of this feed are told.
    var form: Form {
        switch feed {
        case .normal, .longpoll: .list
        case .continuous: .lines
        case .eventsource: .events
        }
    }

    /// What descending rows end before.
    var floor: MusterCore.Sequence { since ?? .zero }

    init(_ query: CouchQuery, body: JSONValue, lastEventID: String?) throws {
        feed = try Self.feed(query.text("feed"))
        since = try Self.sequence(lastEventID ?? query.text("since", "last-event-id") ?? "0")
        // A limit of nothing is one, as CouchDB has it.
        limit = max(1, try query.count("limit") ?? Int.max)
        isDescending = try query.flag("descending")
        tellsAllLeaves = query.text("style") == "all_docs"
        includesDocuments = try query.flag("include_docs")
        var view = CouchView()
        view.conflicts = try query.flag("conflicts")
        view.attachments = try query.flag("attachments")
        self.view = view
        filter = try CouchFilter(query, body: body)
        heartbeatSeconds = try Self.heartbeat(query)
        let timeout = try query.count("timeout").map { min(10 * Self.longestSeconds, Double($0) / 1000) }
        timeoutSeconds = heartbeatSeconds == nil ? timeout ?? Self.longestSeconds : nil
    }

    private static func feed(_ text: String?) throws -> Feed {
        guard let text else { return .normal }
        guard let feed = Feed(rawValue: text == "live" ? "continuous" : text) else {
            throw CouchFault.badRequest("Supported `feed` types: normal, continuous, live, longpoll, eventsource")
        }
        return feed
    }

    private static func heartbeat(_ query: CouchQuery) throws -> Double? {
        if query.text("heartbeat") == "true" { return longestSeconds }
        guard let milliseconds = try query.count("heartbeat") else { return nil }
        guard milliseconds > 0 else { throw CouchFault.badRequest("`heartbeat` must be positive.") }
        return min(longestSeconds, max(DocumentFeeds.tickSeconds, Double(milliseconds) / 1000))
    }

    /// A number of the log: as we write it, in quotes, or as a CouchDB writes it, with more behind a dash.
    static func sequence(_ text: String) throws(CouchFault) -> MusterCore.Sequence? {
        let text = text.filter { $0 != "\"" }
        if text == "now" { return nil }
        let digits = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
        guard let number = Int64(digits), (0...Query.largestSequence).contains(number) else {
            throw .badRequest("Malformed sequence supplied in 'since' parameter.")
        }
        return Sequence(number)
    }
}

/// Which documents `_changes` tells of.
enum CouchFilter: Hashable, Sendable {
    case none
    /// Those of these ids.
    case ids(Set<String>)
    /// Design documents.
    case designs
    /// Those that a selector wants.
    case selector(Selector)

    /// - Throws: `CouchFault` for a filter that would have to run.
    init(_ query: CouchQuery, body: JSONValue) throws {
        switch query.text("filter") {
        case nil:
            // Without a filter's name a list of ids is one all the same, as older clients send it.
            self = .none
        case "_doc_ids":
            guard let list = try body["doc_ids"] ?? query.json("doc_ids"), let ids = list.elements,
                ids.count <= CouchLimits.names
            else { throw CouchFault.badRequest("`doc_ids` filter parameter is not a list of doc ids.") }
            self = .ids(Set(ids.compactMap(\.string)))
        case "_design": self = .designs
        case "_selector":
            guard let selector = body["selector"] else {
                throw CouchFault.badRequest("Selector must be specified in POST payload")
            }
            do throws(SelectorFault) {
                self = .selector(try Selector(selector))
            } catch {
                throw CouchFault(.badRequest, error.word, error.reason)
            }
        case _?: throw CouchFault.notImplemented("Filter functions")
        }
    }

    /// Whether it asks what documents say.
    var needsBody: Bool { if case .selector = self { true } else { false } }

    /// Whether a document is told of.
    func admits(
        _ document: StoredDocument, _ winner: RevisionTree.Node, in scope: DatabaseScope, _ reader: any DocumentReader
    ) throws -> Bool {
        switch self {
        case .none: return true
        case .ids(let ids): return ids.contains(document.id)
        case .designs: return document.id.hasPrefix(DocumentID.designPrefix)
        case .selector(let selector):
            guard let body = try document.body ?? reader.body(of: winner.revision, of: document.id, in: scope) else {
                return false
            }
            return selector.matches(
                id: document.id, revision: winner.revision.text, isDeleted: winner.isDeleted, json: body.json)
        }
    }
}
