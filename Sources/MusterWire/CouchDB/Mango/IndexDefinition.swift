/// The definition of an index of fields, in the form of Mango's `_index`.
package struct IndexDefinition: Hashable, Sendable {
    /// The design document that lists the index, without `_design/`.
    package var design: String
    /// The name of the index within its design document.
    package var name: String
    /// The indexed fields, the most significant first.
    package var fields: [FieldPath]
    /// Whether the definition lists the fields in descending order. It makes no difference, because the server reads an
    /// index in both directions.
    package var isDescending: Bool
    /// The text of a selector that documents must match to be indexed; nil for all documents that have the fields.
    package var partialSelector: [UInt8]?
    /// Whether the partition is the most significant part of the key, for queries within one partition.
    package var isPartitioned: Bool

    /// The largest number of fields.
    package static let fieldLimit = 16
    /// The longest name of an index or a design document.
    package static let nameLimitBytes = 128
    /// The members that a request may have. `w` concerns clusters of several nodes, and has no effect here.
    private static let keys: Set<String> = ["index", "type", "name", "ddoc", "w", "partitioned"]
    private static let indexKeys: Set<String> = ["fields", "partial_filter_selector"]

    package init(
        design: String, name: String, fields: [FieldPath], isDescending: Bool = false, partialSelector: [UInt8]? = nil,
        isPartitioned: Bool = false
    ) {
        self.design = design
        self.name = name
        self.fields = fields
        self.isDescending = isDescending
        self.partialSelector = partialSelector
        self.isPartitioned = isPartitioned
    }

    /// Reads the body of `POST _index`. A definition without names gets names derived from it, so that repeating the
    /// request does not create a second index.
    ///
    /// - Parameter isDatabasePartitioned: whether the database is partitioned. Then the index is partitioned too,
    ///   unless the request says otherwise.
    /// - Throws: `MangoError` for an invalid request.
    package init(_ request: JSONValue, isDatabasePartitioned: Bool = false) throws(MangoError) {
        guard request.kind == .object else { throw MangoError("bad_request", "Request body must be a JSON object") }
        guard let index = request["index"] else {
            throw MangoError("missing_required_key", "Missing required key: index")
        }
        let type = try request.text("type") ?? "json"
        let givenName = try Self.name("name", in: request)
        let givenDesign = try Self.name("ddoc", in: request)
        try request.requirePositive("w")
        isPartitioned = try request.flag("partitioned") ?? isDatabasePartitioned
        guard !isPartitioned || isDatabasePartitioned else {
            throw MangoError("bad_request", "partitioned specified on non-partitioned db")
        }
        try request.requireKeys(of: Self.keys)
        guard type == "json" else {
            let isKnown = ["text", "nouveau"].contains(type)
            throw isKnown
                ? MangoError("required index service unavailable", type, status: 503)
                : MangoError("invalid_index", "Invalid type for index: \(type.prefix(200))")
        }
        guard index.kind == .object else {
            throw MangoError("invalid_index", "JSON indexes must be an object, not: \(index.text)")
        }
        guard let listed = index["fields"] else {
            throw MangoError("missing_required_key", "Missing required key: fields")
        }
        let sort = try SortOrder(listed)
        guard !sort.fields.isEmpty, sort.fields.count <= Self.fieldLimit else {
            throw MangoError("invalid_index_fields", "An index has 1 to \(Self.fieldLimit) fields")
        }
        fields = sort.fields
        isDescending = sort.isDescending
        partialSelector = try Self.partialSelector(index["partial_filter_selector"])
        try index.requireKeys(of: Self.indexKeys)
        design = ""
        name = ""
        let paths = JSONValue.array(fields.map { .string($0.text) })
        let given = Fingerprint.text(of: paths.bytes + (partialSelector ?? []))
        // Two indexes that differ by their names alone are in two design documents, as in CouchDB.
        let apart = givenName.map { Fingerprint.text(of: Array((given + $0).utf8)) }
        var named = givenDesign ?? apart ?? given
        if named.hasPrefix("_design/") { named.removeFirst("_design/".count) }
        design = named
        name = givenName ?? given
        for text in [design, name] where text.isEmpty || text.utf8.count > Self.nameLimitBytes {
            throw MangoError("invalid_index_name", "A name has 1 to \(Self.nameLimitBytes) bytes")
        }
    }

    /// Reads the selector of a partial index; nil for an empty selector, which excludes no document.
    private static func partialSelector(_ value: JSONValue?) throws(MangoError) -> [UInt8]? {
        guard let value else { return nil }
        do throws(SelectorError) {
            _ = try Selector(value)
        } catch {
            throw MangoError(error)
        }
        return value == .object([]) ? nil : value.bytes
    }

    private static func name(_ key: String, in request: JSONValue) throws(MangoError) -> String? {
        let name = try request.text(key)
        guard name != "" else {
            throw MangoError("invalid_empty_string", "Index name or ddoc cannot be empty string")
        }
        return name
    }

    /// The definition as `_index` lists it: `{"fields":[{"a":"asc"}]}`.
    package var definition: JSONValue {
        let direction = JSONValue.string(isDescending ? "desc" : "asc")
        var members = [
            JSONValue.Member("fields", .array(fields.map { .object([.init($0.text, direction)]) }))
        ]
        if let partialSelector, let selector = try? JSONValue(parsing: partialSelector) {
            members.append(.init("partial_filter_selector", selector))
        }
        return .object(members)
    }
}

