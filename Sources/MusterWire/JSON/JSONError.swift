/// What is wrong with a JSON text, and where.
package struct JSONError: Error, Hashable, Sendable {
    /// The value at fault, as an RFC 6901 pointer; empty for the whole document.
    package var pointer: String
    /// Where in the text, in bytes from its beginning.
    package var offset: Int
    /// What is wrong there.
    package var reason: Reason

    /// A fault at a place.
    package init(pointer: String, offset: Int, reason: Reason) {
        self.pointer = pointer
        self.offset = offset
        self.reason = reason
    }

    /// What can be wrong. The first group stops the reading, since nothing behind it can be trusted; after the second
    /// the reader stands behind the value and may go on.
    package enum Reason: Hashable, Sendable {
        // The text is not JSON, or not JSON that we take.
        case unexpectedEnd
        case unexpectedByte(UInt8)
        case trailingBytes
        case invalidUTF8
        case controlCharacter
        case invalidEscape
        case loneSurrogate
        case invalidNumber
        case numberTooLong(limitBytes: Int)
        case tooDeep(limit: Int)
        case tooManyValues(limit: Int)
        case duplicateKey

        // The text is JSON, the value is not what was asked for.
        case numberOverflow
        case wrongType(expected: JSONKind, found: JSONKind)
        case missing
        case outOfRange(lowest: Double, highest: Double)
        case time(InstantError)
        case tooLong(limitBytes: Int)
        case tooMany(limit: Int)
        /// Anything else, in words that follow on "this value".
        case invalid(String)
    }
}

extension JSONError.Reason {
    /// Whether the text may be JSON by its grammar all the same: what is wrong is one value, which can be passed over.
    package var isOfOneValue: Bool {
        switch self {
        case .unexpectedEnd, .unexpectedByte, .trailingBytes, .invalidUTF8, .controlCharacter, .invalidEscape,
            .invalidNumber:
            false
        case .loneSurrogate, .numberTooLong, .tooDeep, .tooManyValues, .duplicateKey, .numberOverflow, .wrongType,
            .missing, .outOfRange, .time, .tooLong, .tooMany, .invalid:
            true
        }
    }
}

extension JSONError.Reason: CustomStringConvertible {
    /// One sentence without a full stop, for the person who wrote the client.
    package var description: String {
        switch self {
        case .unexpectedEnd: "the text ends too early"
        case .unexpectedByte(let byte): "unexpected \(Self.name(of: byte))"
        case .trailingBytes: "something follows the end of the JSON value"
        case .invalidUTF8: "the text is not valid UTF-8"
        case .controlCharacter: "a control character in a string must be escaped"
        case .invalidEscape: "no such escape sequence"
        case .loneSurrogate: "half of a surrogate pair"
        case .invalidNumber: "not a number as JSON writes it"
        case .numberTooLong(let limit): "a number is written with at most \(limit) characters"
        case .tooDeep(let limit): "nested deeper than \(limit) levels"
        case .tooManyValues(let limit): "more than \(limit) values"
        case .duplicateKey: "the key appears twice in one object"
        case .numberOverflow: "the number is too large"
        case .wrongType(let expected, let found): "must be \(expected.article), is \(found.article)"
        case .missing: "is required"
        case .outOfRange(let lowest, let highest): Self.range(lowest, highest)
        case .time(let fault): fault.description
        case .tooLong(let limit): "is longer than \(limit) bytes"
        case .tooMany(let limit): "has more than \(limit) items"
        case .invalid(let words): words
        }
    }

    private static func name(of byte: UInt8) -> String {
        byte > 0x20 && byte < 0x7F ? "character '\(Character(Unicode.Scalar(byte)))'" : "byte \(byte)"
    }

    private static func range(_ lowest: Double, _ highest: Double) -> String {
        highest.isFinite && highest < .greatestFiniteMagnitude
            ? "must be \(JSONWriter.text(lowest)) to \(JSONWriter.text(highest))"
            : "must be \(JSONWriter.text(lowest)) or more"
    }
}

extension JSONError: CustomStringConvertible {
    package var description: String { "\(pointer.isEmpty ? "/" : pointer) (byte \(offset)): \(reason)" }
}

/// Everything that is wrong with a request, as far as it was looked at.
package struct JSONFaults: Error, Hashable, Sendable {
    /// At least one, in the order of the text.
    package var faults: [JSONError]
    /// Whether there were more than are listed.
    package var hasMore: Bool

    /// A list of faults.
    package init(_ faults: [JSONError], hasMore: Bool = false) {
        self.faults = faults
        self.hasMore = hasMore
    }
}

/// The kinds of value that JSON knows.
package enum JSONKind: UInt8, Hashable, Sendable {
    case object, array, string, number, boolean, null

    /// The kind with its article, for messages.
    package var article: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .boolean: "true or false"
        case .null: "null"
        }
    }
}
