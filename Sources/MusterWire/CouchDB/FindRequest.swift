/// What `_find` is asked.
package struct FindRequest: Hashable, Sendable {
    /// Which documents.
    package var selector: Selector
    /// The selector as it came, for `_explain`.
    package var selectorValue: JSONValue
    /// Which of their fields.
    package var projection = Projection.whole
    /// In which order; nil for whatever is fastest.
    package var sort: SortOrder?
    /// At most so many.
    package var limit = Self.defaultLimit
    /// How many to leave out before.
    package var skip = 0
    /// Where the page before ended; nil for the first.
    package var bookmark: String?
    /// The partition whose documents are asked for; nil: all of them.
    package var partition: String?
    /// The index to use: its design document, and perhaps its name.
    package var index: [String] = []
    /// Whether another index, or none, may be used than the one to use.
    package var allowsFallback = true
    /// Whether to tell what it took.
    package var wantsStatistics = false
    /// Whether documents were asked of more than one replica (`r`): then they count as read by a quorum.
    package var wantsQuorum = false
    /// Whether conflicting revisions are named.
    package var wantsConflicts = false

    /// How many documents there are unless asked otherwise.
    package static let defaultLimit = 25
    /// How many documents a page has at most; asking for more gives as many, and a bookmark.
    package static let largestLimit = 10_000
    /// How many may be left out.
    package static let largestSkip = 1_000_000
    /// What a body may have. `r`, `stale`, `update` and `stable` are for several nodes, and change nothing here.
    private static let keys: Set<String> = [
        "selector", "use_index", "bookmark", "limit", "skip", "sort", "fields", "partition", "r", "conflicts", "stale",
        "update", "stable", "execution_stats", "allow_fallback",
    ]

    /// Reads the body of `POST _find`.
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
            throw MangoError("invalid_key", "At most \(Self.largestSkip) documents can be skipped")
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

    /// What is for several nodes must be right all the same.
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

    /// The index that is to be used: a design document, alone, with a name, or with that behind a slash.
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
