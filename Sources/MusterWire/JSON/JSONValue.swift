import MusterCore

/// A whole JSON value as a tree, for where speed does not matter. The order of an object's members is kept.
package enum JSONValue: Hashable, Sendable {
    case object([Member])
    case array([JSONValue])
    case string(String)
    /// A whole number: every one that is written without point and exponent and fits, and any other below 2^53.
    case integer(Int64)
    /// Any other number, as the nearest double; finite.
    case number(Double)
    case boolean(Bool)
    case null

    /// A key and its value.
    package struct Member: Hashable, Sendable {
        /// The key, escapes resolved.
        package var key: String
        /// Its value.
        package var value: JSONValue

        /// A key and its value.
        package init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// How many values a tree may have unless told otherwise.
    package static let defaultValueLimit = 100_000

    /// Reads one JSON text as a tree.
    ///
    /// - Parameters:
    ///   - depthLimit: how deep objects and arrays may nest, 1 to 64.
    ///   - valueLimit: how many values there may be, containers included.
    /// - Throws: the first fault: not JSON, a key twice in one object, a number too large, or over a limit.
    package init(
        parsing bytes: UnsafeRawBufferPointer, depthLimit: Int = JSONReader.defaultDepthLimit,
        valueLimit: Int = Self.defaultValueLimit
    ) throws(JSONError) {
        var reader = JSONReader(bytes, depthLimit: depthLimit)
        var room = valueLimit
        self = try reader.tree(room: &room, limit: valueLimit)
        try reader.finish()
    }

    /// Reads one JSON text as a tree, as above.
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

    /// The kind of this value.
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

    /// The value of a key, when this is an object that has it.
    ///
    /// - Complexity: O(members).
    package subscript(key: String) -> JSONValue? {
        members?.first { $0.key == key }?.value
    }

    /// The members, when this is an object.
    package var members: [Member]? { if case .object(let members) = self { members } else { nil } }
    /// The elements, when this is an array.
    package var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
    /// The text, when this is a string.
    package var string: String? { if case .string(let string) = self { string } else { nil } }
    /// The number, when this is one that is whole and fits.
    package var integer: Int64? {
        switch self {
        case .integer(let integer): integer
        case .number(let number): Int64(exactly: number)
        default: nil
        }
    }
    /// The number, when this is one.
    package var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        default: nil
        }
    }
    /// Whether it is true, when this is true or false.
    package var boolean: Bool? { if case .boolean(let boolean) = self { boolean } else { nil } }

    /// This value as JSON text.
    package var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }
}

extension JSONReader {
    /// Reads the value that comes next as a tree.
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
