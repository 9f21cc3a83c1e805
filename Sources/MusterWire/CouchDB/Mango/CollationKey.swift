import MusterCoding

/// The key of a document in an index: bytes that compare as the JSON values do under `Collation`.
///
/// Two different values may have equal bytes: values that differ only beyond `limitBytes`, and whole numbers beyond
/// 2^53. So an index only narrows the candidates down, and a reader checks the documents as well.
package struct CollationKey: Hashable, Sendable, Comparable {
    /// The bytes.
    package private(set) var bytes: [UInt8]

    /// The longest key. The bytes beyond are cut off.
    package static let limitBytes = 1_024

    /// Makes the key of some values, the most significant first.
    package init(_ values: [JSONValue]) {
        bytes = []
        for value in values { append(value) }
        if bytes.count > Self.limitBytes { bytes.removeLast(bytes.count - Self.limitBytes) }
    }

    package init(stored bytes: [UInt8]) { self.bytes = bytes }

    /// The first value, if it is a number. For a value of another kind, or a number that was cut off, it is a number
    /// that compares to all numbers as the key does to keys that begin with them. Nil for an empty key.
    package var leadingNumber: Double? {
        guard let kind = bytes.first else { return nil }
        let numbers = Collation.rank(.integer(0))
        if kind != numbers { return kind < numbers ? -.infinity : .infinity }
        let digits = bytes.dropFirst().prefix(8)
        let ordered = digits.reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - digits.count))
        let number = Double(bitPattern: ordered >> 63 == 1 ? ordered & ~(1 << 63) : ~ordered)
        return number.isNaN ? (ordered >> 63 == 1 ? .infinity : -.infinity) : number
    }

    /// The values that the key was made of. Nil if the bytes do not determine them: the key was cut off, or contains a
    /// whole number beyond 2^53.
    package var values: [JSONValue]? {
        guard bytes.count < Self.limitBytes else { return nil }
        var reading = KeyReading(bytes: bytes[...])
        var values: [JSONValue] = []
        while !reading.isAtEnd {
            guard let value = reading.value() else { return nil }
            values.append(value)
        }
        return values
    }

    /// Compares the bytes.
    package static func < (one: Self, other: Self) -> Bool {
        one.bytes.lexicographicallyPrecedes(other.bytes)
    }

    /// The smallest key after all keys that begin with this one; nil if there is none.
    package var end: CollationKey? {
        var bytes = bytes
        while let last = bytes.popLast() {
            if last < .max { return CollationKey(stored: bytes + [last + 1]) }
        }
        return nil
    }

    private mutating func append(_ value: JSONValue) {
        // Bytes beyond the limit are cut off in the end.
        guard bytes.count <= Self.limitBytes else { return }
        bytes.append(Collation.rank(value))
        switch value {
        case .null, .boolean: break
        case .integer(let integer): append(Double(integer))
        case .number(let number): append(number)
        case .string(let text): append(text)
        case .array(let elements):
            for element in elements { append(element) }
            bytes.append(0)
        case .object(let members):
            for member in members {
                bytes.append(5)
                append(member.key)
                append(member.value)
            }
            bytes.append(0)
        }
    }

    /// Appends eight bytes in the order of the numbers: the bits, with the sign inverted, and all bits inverted if the
    /// number is negative.
    private mutating func append(_ number: Double) {
        let pattern = (number == 0 ? 0 : number).bitPattern
        let ordered = pattern >> 63 == 1 ? ~pattern : pattern | 1 << 63
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: ordered >> shift))
        }
    }

    /// Appends the bytes and two zeros, which sort before any other continuation. A zero byte within the text is
    /// followed by 0xFF.
    private mutating func append(_ text: String) {
        for byte in text.utf8.prefix(Self.limitBytes) {
            bytes.append(byte)
            if byte == 0 { bytes.append(0xFF) }
        }
        bytes.append(0)
        bytes.append(0)
    }
}

/// Parses the values of a key.
private struct KeyReading {
    var bytes: ArraySlice<UInt8>

    private static let exactLimit = Double(1 << 53)

    var isAtEnd: Bool { bytes.isEmpty }

    /// Returns the next value; nil for malformed bytes, and for a number that stands for several values.
    mutating func value() -> JSONValue? {
        switch bytes.popFirst() {
        case Collation.rank(.null): return .null
        case Collation.rank(.boolean(false)): return .boolean(false)
        case Collation.rank(.boolean(true)): return .boolean(true)
        case Collation.rank(.integer(0)): return number()
        case Collation.rank(.string("")): return text().map { .string($0) }
        case Collation.rank(.array([])): return array()
        case Collation.rank(.object([])): return object()
        default: return nil
        }
    }

    private mutating func number() -> JSONValue? {
        guard bytes.count >= 8 else { return nil }
        let ordered = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        bytes = bytes.dropFirst(8)
        let number = Double(bitPattern: ordered >> 63 == 1 ? ordered & ~(1 << 63) : ~ordered)
        guard number.rounded() == number else { return .number(number) }
        return abs(number) <= Self.exactLimit ? .integer(Int64(number)) : nil
    }

    private mutating func text() -> String? {
        var text: [UInt8] = []
        while let byte = bytes.popFirst() {
            guard byte == 0 else {
                text.append(byte)
                continue
            }
            guard let next = bytes.popFirst() else { return nil }
            if next == 0 { return String(utf8: text) }
            text.append(0)
        }
        return nil
    }

    private mutating func array() -> JSONValue? {
        var elements: [JSONValue] = []
        while bytes.first != 0 {
            guard let element = value() else { return nil }
            elements.append(element)
        }
        bytes.removeFirst()
        return .array(elements)
    }

    private mutating func object() -> JSONValue? {
        var members: [JSONValue.Member] = []
        while bytes.popFirst() == 5 {
            guard let key = text(), let value = value() else { return nil }
            members.append(.init(key, value))
        }
        return .object(members)
    }
}
