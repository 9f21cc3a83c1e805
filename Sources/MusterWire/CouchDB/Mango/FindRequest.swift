/// The body of `POST _find`.
package struct FindRequest: Hashable, Sendable {
    /// The documents to find.
    package var selector: Selector
    /// The selector as the client sent it, for `_explain`.
    package var selectorValue: JSONValue
    /// The fields to return.
    package var projection = Projection.whole
    /// The order of the results; nil if the server may choose the fastest.
    package var sort: SortOrder?
    /// The most documents on a page.
    package var limit = Self.defaultLimit
    /// The number of documents to skip first.
    package var skip = 0
    /// The end of the previous page; nil for the first page.
    package var bookmark: String?
    /// The partition to search; nil for the whole database.
    package var partition: String?
    /// The index to use: the name of its design document, and perhaps its own. Empty for no choice.
    package var index: [String] = []
    /// Whether the server may use another index, or none, if the named one does not fit.
    package var allowsFallback = true
    /// Whether the response reports what the query cost.
    package var wantsStatistics = false
    /// Whether the client asks for more than one replica (`r`). Then the statistics count the documents as read by a
    /// quorum.
    package var wantsQuorum = false
    /// Whether each document lists its conflicting revisions.
    package var wantsConflicts = false

    /// The page size if the request names none.
    package static let defaultLimit = 25
    /// The largest page size. A request for more gets a page of this size, and a bookmark.
    package static let largestLimit = 10_000
    /// The largest number of documents to skip.
    package static let largestSkip = 1_000_000
    /// The members that a request may have. `r`, `stale`, `update` and `stable` concern clusters of several nodes, and
    /// do not change the results.
    private static let keys: Set<String> = [
        "selector", "use_index", "bookmark", "limit", "skip", "sort", "fields", "partition", "r", "conflicts", "stale",
        "update", "stable", "execution_stats", "allow_fallback",
    ]

    /// Reads the body of `POST _find`.
    ///
    /// - Throws: `MangoError`.
    package init(_ request: JSONValue) throws(MangoError) {
        guard request.kind == .object else { throw MangoError("bad_request", "Request body must be a JSON object") }
        guard let value = request["selector"] else {
            throw MangoError("missing_required_key", "Missing required key: selector")
        }
        do throws(SelectorError) {
            selector = try Selector(value)
        } catch {
            throw MangoError(error)
        }
        selectorValue = value
        if let value = request["fields"] { projection = try Projection(value) }
        if let value = request["sort"], value != .array([]) { sort = try SortOrder(value) }
        limit = min(try request.count("limit") ?? Self.defaultLimit, Self.largestLimit)
        skip = try request.count("skip") ?? 0
        guard skip <= Self.largestSkip else {
            throw MangoError("invalid_skip", "At most \(Self.largestSkip) documents can be skipped")
        }
        bookmark = try Self.bookmark(request["bookmark"])
        index = try Self.index(request["use_index"])
        wantsStatistics = try request.flag("execution_stats") ?? false
        wantsConflicts = try request.flag("conflicts") ?? false
        wantsQuorum = request["r"]?.integer ?? 1 > 1
        allowsFallback = try request.flag("allow_fallback") ?? true
        partition = try request.text("partition").flatMap { $0.isEmpty ? nil : $0 }
        try Self.readForNodes(request)
        try request.requireKeys(of: Self.keys)
    }

    /// Validates the members that concern clusters, although they have no effect.
    private static func readForNodes(_ request: JSONValue) throws(MangoError) {
        try request.requirePositive("r")
        _ = try request.flag("update")
        _ = try request.flag("stable")
        if let stale = request["stale"], ![.string("ok"), .string("false"), .boolean(false)].contains(stale) {
            throw MangoError("invalid_ok_or_false_value", "stale is \"ok\" or false, not: \(stale.text)")
        }
    }

    private static func bookmark(_ value: JSONValue?) throws(MangoError) -> String? {
        switch value {
        case nil, .null: return nil
        case .string(let text): return text.isEmpty || text == "nil" ? nil : text
        case let value?: throw MangoError("invalid_bookmark", "Invalid bookmark value: \(value.text)")
        }
    }

    /// Reads the index to use: the name of a design document, or an array or a path `design/name` with the index's name
    /// too.
    private static func index(_ value: JSONValue?) throws(MangoError) -> [String] {
        var parts: [String]
        switch value {
        case nil, .null: parts = []
        case .string(let text):
            parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            if parts.count > 1, parts[0] == "_design" { parts.removeFirst() }
            if parts == [""] { parts = [] }
        case .array(let elements) where elements.allSatisfy({ $0.string != nil }): parts = elements.compactMap(\.string)
        case let value?: throw MangoError("invalid_index_name", "Invalid index name: \(value.text)")
        }
        guard parts.count <= 2 else {
            throw MangoError("invalid_index_name", "Invalid index name: \(value?.text ?? "")")
        }
        if let first = parts.first, first.hasPrefix("_design/") { parts[0] = String(first.dropFirst("_design/".count)) }
        return parts
    }
}
