/// Appends numbers and text to bytes in the store's own compact form: little-endian, varints of seven bits a byte.
///
/// `ByteReader` reads back exactly what this wrote.
package struct ByteWriter {
    @usableFromInline var written: [UInt8]

    /// What was written.
    @inlinable package var bytes: [UInt8] { written }

    /// A writer of nothing yet.
    @inlinable package init() { written = [] }

    @inlinable package mutating func put(byte: UInt8) { written.append(byte) }

    /// An unsigned number in 1 to 10 bytes, small ones short.
    @inlinable package mutating func put(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            written.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        written.append(UInt8(truncatingIfNeeded: rest))
    }

    /// A signed number, small magnitudes short.
    @inlinable package mutating func put(signed value: Int64) { put(varint: value.zigzag) }

    /// A number of an entity.
    @inlinable package mutating func put(number: Int32) { put(varint: UInt64(UInt32(bitPattern: number))) }

    /// All 64 bits of a Double.
    @inlinable package mutating func put(exact value: Double) { put(fixed: value.bitPattern) }

    /// A number whose bits are all as likely, in 8 bytes.
    @inlinable package mutating func put(fixed value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { written.append(contentsOf: $0) }
    }

    /// UTF-8 with its length before it.
    @inlinable package mutating func put(text: String) {
        var text = text
        text.withUTF8 {
            put(varint: UInt64($0.count))
            written.append(contentsOf: $0)
        }
    }
}

extension Int64 {
    /// The number with its sign in the lowest bit, so that small magnitudes become small.
    @inlinable package var zigzag: UInt64 { UInt64(bitPattern: (self << 1) ^ (self >> 63)) }
    /// The number whose `zigzag` this is.
    @inlinable package init(zigzag value: UInt64) {
        self = Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }
}
