import MusterCore
import MusterDocuments
import MusterWire

/// What `_all_docs` is asked.
struct CouchListing: Sendable {
    var range = DocumentRange(limit: 0)
    var skip = 0
    var limit = Int.max
    var includesDocuments = false
    var view = CouchView()
    var tellsSequence = false
    /// Documents by id, in this order; nil: all, by range.
    var keys: [String]?
    /// Whether the range is empty, whatever there is.
    var isEmpty = false

    /// - Parameter body: what `POST` sent; an empty object for `GET`. What the query says too, it does not say.
    init(_ query: CouchQuery, body: JSONValue) throws {
        guard body.members != nil else { throw CouchFault.badRequest("Request body must be a JSON object") }
        let source = Source(query: query, body: body)
        skip = try source.count("skip") ?? 0
        limit = try source.count("limit") ?? Int.max
        includesDocuments = try source.flag("include_docs")
        view.conflicts = try source.flag("conflicts")
        view.attachments = try source.flag("attachments")
        tellsSequence = try source.flag("update_seq")
        range.isDescending = try source.flag("descending")
        let inclusiveEnd = try source.flag("inclusive_end", otherwise: true)
        if let keys = try source.value("keys") {
            guard let elements = keys.elements, elements.count <= CouchLimits.names else {
                throw CouchFault.badRequest("`keys` must be an array of at most \(CouchLimits.names)")
            }
            self.keys = try elements.map { element in
                guard let key = element.string else { throw CouchFault.badRequest("`keys` must be texts: ids.") }
                return key
            }
        }
        if let key = try source.value("key") {
            isEmpty = key.string == nil
            set(start: key.string ?? "")
            set(end: key.string ?? "", isIncluded: true)
        }
        if let start = try source.value("startkey") ?? source.value("start_key") {
            switch start.place {
            case .within(let text): set(start: text)
            case .before: isEmpty = isEmpty || range.isDescending
            case .behind: isEmpty = isEmpty || !range.isDescending
            }
        }
        if let end = try source.value("endkey") ?? source.value("end_key") {
            switch end.place {
            case .within(let text): set(end: text, isIncluded: inclusiveEnd)
            case .before: isEmpty = isEmpty || !range.isDescending
            case .behind: isEmpty = isEmpty || range.isDescending
            }
        }
    }

    /// Leaves only design documents.
    mutating func keepDesigns() {
        let lower = "_design/"
        let upper = "_design0"
        if range.lower.map({ $0.utf8.lexicographicallyPrecedes(lower.utf8) }) ?? true { range.lower = lower }
        if range.upper.map({ upper.utf8.lexicographicallyPrecedes($0.utf8) }) ?? true {
            range.upper = upper
            range.includesUpper = false
        }
        keys?.removeAll { !$0.hasPrefix(lower) }
    }

    private mutating func set(start: String) {
        if range.isDescending { range.upper = start } else { range.lower = start }
    }

    private mutating func set(end: String, isIncluded: Bool) {
        if range.isDescending {
            range.lower = end
            range.includesLower = isIncluded
        } else {
            range.upper = end
            range.includesUpper = isIncluded
        }
    }

    /// What the query says, and for what it does not say the body's members.
    private struct Source {
        let query: CouchQuery
        let body: JSONValue

        func value(_ name: String) throws -> JSONValue? { try query.json(name) ?? body[name] }

        func flag(_ name: String, otherwise value: Bool = false) throws -> Bool {
            guard query.text(name) == nil, let said = body[name] else { return try query.flag(name, otherwise: value) }
            guard let flag = said.boolean else {
                throw CouchFault.query("Invalid value for boolean parameter: \(name)")
            }
            return flag
        }

        func count(_ name: String) throws -> Int? {
            guard query.text(name) == nil, let said = body[name] else { return try query.count(name) }
            guard let number = said.integer, (0...Query.largestSequence).contains(number) else {
                throw CouchFault.query("Invalid value for integer parameter: \(name)")
            }
            return Int(number)
        }
    }
}

extension JSONValue {
    /// Where a key stands among ids, which are texts, in CouchDB's order: null, booleans, numbers, texts, lists,
    /// objects.
    fileprivate enum Place {
        case before
        case within(String)
        case behind
    }

    fileprivate var place: Place {
        switch self {
        case .null, .boolean, .integer, .number: .before
        case .string(let text): .within(text)
        case .array, .object: .behind
        }
    }
}