/// Decides which documents an index holds, and under which key. A rule is made once for a definition and applied to
/// each document.
package struct IndexRule: Sendable {
    private let fields: [FieldPath]
    private let partial: Selector?
    private let isPartitioned: Bool

    package init(_ definition: IndexDefinition) {
        fields = definition.fields
        isPartitioned = definition.isPartitioned
        // The selector was validated when the definition was read.
        partial = definition.partialSelector.flatMap { try? Selector(parsing: $0) }
    }

    /// Returns the key of a document; nil if the document is not in the index, because it lacks a field, does not match
    /// the partial selector, or is in no partition.
    package func key(of document: JSONValue) -> CollationKey? {
        var values: [JSONValue] = []
        for field in fields {
            guard let value = field.value(in: document) else { return nil }
            values.append(value)
        }
        if let partial, !partial.matches(document) { return nil }
        if isPartitioned {
            guard let id = document["_id"]?.string, let partition = DocumentID.partition(of: id) else { return nil }
            values.insert(.string(partition), at: 0)
        }
        return CollationKey(values)
    }
}

/// The fields to sort by, all in one direction, as Mango's `sort` lists them: `["a", {"b": "asc"}]`.
package struct SortOrder: Hashable, Sendable {
    /// The fields, the most significant first.
    package var fields: [FieldPath] = []
    package var isDescending = false

    /// Reads a `sort`, or the `fields` of an index.
    ///
    /// - Throws: `MangoError` for malformed fields, and for fields in both directions.
    package init(_ value: JSONValue) throws(MangoError) {
        guard let elements = value.elements else {
            throw MangoError("invalid_sort_json", "Sort must be an array of sort specs, not: \(value.text)")
        }
        var directions: Set<Bool> = []
        for element in elements.prefix(IndexDefinition.fieldLimit + 1) {
            let name: String
            switch element {
            case .string(let text):
                name = text
                directions.insert(false)
            case .object(let members) where members.count == 1:
                name = members[0].key
                guard let direction = members[0].value.string, ["asc", "desc"].contains(direction) else {
                    throw MangoError("invalid_sort_dir", "Invalid sort direction: \(members[0].value.text)")
                }
                directions.insert(direction == "desc")
            default: throw MangoError("invalid_sort_field", "Invalid sort field: \(element.text)")
            }
            guard !name.isEmpty else { throw MangoError("invalid_sort_field", "Invalid sort field: \(element.text)") }
            do throws(SelectorError) {
                fields.append(try FieldPath(name))
            } catch {
                throw MangoError(error)
            }
        }
        guard directions.count <= 1 else {
            throw MangoError(
                "unsupported_mixed_sort", "Sorts currently only support a single direction for all fields.")
        }
        isDescending = directions.contains(true)
    }
}
