/// What `_find` is asked.
package struct FindRequest: Hashable, Sendable {
    /// Which documents.
    package var selector: Selector
    /// The selector as it came, for `_explain`.
    package var selectorValue: JSONValue
    /// Which of their fields; empty for all.
    package var fields: [FieldPath] = []
    /// In which order; nil for whatever is fastest.
    package var sort: SortOrder?
    /// At most so many.
    package var limit = Self.defaultLimit
    /// How many to leave out before.
    package var skip = 0
    /// Where the page before ended; nil for the first.
    package var bookmark: String?
    /// The index to use: its design document, and perhaps its name.
    package var index: [String] = []
    /// Whether to tell what it took.
    package var wantsStatistics = false
    /// Whether conflicting revisions are named.
    package var wantsConflicts = false

    /// How many documents there are unless asked otherwise.
    package static let defaultLimit = 25
    /// How many documents a page has at most; asking for more gives as many, and a bookmark.
    package static let largestLimit = 10_000
    /// How many may be left out.
    package static let largestSkip = 1_000_000
    /// How many fields may be named.
    package static let fieldLimit = 1_000

    /// Documents by a selector.
    package init(_ selector: Selector, value: JSONValue) {
        self.selector = selector
        selectorValue = value
    }

    /// Reads the body of `POST _find`.
    package init(_ request: JSONValue) throws(MangoFault) {
        guard request.kind == .object else { throw MangoFault("bad_request", "Request body must be a JSON object") }
        guard let value = request["selector"] else {
            throw MangoFault("missing_required_key", "Missing required key: selector")
        }
        do throws(SelectorFault) {
            selector = try Selector(value)
        } catch {
            throw MangoFault(error)
        }
        selectorValue = value
        fields = try Self.fields(request["fields"])
        if let value = request["sort"], value != .array([]) { sort = try SortOrder(value) }
        limit = min(try Self.count("limit", in: request) ?? Self.defaultLimit, Self.largestLimit)
        skip = try Self.count("skip", in: request) ?? 0
        guard skip <= Self.largestSkip else {
            throw MangoFault("invalid_key", "At most \(Self.largestSkip) documents can be skipped")
        }
        bookmark = try Self.bookmark(request["bookmark"])
        index = try Self.index(request["use_index"])
        wantsStatistics = try Self.flag("execution_stats", in: request)
        wantsConflicts = try Self.flag("conflicts", in: request)
    }

    private static func fields(_ value: JSONValue?) throws(MangoFault) -> [FieldPath] {
        guard let value else { return [] }
        guard let elements = value.elements else {
            throw MangoFault("invalid_fields", "Fields must be an array of strings, not: \(value.text)")
        }
        guard elements.count <= fieldLimit else { throw MangoFault(.tooManyTests(limit: fieldLimit)) }
        var fields: [FieldPath] = []
        for element in elements {
            guard let text = element.string else {
                throw MangoFault("invalid_field", "Invalid JSON for field spec: \(element.text)")
            }
            do throws(SelectorFault) {
                fields.append(try FieldPath(text))
            } catch {
                throw MangoFault(error)
            }
        }
        return fields
    }

    private static func bookmark(_ value: JSONValue?) throws(MangoFault) -> String? {
        switch value {
        case nil, .null: return nil
        case .string(let text): return text.isEmpty || text == "nil" ? nil : text
        case let value?: throw MangoFault("invalid_bookmark", "Invalid bookmark value: \(value.text)")
        }
    }

    /// The index that is to be used: a design document, alone, with a name, or with that behind a slash.
    private static func index(_ value: JSONValue?) throws(MangoFault) -> [String] {
        var parts: [String]
        switch value {
        case nil, .null: parts = []
        case .string(let text):
            parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            if parts.count > 1, parts[0] == "_design" { parts.removeFirst() }
            if parts == [""] { parts = [] }
        case .array(let elements) where elements.allSatisfy({ $0.string != nil }): parts = elements.compactMap(\.string)
        case let value?: throw MangoFault("invalid_index_name", "Invalid index name: \(value.text)")
        }
        guard parts.count <= 2 else {
            throw MangoFault("invalid_index_name", "Invalid index name: \(value?.text ?? "")")
        }
        if let first = parts.first, first.hasPrefix("_design/") { parts[0] = String(first.dropFirst("_design/".count)) }
        return parts
    }

    private static func flag(_ key: String, in request: JSONValue) throws(MangoFault) -> Bool {
        guard let value = request[key] else { return false }
        guard let flag = value.boolean else {
            throw MangoFault("invalid_boolean", "Invalid boolean value: \(value.text)")
        }
        return flag
    }

    private static func count(_ key: String, in request: JSONValue) throws(MangoFault) -> Int? {
        guard let value = request[key] else { return nil }
        guard let count = value.integer, count >= 0 else {
            throw MangoFault(
                "invalid_non_neg_integer", "\(value.text) is not an integer greater than or equal to zero")
        }
        return Int(clamping: count)
    }

    /// A document with only the fields that are wanted.
    package func projected(_ document: JSONValue) -> JSONValue {
        guard !fields.isEmpty else { return document }
        var result = JSONValue.object([])
        for field in fields {
            if let value = field.value(in: document) { result.put(value, at: field.keys[...]) }
        }
        return result
    }
}

extension JSONValue {
    /// Puts a value where a path leads, with objects on the way.
    fileprivate mutating func put(_ value: JSONValue, at path: ArraySlice<String>) {
        guard let key = path.first else {
            self = value
            return
        }
        var members = self.members ?? []
        let place = members.firstIndex { $0.key.utf8.elementsEqual(key.utf8) }
        var inner = place.map { members[$0].value } ?? .object([])
        inner.put(value, at: path.dropFirst())
        if let place { members[place].value = inner } else { members.append(.init(key, inner)) }
        self = .object(members)
    }
}
