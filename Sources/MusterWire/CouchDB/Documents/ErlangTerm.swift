/// Writes Erlang's external term format as `term_to_binary` does with `minor_version` 1. CouchDB's revisions are
/// digests of such terms.
///
/// Source: the chapter "External Term Format" of Erlang's ERTS manual.
package struct ErlangTerm: ~Copyable {
    /// The encoded term so far. The first byte is the version.
    package internal(set) var bytes: [UInt8] = [131]

    enum Tag {
        static let newFloat: UInt8 = 70
        static let smallInteger: UInt8 = 97
        static let integer: UInt8 = 98
        static let atom: UInt8 = 100
        static let smallTuple: UInt8 = 104
        static let emptyList: UInt8 = 106
        static let string: UInt8 = 107
        static let list: UInt8 = 108
        static let binary: UInt8 = 109
        static let smallBig: UInt8 = 110
        static let largeBig: UInt8 = 111
    }

    /// Begins an empty term.
    ///
    /// - Parameter capacity: the expected size in bytes.
    package init(capacity: Int) { bytes.reserveCapacity(capacity) }

    package mutating func put(atom name: StaticString) {
        bytes.append(Tag.atom)
        put(big: UInt16(name.utf8CodeUnitCount))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    package mutating func put(integer value: Int64) {
        if let byte = UInt8(exactly: value) {
            bytes.append(Tag.smallInteger)
            bytes.append(byte)
        } else if let word = Int32(exactly: value) {
            bytes.append(Tag.integer)
            put(big: UInt32(bitPattern: word))
        } else {
            var magnitude: [UInt8] = []
            var rest = value.magnitude
            while rest > 0 {
                magnitude.append(UInt8(truncatingIfNeeded: rest))
                rest >>= 8
            }
            put(magnitude: magnitude, isNegative: value < 0)
        }
    }

    /// Writes an integer of any size.
    ///
    /// - Parameter magnitude: the bytes of the absolute value, the lowest first, the highest not 0.
    mutating func put(magnitude: [UInt8], isNegative: Bool) {
        if let count = UInt8(exactly: magnitude.count) {
            bytes.append(Tag.smallBig)
            bytes.append(count)
        } else {
            bytes.append(Tag.largeBig)
            put(big: UInt32(clamping: magnitude.count))
        }
        bytes.append(isNegative ? 1 : 0)
        bytes.append(contentsOf: magnitude)
    }

    package mutating func put(float value: Double) {
        bytes.append(Tag.newFloat)
        put(big: value.bitPattern)
    }

    package mutating func put(binary value: some Collection<UInt8>) {
        bytes.append(Tag.binary)
        put(big: UInt32(clamping: value.count))
        bytes.append(contentsOf: value)
    }

    /// Writes a binary from memory, without going through a generic collection.
    package mutating func put(binary value: UnsafeRawBufferPointer) {
        bytes.append(Tag.binary)
        put(big: UInt32(clamping: value.count))
        bytes.append(contentsOf: value)
    }

    /// Begins a tuple. Its elements follow.
    ///
    /// - Parameter count: the number of elements.
    package mutating func beginTuple(_ count: UInt8) {
        bytes.append(Tag.smallTuple)
        bytes.append(count)
    }

    /// Begins a list that is not empty. Its elements follow, and then `endList`.
    ///
    /// - Parameter count: the number of elements.
    package mutating func beginList(_ count: Int) {
        bytes.append(Tag.list)
        put(big: UInt32(clamping: count))
    }

    /// Ends a list. Without `beginList` it writes the empty list.
    package mutating func endList() { bytes.append(Tag.emptyList) }

    mutating func put(big value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
