/// Pulls values out of a JSON text (RFC 8259), one after the other, without building anything.
///
/// Strict: valid UTF-8, no control characters, no lone surrogates, no comments, no trailing comma, and one value only.
/// Bounded: nesting, the length of a number. Numbers come out as the nearest `Double`. It allocates nothing unless a
/// string is asked for or something is wrong.
///
/// The caller's loops are the state: `beginObject`, `nextKey` until nil, a value for every key; `beginArray`,
/// `nextElement` until false, a value for every element; at last `finish`.
///
/// - Important: Valid only while the bytes are.
package struct JSONReader {
    /// The text.
    let bytes: UnsafeRawBufferPointer
    /// Where the next byte is read.
    package internal(set) var offset: Int
    /// Whether nothing of the innermost open object or array was read yet.
    private var isAtFirst = false
    private var depth = 0
    private let depthLimit: Int

    /// The depth of nesting that is taken unless told otherwise.
    package static let defaultDepthLimit = 32

    /// Reads a text from its beginning.
    ///
    /// - Parameter depthLimit: how deep objects and arrays may nest, 1 to 64.
    package init(_ bytes: UnsafeRawBufferPointer, depthLimit: Int = Self.defaultDepthLimit) {
        precondition((1...64).contains(depthLimit), "depth limit out of 1...64")
        self.bytes = bytes
        self.depthLimit = depthLimit
        // A byte order mark is no JSON, but RFC 8259 lets a reader ignore it.
        offset = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
    }

    /// The kind of the value that comes next; nothing is consumed but white space.
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

    /// Opens the object that comes next.
    ///
    /// - Throws: `.wrongType`, with nothing consumed, when it is none.
    package mutating func beginObject() throws(JSONError) { try begin(UInt8(ascii: "{"), .object) }

    /// Opens the array that comes next.
    ///
    /// - Throws: `.wrongType`, with nothing consumed, when it is none.
    package mutating func beginArray() throws(JSONError) { try begin(UInt8(ascii: "["), .array) }

    /// The next key of the open object, its value coming next; nil closes the object. Duplicates are for the caller to
    /// find, who knows which keys matter.
    package mutating func nextKey() throws(JSONError) -> JSONText? {
        guard try isFollowed(orClosedBy: UInt8(ascii: "}")) else { return nil }
        guard offset < bytes.count else { throw fault(.unexpectedEnd) }
        guard bytes[offset] == UInt8(ascii: "\"") else { throw fault(.unexpectedByte(bytes[offset])) }
        let key = try scanString()
        skipSpace()
        try expect(UInt8(ascii: ":"))
        return key
    }

    /// Whether the open array has another element, which comes next; false closes the array.
    package mutating func nextElement() throws(JSONError) -> Bool {
        try isFollowed(orClosedBy: UInt8(ascii: "]"))
    }

    /// Reads `true` or `false`.
    ///
    /// - Throws: `.wrongType`, with nothing consumed, when something else comes next.
    package mutating func boolean() throws(JSONError) -> Bool {
        try require(.boolean)
        let isTrue = bytes[offset] == UInt8(ascii: "t")
        try scanWord(isTrue ? "true" : "false")
        return isTrue
    }

    /// Reads `null`.
    ///
    /// - Throws: `.wrongType`, with nothing consumed, when something else comes next.
    package mutating func null() throws(JSONError) {
        try require(.null)
        try scanWord("null")
    }

    /// Reads a string.
    ///
    /// - Throws: `.wrongType`, with nothing consumed, when something else comes next.
    package mutating func text() throws(JSONError) -> JSONText {
        try require(.string)
        return try scanString()
    }

    /// Reads a number as the nearest `Double`.
    ///
    /// - Throws: `.wrongType`, with nothing consumed, when something else comes next; `.numberOverflow`, with the
    ///   number consumed, when it is beyond what a `Double` holds.
    package mutating func number() throws(JSONError) -> Double {
        let start = offset
        let value = try decimal().double
        guard value.isFinite else { throw fault(.numberOverflow, at: start) }
        return value
    }

    /// Makes sure that nothing but white space is left.
    package mutating func finish() throws(JSONError) {
        skipSpace()
        guard offset == bytes.count else { throw fault(.trailingBytes) }
    }

    /// A fault at a place in this text; at the place where the reader stands unless told otherwise.
    ///
    /// - Complexity: O(place), to find the pointer.
    @inline(never)
    package func fault(_ reason: JSONError.Reason, at place: Int? = nil) -> JSONError {
        let place = place ?? offset
        return JSONError(pointer: JSONPointer.path(to: place, in: bytes), offset: place, reason: reason)
    }

    // MARK: What the readings share

    /// Makes sure that a value of a kind comes next.
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
