import MusterCoding

// `ByteReader`: reads what `ByteWriter` wrote, the binary form of the stored data.

/// Why stored bytes cannot be read. `ByteReader` never traps on damaged bytes; it throws one of these.
package enum CodecError: Error, Hashable, Sendable {
    /// The bytes end too early, at this offset.
    case truncated(offset: Int)
    /// At this offset is a value that `ByteWriter` never writes: an unknown tag, a number out of range, or text that is
    /// not UTF-8.
    case malformed(offset: Int)
    /// Bytes remain after the end of the value.
    case excess(offset: Int)
    /// A newer Muster wrote the bytes.
    case unknownVersion(UInt8)
}

/// Reads the bytes that `ByteWriter` wrote, which may be damaged.
package struct ByteReader {
    @usableFromInline let bytes: UnsafeRawBufferPointer
    @usableFromInline var place: Int

    /// The offset of the next byte to read.
    @inlinable package var offset: Int { place }

    /// Makes a reader of `bytes`, which must outlive it, beginning at `offset`.
    @inlinable package init(_ bytes: UnsafeRawBufferPointer, offset: Int = 0) {
        self.bytes = bytes
        place = offset
    }

    @inlinable package var isAtEnd: Bool { offset >= bytes.count }

    /// Checks that the reader is at the end.
    ///
    /// - Throws: `CodecError.excess` if bytes remain.
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
        let text = String(utf8: bytes[offset..<offset + count])
        guard let text else { throw .malformed(offset: offset) }
        place += count
        return text
    }

    /// Reads the number of items that follow, each of at least `minimumBytes` bytes. Throws if the rest is too short
    /// for them, so that damaged bytes cannot make the caller reserve too much memory.
    @inlinable package mutating func count(minimumBytes: Int) throws(CodecError) -> Int {
        guard let count = Int(exactly: try varint()), count <= (bytes.count - offset) / minimumBytes else {
            throw .truncated(offset: offset)
        }
        return count
    }
}
