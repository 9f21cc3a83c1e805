/// The fields that a query returns of each document, as Mango's `fields` lists them: `["_id", "a.b"]`. An empty list
/// selects whole documents.
package struct Projection: Hashable, Sendable {
    /// The fields; empty for the whole document.
    package let fields: [FieldPath]

    /// The largest number of fields in a list.
    package static let fieldLimit = 1_000

    /// Selects whole documents.
    package static let whole = Projection(fields: [])

    private init(fields: [FieldPath]) { self.fields = fields }

    /// Reads a list of fields.
    ///
    /// - Throws: `MangoError` if the value is not an array of field names, or has more than `fieldLimit`.
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

    /// Returns the document with the selected fields only. Fields that the document lacks are left out.
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
    /// Sets the value at a path, and makes the objects on the way. Anything else that stands on the way is replaced.
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
