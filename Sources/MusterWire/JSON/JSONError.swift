/// A fault in a JSON text, and its place.
package struct JSONError: Error, Hashable, Sendable {
    /// The faulty value, as an RFC 6901 pointer; empty for the whole document.
    package var pointer: String
    /// The place in the text, in bytes from its beginning.
    package var offset: Int
    /// The fault.
    package var reason: Reason

    package init(pointer: String, offset: Int, reason: Reason) {
        self.pointer = pointer
        self.offset = offset
        self.reason = reason
    }

    /// The faults that a JSON text can have. After one of the first group the reader cannot continue, because it cannot
    /// trust the text after the fault. After one of the second group the reader stands after the value and can
    /// continue.
    package enum Reason: Hashable, Sendable {
        // The text is not JSON, or not JSON that the reader accepts.
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

        // The text is JSON, but the value is not the one that the caller requires.
        case numberOverflow
        case wrongType(expected: JSONKind, found: JSONKind)
        case missing
        case outOfRange(lowest: Double, highest: Double)
        case time(InstantError)
        case tooLong(limitBytes: Int)
        case tooMany(limit: Int)
        /// Any other fault, in words that follow "this value" in a sentence.
        case invalid(String)
    }
}

extension JSONError.Reason {
    /// Whether the text may be grammatical JSON all the same: the fault is in one value, which the reader can skip.
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

/// The faults of a request, as far as the decoder looked.
package struct JSONFaults: Error, Hashable, Sendable {
    /// The faults in the order of the text; at least one.
    package var faults: [JSONError]
    /// Whether there were more faults than are listed.
    package var hasMore: Bool

    package init(_ faults: [JSONError], hasMore: Bool = false) {
        self.faults = faults
        self.hasMore = hasMore
    }
}

/// The kinds of JSON value.
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
