/// Writes numbers and text in the compact binary form of the store: fixed-width numbers are little-endian, varints have
/// seven bits in a byte.
///
/// `ByteReader` reads exactly what this writes.
package struct ByteWriter {
    @usableFromInline var written: [UInt8]

    /// The bytes written so far.
    @inlinable package var bytes: [UInt8] { written }

    @inlinable package init() { written = [] }

    @inlinable package mutating func put(byte: UInt8) { written.append(byte) }

    /// Writes an unsigned number in 1 to 10 bytes; small numbers take fewer.
    @inlinable package mutating func put(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            written.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        written.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Writes a signed number; small magnitudes take fewer bytes.
    @inlinable package mutating func put(signed value: Int64) { put(varint: value.zigzag) }

    /// Writes the number of an entity, for example of a device, as a varint of its 32 bits.
    @inlinable package mutating func put(number: Int32) { put(varint: UInt64(UInt32(bitPattern: number))) }

    /// Writes all 64 bits of a Double, in 8 bytes.
    @inlinable package mutating func put(exact value: Double) { put(fixed: value.bitPattern) }

    /// Writes a number in 8 bytes: for digests and other numbers that are seldom small.
    @inlinable package mutating func put(fixed value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { written.append(contentsOf: $0) }
    }

    /// Writes the length in UTF-8, and then the UTF-8.
    @inlinable package mutating func put(text: String) {
        var text = text
        text.withUTF8 {
            put(varint: UInt64($0.count))
            written.append(contentsOf: $0)
        }
    }
}

extension Int64 {
    /// The number with its sign in the lowest bit, so that numbers of small magnitude become small (zigzag encoding).
    @inlinable package var zigzag: UInt64 { UInt64(bitPattern: (self << 1) ^ (self >> 63)) }
    /// Makes the number whose `zigzag` is `value`.
    @inlinable package init(zigzag value: UInt64) {
        self = Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }
}
