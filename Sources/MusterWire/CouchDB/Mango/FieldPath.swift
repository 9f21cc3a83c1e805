/// The path to a value in a document: its keys, as Mango writes them (`a.b.c`). A backslash makes the next character
/// part of a key: `a\.b`, `\$a`. A key that is a number also selects an element of an array, counted from 0.
package struct FieldPath: Hashable, Sendable {
    /// The keys, outermost first; empty for the document itself.
    package let keys: [String]

    /// The path of the document itself.
    package static let document = FieldPath(keys: [])
    /// The largest number of keys in a path.
    package static let keyLimit = 32

    /// Makes a path of keys, outermost first.
    package init(keys: [String]) { self.keys = keys }

    /// Reads a path as Mango writes it.
    ///
    /// - Throws: `SelectorError.badField` if a key is empty, or the path has more than `keyLimit` keys.
    package init(_ text: String) throws(SelectorError) {
        var keys: [String] = []
        var key: [UInt8] = []
        var isEscaped = false
        for byte in text.utf8 {
            if isEscaped {
                key.append(byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: ".") {
                keys.append(String(decoding: key, as: UTF8.self))
                key = []
            } else {
                key.append(byte)
            }
        }
        keys.append(String(decoding: key, as: UTF8.self))
        guard keys.count <= Self.keyLimit, !keys.contains("") else { throw .badField(text) }
        self.keys = keys
    }

    /// Returns this path followed by another one.
    ///
    /// - Throws: `SelectorError.badField` if the result has more than `keyLimit` keys.
    package func appending(_ other: FieldPath) throws(SelectorError) -> FieldPath {
        guard keys.count + other.keys.count <= Self.keyLimit else { throw .badField(other.text) }
        return FieldPath(keys: keys + other.keys)
    }

    /// The path as Mango writes it.
    package var text: String {
        keys.map { key in
            String(key.flatMap { $0 == "." || $0 == "\\" ? ["\\", $0] : [$0] })
        }.joined(separator: ".")
    }

    /// The result of following a path in a document.
    package enum Lookup {
        /// The path leads to this value.
        case found(JSONValue)
        /// The last object that the path reaches lacks the next key.
        case absent
        /// The path continues below a value that is neither an object nor an array, or past the end of an array.
        case nowhere
    }

    /// Returns the value at this path; nil if the document has none.
    package func value(in document: JSONValue) -> JSONValue? {
        if case .found(let value) = lookUp(in: document) { value } else { nil }
    }

    /// Follows this path in a document.
    package func lookUp(in document: JSONValue) -> Lookup {
        var value = document
        for key in keys {
            switch value {
            case .object(let members):
                guard let member = members.first(where: { $0.key.utf8.elementsEqual(key.utf8) }) else { return .absent }
                value = member.value
            case .array(let elements):
                guard let index = Int(key), elements.indices.contains(index) else { return .nowhere }
                value = elements[index]
            default: return .nowhere
            }
        }
        return .found(value)
    }
}
