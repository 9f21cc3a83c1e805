/// Numbers in messages between devices, the highest byte first.
extension [UInt8] {
    /// Appends a number, its highest byte first.
    mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends a floating-point number by its bits (IEEE 754).
    mutating func append(_ number: Double) { append(bigEndian: number.bitPattern) }
}

/// Reads numbers from the beginning of bytes; each function returns nil if too few bytes are left.
struct ByteCursor {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number? {
        let count = Number.bitWidth / 8
        guard rest.count >= count else { return nil }
        var number: Number = 0
        for byte in rest.prefix(count) { number = number << 8 | Number(truncatingIfNeeded: byte) }
        rest = rest.dropFirst(count)
        return number
    }

    mutating func double() -> Double? { number(UInt64.self).map { Double(bitPattern: $0) } }

    mutating func bytes(_ count: Int) -> [UInt8]? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}

/// Splits a stream of bytes into frames: a length of one or two bytes, the highest first, and that many bytes.
struct FrameReader {
    /// A frame whose length is not allowed.
    struct LengthError: Error, Hashable {
        /// The length that the frame states.
        let length: Int
    }

    let prefixBytes: Int
    let limit: Int
    private var buffer: [UInt8] = []
    private var start = 0

    /// Creates a reader of frames of 1 to `limit` bytes.
    init(prefixBytes: Int, limit: Int) {
        self.prefixBytes = prefixBytes
        self.limit = limit
    }

    mutating func append(_ bytes: some Sequence<UInt8>) {
        if start == buffer.count { buffer.removeAll(keepingCapacity: true) } else { buffer.removeFirst(start) }
        start = 0
        buffer.append(contentsOf: bytes)
    }

    /// Returns the next whole frame; nil until it has arrived. It stores no more unread bytes than the caller appends.
    ///
    /// - Throws: `LengthError` for a length of 0 or above the limit.
    mutating func next() throws(LengthError) -> [UInt8]? {
        guard buffer.count - start >= prefixBytes else { return nil }
        let length = buffer[start..<(start + prefixBytes)].reduce(0) { $0 << 8 | Int($1) }
        guard (1...limit).contains(length) else { throw LengthError(length: length) }
        let end = start + prefixBytes + length
        guard buffer.count >= end else { return nil }
        defer { start = end }
        return Array(buffer[(start + prefixBytes)..<end])
    }

    /// Returns a frame of up to 255 bytes with its length of one byte in front.
    static func frame(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count)] + bytes }
}
