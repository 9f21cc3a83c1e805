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
