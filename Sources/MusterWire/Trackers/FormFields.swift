import MusterCoding

/// The fields of a form, as a query or a body has them (`application/x-www-form-urlencoded`): `lat=43.5&lon=-6`.
package struct FormFields: Hashable, Sendable {
    private let fields: [(name: String, value: String)]

    /// The largest number of fields that are read.
    package static let limit = 128
    /// The longest form that is read, in bytes.
    package static let limitBytes = 16_384

    /// Reads a form. A field whose escapes are wrong is left out, and so is one with which the form is too long.
    package init(_ text: some StringProtocol) {
        var countBytes = 0
        fields = text.split(separator: "&", maxSplits: Self.limit).prefix(Self.limit).compactMap { part in
            guard countBytes + part.utf8.count <= Self.limitBytes else { return nil }
            countBytes += part.utf8.count
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let parts = pair.map { PercentEncoding.decode(String($0).replacing("+", with: " ")) }
            guard let name = parts[0], let value = parts.count > 1 ? parts[1] : "" else { return nil }
            return (name, value)
        }
    }

    /// Makes a form of fields that were read elsewhere.
    init(_ fields: [(name: String, value: String)]) { self.fields = fields }

    /// Whether there is no field.
    package var isEmpty: Bool { fields.isEmpty }

    /// Every field as it was sent, in order.
    package var pairs: [(name: String, value: String)] { fields }

    package static func == (left: FormFields, right: FormFields) -> Bool {
        left.fields.elementsEqual(right.fields) { $0.name == $1.name && $0.value == $1.value }
    }

    package func hash(into hasher: inout Hasher) {
        for field in fields {
            hasher.combine(field.name)
            hasher.combine(field.value)
        }
    }

    /// The values of a field that are not empty, without white space around them, in order.
    package func texts(_ name: String) -> [String] {
        fields.compactMap { field in
            guard field.name == name else { return nil }
            return JSONValue.string(field.value).deviceText
        }
    }

    /// The value of the first of these fields that is there and has one; nil when it has two that differ, because
    /// nobody knows which the app means.
    func text(_ names: String...) -> String? {
        for name in names {
            let values = texts(name)
            guard let first = values.first else { continue }
            return values.allSatisfy { $0 == first } ? first : nil
        }
        return nil
    }

    /// Whether a field has two values that differ.
    func isAmbiguous(_ name: String) -> Bool { Set(texts(name)).count > 1 }

    /// The number of the first of these fields that is there; nil when it is no number. `,` is not read as a decimal
    /// point: in some notations it groups thousands.
    func number(_ names: String...) -> Double? {
        for name in names {
            let values = texts(name)
            guard let first = values.first else { continue }
            return values.allSatisfy { $0 == first } ? JSONValue(decimal: first)?.number : nil
        }
        return nil
    }

    /// Whether the field says yes or no; nil when it says neither.
    func boolean(_ names: String...) -> Bool? {
        for name in names {
            switch texts(name).last?.lowercased() {
            case "true", "1": return true
            case "false", "0": return false
            default: continue
            }
        }
        return nil
    }
}
