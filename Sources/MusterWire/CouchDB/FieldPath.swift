/// Where a value stands in a document: the keys on the way to it, as mango writes them: `a.b.c`. A character that has a
/// backslash before it is part of a key, whatever it is: `a\.b`, `\$a`. A key that is a number also picks the element
/// of an array, from 0.
package struct FieldPath: Hashable, Sendable {
    /// The keys, outermost first; empty for the document itself.
    package let keys: [String]

    /// The document itself.
    package static let document = FieldPath(keys: [])
    /// How many keys a path may have.
    package static let keyLimit = 32

    /// A path of keys.
    package init(keys: [String]) { self.keys = keys }

    /// Reads a path.
    ///
    /// - Throws: `SelectorError.badField` when a key is empty or there are too many.
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

    /// The path of something inside of what this leads to.
    package func appending(_ other: FieldPath) throws(SelectorError) -> FieldPath {
        guard keys.count + other.keys.count <= Self.keyLimit else { throw .badField(other.text) }
        return FieldPath(keys: keys + other.keys)
    }

    /// The path as mango writes it.
    package var text: String {
        keys.map { key in
            String(key.flatMap { $0 == "." || $0 == "\\" ? ["\\", $0] : [$0] })
        }.joined(separator: ".")
    }

    /// What a path leads to.
    package enum Place {
        /// A value.
        case found(JSONValue)
        /// An object that has no such key: nothing is there.
        case absent
        /// Something in which nothing can be: it is no object, or an array that is not so long.
        case nowhere
    }

    /// What stands there; nil where nothing does.
    package func value(in document: JSONValue) -> JSONValue? {
        if case .found(let value) = place(in: document) { value } else { nil }
    }

    /// Where this leads to in a document.
    package func place(in document: JSONValue) -> Place {
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
