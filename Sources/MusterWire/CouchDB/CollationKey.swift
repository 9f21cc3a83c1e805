/// Bytes that stand to each other as JSON values do under `Collation`: what an index is ordered by.
///
/// Two values of different order may have the same bytes where they differ only beyond `limitBytes` of them, or are
/// whole numbers beyond 2^53: an index narrows down, and whoever uses it looks at the document as well.
package struct CollationKey: Hashable, Sendable, Comparable {
    /// The bytes.
    package private(set) var bytes: [UInt8]

    /// How long a key gets; the rest does not count.
    package static let limitBytes = 1_024

    /// The key of some values, the first of which counts most.
    package init(_ values: [JSONValue]) {
        bytes = []
        for value in values { append(value) }
        if bytes.count > Self.limitBytes { bytes.removeLast(bytes.count - Self.limitBytes) }
    }

    /// A key as it is stored.
    package init(stored bytes: [UInt8]) { self.bytes = bytes }

    /// The number that the first value is; where it is of another kind, or cut off, one that stands to all numbers as
    /// the key does to keys that begin with them. Nil for a key of no bytes.
    package var leadingNumber: Double? {
        guard let kind = bytes.first else { return nil }
        let numbers = Collation.rank(.integer(0))
        if kind != numbers { return kind < numbers ? -.infinity : .infinity }
        let digits = bytes.dropFirst().prefix(8)
        let ordered = digits.reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - digits.count))
        let number = Double(bitPattern: ordered >> 63 == 1 ? ordered & ~(1 << 63) : ~ordered)
        return number.isNaN ? (ordered >> 63 == 1 ? .infinity : -.infinity) : number
    }

    /// The values that the key was made of. Nil where the key does not tell them: it was cut off, or has a whole number
    /// beyond 2^53.
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

    /// By bytes.
    package static func < (one: Self, other: Self) -> Bool {
        one.bytes.lexicographicallyPrecedes(other.bytes)
    }

    /// The first bytes that are behind all keys that begin with this one; nil where there are none such.
    package var end: CollationKey? {
        var bytes = bytes
        while let last = bytes.popLast() {
            if last < .max { return CollationKey(stored: bytes + [last + 1]) }
        }
        return nil
    }

    private mutating func append(_ value: JSONValue) {
        // What is cut off later need not be written.
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

    /// Eight bytes: the sign first, and what is negative upside down.
    private mutating func append(_ number: Double) {
        let pattern = (number == 0 ? 0 : number).bitPattern
        let ordered = pattern >> 63 == 1 ? ~pattern : pattern | 1 << 63
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: ordered >> shift))
        }
    }

    /// The bytes and an end that is before any other byte; a zero inside is told apart by what follows it.
    private mutating func append(_ text: String) {
        for byte in text.utf8.prefix(Self.limitBytes) {
            bytes.append(byte)
            if byte == 0 { bytes.append(0xFF) }
        }
        bytes.append(0)
        bytes.append(0)
    }
}

/// Reads a key's values back from its bytes.
private struct KeyReading {
    var bytes: ArraySlice<UInt8>

    private static let exactLimit = Double(1 << 53)

    var isAtEnd: Bool { bytes.isEmpty }

    /// The next value; nil for bytes that are none, and for a number that may stand for several.
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
            if next == 0 { return String(validating: text, as: UTF8.self) }
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
