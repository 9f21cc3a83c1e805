/// A pull parser for JSON text (RFC 8259): the caller reads one value after the other, and the reader builds no tree.
///
/// The reader is strict: it requires valid UTF-8 and one value only, and refuses control characters, lone surrogates,
/// comments and trailing commas. It limits the depth of nesting and the length of a number. Numbers come out as the
/// nearest `Double`. It allocates memory only when the caller asks for a string, or for a fault.
///
/// The caller calls `beginObject`, then `nextKey` until it returns nil, and reads a value after every key; or
/// `beginArray`, then `nextElement` until it returns false, and reads a value for every element. At last it calls
/// `finish`.
///
/// - Important: The reader is valid only while the bytes are.
package struct JSONReader {
    /// The text.
    let bytes: UnsafeRawBufferPointer
    /// The offset of the next byte to read.
    package internal(set) var offset: Int
    /// Whether the reader has read nothing yet of the innermost open object or array.
    private var isAtFirst = false
    private var depth = 0
    private let depthLimit: Int

    /// The default limit of nesting.
    package static let defaultDepthLimit = 32

    /// Creates a reader at the beginning of a text.
    ///
    /// - Parameter depthLimit: how deep objects and arrays may nest, 1 to 64.
    package init(_ bytes: UnsafeRawBufferPointer, depthLimit: Int = Self.defaultDepthLimit) {
        precondition((1...64).contains(depthLimit), "depth limit out of 1...64")
        self.bytes = bytes
        self.depthLimit = depthLimit
        // A byte order mark is not JSON, but RFC 8259 allows a reader to ignore it.
        offset = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
    }

    /// Returns the kind of the next value, and consumes nothing but white space.
    @inline(__always)
    package mutating func peek() throws(JSONError) -> JSONKind {
        skipSpace()
        guard offset < bytes.count else { throw fault(.unexpectedEnd) }
        switch bytes[offset] {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        default: throw fault(.unexpectedByte(bytes[offset]))
        }
    }

    /// Opens the next value, which must be an object.
    ///
    /// - Throws: `.wrongType`, with nothing consumed, when it is of another kind.
    package mutating func beginObject() throws(JSONError) { try begin(UInt8(ascii: "{"), .object) }

    /// Opens the next value, which must be an array.
    ///
    /// - Throws: `.wrongType`, with nothing consumed, when it is of another kind.
    package mutating func beginArray() throws(JSONError) { try begin(UInt8(ascii: "["), .array) }

    /// Returns the next key of the open object, whose value comes next; nil closes the object. The caller must find
    /// duplicate keys, because only it knows which keys matter.
    package mutating func nextKey() throws(JSONError) -> JSONText? {
        guard try isFollowed(orClosedBy: UInt8(ascii: "}")) else { return nil }
        guard offset < bytes.count else { throw fault(.unexpectedEnd) }
        guard bytes[offset] == UInt8(ascii: "\"") else { throw fault(.unexpectedByte(bytes[offset])) }
        let key = try scanString()
        skipSpace()
        try expect(UInt8(ascii: ":"))
        return key
    }

    /// Returns whether the open array has another element, which comes next; false closes the array.
    package mutating func nextElement() throws(JSONError) -> Bool {
        try isFollowed(orClosedBy: UInt8(ascii: "]"))
    }

    /// Reads `true` or `false`.
    ///
    /// - Throws: `.wrongType`, with nothing consumed, when the next value is of another kind.
    package mutating func boolean() throws(JSONError) -> Bool {
        try require(.boolean)
        let isTrue = bytes[offset] == UInt8(ascii: "t")
        try scanWord(isTrue ? "true" : "false")
        return isTrue
    }

    /// Reads `null`.
    ///
    /// - Throws: `.wrongType`, with nothing consumed, when the next value is of another kind.
    package mutating func null() throws(JSONError) {
        try require(.null)
        try scanWord("null")
    }

    /// Reads a string.
    ///
    /// - Throws: `.wrongType`, with nothing consumed, when the next value is of another kind.
    package mutating func text() throws(JSONError) -> JSONText {
        try require(.string)
        return try scanString()
    }

    /// Reads a number as the nearest `Double`.
    ///
    /// - Throws: `.wrongType`, with nothing consumed, when the next value is of another kind; `.numberOverflow`, with
    ///   the number consumed, when it is too large for a `Double`.
    package mutating func number() throws(JSONError) -> Double {
        let start = offset
        let value = try decimal().double
        guard value.isFinite else { throw fault(.numberOverflow, at: start) }
        return value
    }

    /// Checks that only white space is left.
    package mutating func finish() throws(JSONError) {
        skipSpace()
        guard offset == bytes.count else { throw fault(.trailingBytes) }
    }

    /// Creates a fault at a place in this text; by default at the reader's place.
    ///
    /// - Complexity: O(place), to find the pointer.
    @inline(never)
    package func fault(_ reason: JSONError.Reason, at place: Int? = nil) -> JSONError {
        let place = place ?? offset
        return JSONError(pointer: JSONPointer.path(to: place, in: bytes), offset: place, reason: reason)
    }

    // MARK: Shared by the reading methods

    /// Checks the kind of the next value.
    mutating func require(_ kind: JSONKind) throws(JSONError) {
        let found = try peek()
        guard found == kind else { throw fault(.wrongType(expected: kind, found: found)) }
    }

    @inline(__always)
    mutating func skipSpace() {
        while offset < bytes.count {
            let byte = bytes[offset]
            guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            offset += 1
        }
    }

    @inline(__always)
    mutating func expect(_ byte: UInt8) throws(JSONError) {
        guard offset < bytes.count else { throw fault(.unexpectedEnd) }
        guard bytes[offset] == byte else { throw fault(.unexpectedByte(bytes[offset])) }
        offset += 1
    }

    mutating func scanWord(_ word: StaticString) throws(JSONError) {
        for index in 0..<word.utf8CodeUnitCount { try expect(word.utf8Start[index]) }
    }

    private mutating func begin(_ byte: UInt8, _ kind: JSONKind) throws(JSONError) {
        skipSpace()
        guard offset < bytes.count, bytes[offset] == byte else { return try require(kind) }
        try descend()
        offset += 1
        isAtFirst = true
    }

    mutating func descend() throws(JSONError) {
        guard depth < depthLimit else { throw fault(.tooDeep(limit: depthLimit)) }
        depth += 1
    }

    @inline(__always)
    private mutating func isFollowed(orClosedBy closing: UInt8) throws(JSONError) -> Bool {
        skipSpace()
        guard offset < bytes.count else { throw fault(.unexpectedEnd) }
        if bytes[offset] == closing {
            offset += 1
            depth -= 1
            isAtFirst = false
            return false
        }
        if isAtFirst {
            isAtFirst = false
        } else {
            try expect(UInt8(ascii: ","))
            skipSpace()
        }
        return true
    }
}
