/// What is wrong with stored bytes. No bytes trap: whatever cannot be read is one of these.
package enum CodecError: Error, Hashable, Sendable {
    /// The bytes end too early, at this offset.
    case truncated(offset: Int)
    /// A value that nothing of ours has: an unknown tag, a number off its range, text that is not UTF-8.
    case malformed(offset: Int)
    /// Bytes remain where there should be none.
    case excess(offset: Int)
    /// Written by a newer Muster.
    case unknownVersion(UInt8)
}

/// Reads what `ByteWriter` wrote, from bytes that may be damaged.
package struct ByteReader {
    @usableFromInline let bytes: UnsafeRawBufferPointer
    @usableFromInline var place: Int

    /// How far it has read.
    @inlinable package var offset: Int { place }

    /// A reader of `bytes`, which must outlive it, from `offset`.
    @inlinable package init(_ bytes: UnsafeRawBufferPointer, offset: Int = 0) {
        self.bytes = bytes
        place = offset
    }

    @inlinable package var isAtEnd: Bool { offset >= bytes.count }

    /// - Throws: `CodecError.excess` when bytes remain.
    @inlinable package func finish() throws(CodecError) {
        guard isAtEnd else { throw .excess(offset: offset) }
    }

    @inlinable package mutating func byte() throws(CodecError) -> UInt8 {
        guard offset < bytes.count else { throw .truncated(offset: offset) }
        defer { place += 1 }
        return bytes[offset]
    }

    @inlinable package mutating func varint() throws(CodecError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            guard shift < 63 || next <= 1 else { throw .malformed(offset: offset) }
            value |= UInt64(next & 0x7F) << shift
            if next < 0x80 { return value }
            shift += 7
        }
    }

    @inlinable package mutating func signed() throws(CodecError) -> Int64 { Int64(zigzag: try varint()) }

    @inlinable package mutating func number() throws(CodecError) -> Int32 {
        guard let value = UInt32(exactly: try varint()) else { throw .malformed(offset: offset) }
        return Int32(bitPattern: value)
    }

    @inlinable package mutating func exactDouble() throws(CodecError) -> Double { Double(bitPattern: try fixed()) }

    @inlinable package mutating func fixed() throws(CodecError) -> UInt64 {
        guard bytes.count - offset >= 8 else { throw .truncated(offset: offset) }
        defer { place += 8 }
        return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inlinable package mutating func text() throws(CodecError) -> String {
        guard let count = Int(exactly: try varint()), count <= bytes.count - offset else {
            throw .truncated(offset: offset)
        }
        let text = String(validating: bytes[offset..<offset + count], as: UTF8.self)
        guard let text else { throw .malformed(offset: offset) }
        place += count
        return text
    }

    /// How many things follow, each of which takes at least `minimumBytes`; so that no count makes anyone reserve more
    /// than there is.
    @inlinable package mutating func count(minimumBytes: Int) throws(CodecError) -> Int {
        guard let count = Int(exactly: try varint()), count <= (bytes.count - offset) / minimumBytes else {
            throw .truncated(offset: offset)
        }
        return count
    }
}