/// The answer to `_all_docs`.
struct CouchList: PagedAnswer {
    private var listing: CouchListing
    private let scope: DatabaseScope
    private var size = PageSize()
    private var position = 0
    private var isBegun = false
    private var writer = JSONWriter()
    private(set) var isComplete = false

    init(_ listing: CouchListing, in scope: DatabaseScope) {
        self.listing = listing
        self.scope = scope
    }

    mutating func next(_ reader: any DocumentReader) throws -> [UInt8] {
        if !isBegun {
            isBegun = true
            try begin(reader)
        }
        let count: Int
        if let keys = listing.keys {
            count = try byKeys(keys, reader)
        } else if listing.isEmpty || listing.limit == 0 {
            count = 0
            isComplete = true
        } else {
            count = try byRange(reader)
        }
        if isComplete {
            writer.endArray()
            writer.endObject()
        }
        let bytes = writer.takeBytes()
        size.note(count, bytes: bytes.count)
        return bytes
    }

    private mutating func begin(_ reader: any DocumentReader) throws {
        writer.beginObject()
        writer.member("total_rows", try reader.counts(in: scope).living)
        writer.key("offset")
        // How many stand before a key nobody counts.
        let isFromStart = listing.range.isDescending ? listing.range.upper == nil : listing.range.lower == nil
        if isFromStart, listing.keys == nil { writer.value(listing.skip) } else { writer.null() }
        if listing.tellsSequence { writer.member("update_seq", try reader.newest(in: scope).rawValue) }
        writer.key("rows")
        writer.beginArray()
        if let keys = listing.keys {
            listing.keys = Array(
                (listing.range.isDescending ? keys.reversed() : keys).dropFirst(listing.skip).prefix(listing.limit))
        }
    }

    private mutating func byRange(_ reader: any DocumentReader) throws -> Int {
        // What is skipped is not worth its bodies.
        let isSkipping = listing.skip > 0
        listing.range.withBodies = listing.includesDocuments && !isSkipping
        listing.range.limit =
            isSkipping ? min(listing.skip, 10 * CouchLimits.pageDocuments) : min(size.count, listing.limit)
        let documents = try reader.documents(in: scope, listing.range)
        if let last = documents.last { listing.range.advance(past: last.id) }
        isComplete = documents.count < listing.range.limit
        if isSkipping {
            listing.skip -= documents.count
            return 0
        }
        for document in documents { try row(document, reader) }
        listing.limit -= documents.count
        if listing.limit == 0 { isComplete = true }
        return documents.count
    }

    private mutating func byKeys(_ keys: [String], _ reader: any DocumentReader) throws -> Int {
        let page = keys[position..<min(position + size.count, keys.count)]
        for key in page {
            guard let document = try reader.document(key, in: scope) else {
                writer.beginObject()
                writer.member("key", key)
                writer.member("error", "not_found")
                writer.endObject()
                continue
            }
            try row(document, reader)
        }
        position += page.count
        isComplete = position == keys.count
        return page.count
    }

    private mutating func row(_ document: StoredDocument, _ reader: any DocumentReader) throws {
        guard let winner = document.tree.winner else { return }
        writer.beginObject()
        writer.member("id", document.id)
        writer.member("key", document.id)
        writer.key("value")
        writer.beginObject()
        writer.key("rev")
        writer.value(winner.revision)
        if winner.isDeleted { writer.member("deleted", true) }
        writer.endObject()
        if listing.includesDocuments {
            writer.key("doc")
            if winner.isDeleted {
                writer.null()
            } else {
                try writer.winner(of: document, listing.view, in: scope, reader)
            }
        }
        writer.endObject()
    }
}

extension JSONWriter {
    /// Writes what a document's winner says; null where that was forgotten.
    mutating func winner(
        of document: StoredDocument, _ view: CouchView, in scope: DatabaseScope, _ reader: any DocumentReader
    ) throws {
        guard let node = document.tree.winner,
            let body = try document.body ?? reader.body(of: node.revision, of: document.id, in: scope)
        else { return null() }
        let found = FoundRevision(document: document, node: node, body: body, scope: scope)
        if view.attachments, !body.attachments.isEmpty {
            raw(try found.text(view, reader))
        } else {
            try self.document(found.rendering(view) { _ in true })
        }
    }
}
