import MusterDocuments
import MusterServer
import MusterWire

/// The parameters of `_all_docs`, `_design_docs` and `_local_docs`.
struct CouchListing: Sendable {
    var range = DocumentRange(limit: 0)
    var skip = 0
    var limit = Int.max
    var includesDocuments = false
    var view = DocumentReadOptions()
    var tellsSequence = false
    /// The ids to look up, in this order; nil for the range.
    var keys: [String]?
    /// Whether the range contains nothing, whatever the database contains.
    var isEmpty = false

    /// Lists all documents.
    init() {}

    /// - Parameter body: the body of a `POST`; an empty object for `GET`. A parameter in the query overrides the
    ///   body's.
    init(_ query: CouchQuery, body: JSONValue) throws {
        guard body.members != nil else { throw CouchError.badRequest("Request body must be a JSON object") }
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
                throw CouchError.badRequest("`keys` must be an array of at most \(CouchLimits.names)")
            }
            self.keys = try elements.map { element in
                guard let key = element.string else { throw CouchError.badRequest("`keys` must be texts: ids.") }
                return key
            }
        }
        if let key = try source.value("key") {
            try requireNoKeys()
            isEmpty = key.string == nil
            set(start: key.string ?? "")
            set(end: key.string ?? "", isIncluded: true)
        }
        if let start = try source.value("startkey") ?? source.value("start_key") {
            try requireNoKeys()
            switch start.keyPosition {
            case .within(let text): set(start: text)
            case .before: isEmpty = isEmpty || range.isDescending
            case .behind: isEmpty = isEmpty || !range.isDescending
            }
        }
        if let end = try source.value("endkey") ?? source.value("end_key") {
            try requireNoKeys()
            switch end.keyPosition {
            case .within(let text): set(end: text, isIncluded: inclusiveEnd)
            case .before: isEmpty = isEmpty || !range.isDescending
            case .behind: isEmpty = isEmpty || range.isDescending
            }
        }
    }

    /// - Throws: `CouchError` if the client names both ids and a range.
    private func requireNoKeys() throws(CouchError) {
        guard keys?.isEmpty == false else { return }
        throw .query("`keys` is incompatible with `key`, `start_key` and `end_key`")
    }

    /// Restricts the listing to design documents.
    mutating func keepDesigns() {
        let lower = DocumentID.designPrefix
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

    /// The parameters: those in the query, and otherwise the members of the body.
    private struct Source {
        let query: CouchQuery
        let body: JSONValue

        func value(_ name: String) throws -> JSONValue? { try query.json(name) ?? body[name] }

        func flag(_ name: String, otherwise value: Bool = false) throws -> Bool {
            guard query.text(name) == nil, let said = body[name] else { return try query.flag(name, otherwise: value) }
            guard let flag = said.boolean else {
                throw CouchError.query("Invalid value for boolean parameter: \(name)")
            }
            return flag
        }

        func count(_ name: String) throws -> Int? {
            guard query.text(name) == nil, let said = body[name] else { return try query.count(name) }
            guard let number = said.integer, (0...Query.largestSequence).contains(number) else {
                throw CouchError.query("Invalid value for integer parameter: \(name)")
            }
            return Int(number)
        }
    }
}

extension JSONValue {
    /// The position of a key among ids, which are strings, in CouchDB's order: null, booleans, numbers, strings,
    /// arrays, objects.
    fileprivate enum KeyPosition {
        case before
        case within(String)
        case behind
    }

    fileprivate var keyPosition: KeyPosition {
        switch self {
        case .null, .boolean, .integer, .number: .before
        case .string(let text): .within(text)
        case .array, .object: .behind
        }
    }
}
