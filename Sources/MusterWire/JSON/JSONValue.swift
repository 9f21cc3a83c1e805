import MusterCore

/// A whole JSON value as a tree, for code where speed does not matter. An object keeps the order of its members.
package enum JSONValue: Hashable, Sendable {
    case object([Member])
    case array([JSONValue])
    case string(String)
    /// A whole number: any that is written without a point and an exponent and fits, and any other below 2^53.
    case integer(Int64)
    /// Any other number, as the nearest double; finite.
    case number(Double)
    case boolean(Bool)
    case null

    /// A member of an object.
    package struct Member: Hashable, Sendable {
        /// The key, with its escapes resolved.
        package var key: String
        package var value: JSONValue

        package init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// The default limit of values in a tree.
    package static let defaultValueLimit = 100_000

    /// Reads one JSON text as a tree.
    ///
    /// - Parameters:
    ///   - depthLimit: how deep objects and arrays may nest, 1 to 64.
    ///   - valueLimit: how many values there may be, including objects and arrays.
    /// - Throws: the first fault: the text is not JSON, an object has a key twice, a number is too large, or a limit is
    ///   exceeded.
    package init(
        parsing bytes: UnsafeRawBufferPointer, depthLimit: Int = JSONReader.defaultDepthLimit,
        valueLimit: Int = Self.defaultValueLimit
    ) throws(JSONError) {
        var reader = JSONReader(bytes, depthLimit: depthLimit)
        var room = valueLimit
        self = try reader.tree(room: &room, limit: valueLimit)
        try reader.finish()
    }

    /// Reads one JSON text as a tree.
    package init(
        parsing bytes: [UInt8], depthLimit: Int = JSONReader.defaultDepthLimit,
        valueLimit: Int = Self.defaultValueLimit
    ) throws(JSONError) {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(JSONError) in
                try JSONValue(parsing: buffer, depthLimit: depthLimit, valueLimit: valueLimit)
            }
        }
        self = try result.get()
    }

    /// The value's kind.
    package var kind: JSONKind {
        switch self {
        case .object: .object
        case .array: .array
        case .string: .string
        case .integer, .number: .number
        case .boolean: .boolean
        case .null: .null
        }
    }

    /// The value of a key; nil when this is no object or does not have the key.
    ///
    /// - Complexity: O(members).
    package subscript(key: String) -> JSONValue? {
        members?.first { $0.key == key }?.value
    }

    /// The members; nil when this is no object.
    package var members: [Member]? { if case .object(let members) = self { members } else { nil } }
    /// The elements; nil when this is no array.
    package var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
    /// The text; nil when this is no string.
    package var string: String? { if case .string(let string) = self { string } else { nil } }
    /// The whole number; nil when this is no number, or one that is not whole or does not fit.
    package var integer: Int64? {
        switch self {
        case .integer(let integer): integer
        case .number(let number): Int64(exactly: number)
        default: nil
        }
    }
    /// The number; nil when this is no number.
    package var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        default: nil
        }
    }
    /// The boolean; nil when this is none.
    package var boolean: Bool? { if case .boolean(let boolean) = self { boolean } else { nil } }

    /// The value as JSON text.
    package var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }
}

extension JSONReader {
    /// Reads the next value as a tree.
    package mutating func tree(valueLimit: Int = JSONValue.defaultValueLimit) throws(JSONError) -> JSONValue {
        var room = valueLimit
        return try tree(room: &room, limit: valueLimit)
    }

    fileprivate mutating func tree(room: inout Int, limit: Int) throws(JSONError) -> JSONValue {
        guard room > 0 else { throw fault(.tooManyValues(limit: limit)) }
        room -= 1
        switch try peek() {
        case .object: return try object(room: &room, limit: limit)
        case .array:
            var elements: [JSONValue] = []
            try beginArray()
            while try nextElement() { elements.append(try tree(room: &room, limit: limit)) }
            return .array(elements)
        case .string: return .string(try text().string)
        case .number:
            let start = offset
            let number = try decimal()
            if let integer = number.integer { return .integer(integer) }
            let value = number.double
            guard value.isFinite else { throw fault(.numberOverflow, at: start) }
            if let integer = Int64(exactly: value), abs(value) < 0x1p53, value.sign == .plus || integer != 0 {
                return .integer(integer)
            }
            return .number(value)
        case .boolean: return .boolean(try boolean())
        case .null:
            try null()
            return .null
        }
    }

    private mutating func object(room: inout Int, limit: Int) throws(JSONError) -> JSONValue {
        var members: [JSONValue.Member] = []
        var seen: Set<ExactText> = []
        try beginObject()
        while let key = try nextKey() {
            let name = key.string
            guard seen.insert(ExactText(name)).inserted else { throw duplicateKey(key) }
            members.append(.init(name, try tree(room: &room, limit: limit)))
        }
        return .object(members)
    }
}
