/// Which fields of documents are wanted, as mango has it: `["_id", "a.b"]`; an empty list wants all.
package struct Projection: Hashable, Sendable {
    /// The fields; empty for the whole document.
    package let fields: [FieldPath]

    /// How many fields may be named.
    package static let fieldLimit = 1_000

    /// Whole documents.
    package static let whole = Projection(fields: [])

    private init(fields: [FieldPath]) { self.fields = fields }

    /// Reads a list of fields.
    package init(_ value: JSONValue) throws(MangoError) {
        guard let elements = value.elements else {
            throw MangoError("invalid_fields", "Fields must be an array of strings, not: \(value.text)")
        }
        guard elements.count <= Self.fieldLimit else { throw MangoError(.tooManyTests(limit: Self.fieldLimit)) }
        var fields: [FieldPath] = []
        for element in elements {
            guard let text = element.string else {
                throw MangoError("invalid_field", "Invalid JSON for field spec: \(element.text)")
            }
            do throws(SelectorError) {
                fields.append(try FieldPath(text))
            } catch {
                throw MangoError(error)
            }
        }
        self.fields = fields
    }

    /// A document with only the fields that are wanted.
    package func of(_ document: JSONValue) -> JSONValue {
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
    package mutating func put(_ value: JSONValue, at path: ArraySlice<String>) {
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
