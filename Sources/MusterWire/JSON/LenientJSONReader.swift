import MusterCoding
import MusterCore

extension JSONValue {
    /// Reads JSON as small devices write it. Valid JSON gives the tree that `init(parsing:)` gives. In other text, what
    /// can be read is read, and the rest is left out:
    ///
    /// - A value that is no JSON value (`nan`, `inf`, `1e999`, nothing at all) is left out: its key is missing, and in
    ///   an array it is null. A value that nests too deep is left out, too. Numbers may begin with a plus, a point or
    ///   zeros.
    /// - Extra commas are ignored. A comma that is missing is a fault.
    /// - Strings may hold raw control characters. A NUL is dropped: it ends or pads a string of C. A wrong escape is
    ///   the character after the backslash, and bytes that are not UTF-8 become U+FFFD.
    /// - Of a key that occurs twice with different values neither counts: nobody knows which the device means.
    /// - NULs, white space, commas and closing brackets may follow the value.
    ///
    /// - Parameters:
    ///   - depthLimit: how deep objects and arrays may nest, 1 to 64.
    ///   - valueLimit: how many values there may be, including objects and arrays.
    /// - Throws: the first fault that no leniency passes over: the text ends too early, it has something where a comma,
    ///   a colon, a key or an end must be, or it has too many values.
    /// - Complexity: O(n) in time and memory.
    package init(
        lenientlyParsing bytes: UnsafeRawBufferPointer, depthLimit: Int = JSONReader.defaultDepthLimit,
        valueLimit: Int = Self.defaultValueLimit
    ) throws(JSONError) {
        do throws(JSONError) {
            self = try JSONValue(parsing: bytes, depthLimit: depthLimit, valueLimit: valueLimit)
        } catch {
            var reader = LenientJSONReader(bytes, valueLimit: valueLimit)
            self = try reader.text(depthLimit: depthLimit)
        }
    }

    /// Reads JSON as small devices write it.
    package init(
        lenientlyParsing bytes: [UInt8], depthLimit: Int = JSONReader.defaultDepthLimit,
        valueLimit: Int = Self.defaultValueLimit
    ) throws(JSONError) {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(JSONError) in
                try JSONValue(lenientlyParsing: buffer, depthLimit: depthLimit, valueLimit: valueLimit)
            }
        }
        self = try result.get()
    }
}

/// Reads text that is nearly JSON; `JSONValue.init(lenientlyParsing:)` says how.
struct LenientJSONReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset: Int
    private let valueLimit: Int
    private var room: Int

    /// The longest number, `true`, `false` or `null`, in bytes; longer ones are left out.
    private static let tokenLimitBytes = 64

    init(_ bytes: UnsafeRawBufferPointer, valueLimit: Int) {
        self.bytes = bytes
        self.valueLimit = valueLimit
        room = valueLimit
        offset = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// Reads the whole text.
    mutating func text(depthLimit: Int) throws(JSONError) -> JSONValue {
        guard let value = try value(depth: depthLimit) else { throw fault(.unexpectedByte(bytes[bytes.count - 1])) }
        while offset < bytes.count {
            let byte = bytes[offset]
            guard byte <= 0x20 || Self.closings.contains(byte) else { throw fault(.trailingBytes) }
            offset += 1
        }
        return value
    }

    /// Reads a value; nil for one that is left out.
    private mutating func value(depth: Int) throws(JSONError) -> JSONValue? {
        let byte = try next()
        guard room > 0 else { throw fault(.tooManyValues(limit: valueLimit)) }
        room -= 1
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard depth > 0 else {
                var reader = JSONReader(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
                do throws(JSONError) {
                    try reader.passOver()
                } catch {
                    throw JSONError(pointer: "", offset: offset + error.offset, reason: error.reason)
                }
                offset += reader.offset
                return nil
            }
            return byte == UInt8(ascii: "{") ? try object(depth: depth - 1) : try array(depth: depth - 1)
        case UInt8(ascii: "\""): return .string(try string())
        // No value at all.
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): return nil
        case UInt8(ascii: ":"): throw fault(.unexpectedByte(byte))
        default: return Self.scalar(token())
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        offset += 1
        var members: [JSONValue.Member?] = []
        var places: [ExactText: Int] = [:]
        while let byte = try nextItem(closing: UInt8(ascii: "}"), isFirst: members.isEmpty) {
            guard byte == UInt8(ascii: "\"") else { throw fault(.unexpectedByte(byte)) }
            let key = try string()
            let colon = try next()
            guard colon == UInt8(ascii: ":") else { throw fault(.unexpectedByte(colon)) }
            offset += 1
            let value = try value(depth: depth)
            let member = value.map { JSONValue.Member(key, $0) }
            if let place = places[ExactText(key)] {
                if members[place]?.value != value { members[place] = nil }
                // Counts as an item, so that a comma must follow.
                members.append(nil)
            } else {
                places[ExactText(key)] = members.count
                members.append(member)
            }
        }
        return .object(members.compactMap { $0 })
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        offset += 1
        var elements: [JSONValue] = []
        while let byte = try nextItem(closing: UInt8(ascii: "]"), isFirst: elements.isEmpty) {
            guard byte != UInt8(ascii: "}") else { throw fault(.unexpectedByte(byte)) }
            elements.append(try value(depth: depth) ?? .null)
        }
        return .array(elements)
    }

    /// Moves to the next member or element, and returns its first byte; nil when the object or array closes. At least
    /// one comma must come before all but the first.
    private mutating func nextItem(closing: UInt8, isFirst: Bool) throws(JSONError) -> UInt8? {
        var isSeparated = isFirst
        while true {
            let byte = try next()
            switch byte {
            case UInt8(ascii: ","): isSeparated = true
            case closing:
                offset += 1
                return nil
            default:
                guard isSeparated else { throw fault(.unexpectedByte(byte)) }
                return byte
            }
            offset += 1
        }
    }

    /// Moves behind white space and control characters, and returns the next byte.
    private mutating func next() throws(JSONError) -> UInt8 {
        while offset < bytes.count, bytes[offset] <= 0x20 { offset += 1 }
        guard offset < bytes.count else { throw fault(.unexpectedEnd) }
        return bytes[offset]
    }

    /// Reads what is neither a string nor an object nor an array, up to its end.
    private mutating func token() -> UnsafeRawBufferPointer {
        let start = offset
        while offset < bytes.count, bytes[offset] > 0x20, bytes[offset] != UInt8(ascii: "\""),
            !Self.closings.contains(bytes[offset])
        {
            offset += 1
        }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
    }

    private static let closings: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}")]

    /// Returns what a token stands for; nil when that is no JSON value.
    private static func scalar(_ token: UnsafeRawBufferPointer) -> JSONValue? {
        guard token.count <= tokenLimitBytes else { return nil }
        let text = String(decoding: token, as: UTF8.self)
        switch text.lowercased() {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "null": return .null
        default: return JSONValue(decimal: text)
        }
    }

    // MARK: Strings

    /// Reads the string whose opening quote is at `offset`.
    private mutating func string() throws(JSONError) -> String {
        offset += 1
        var text: [UInt8] = []
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): appendEscape(to: &text)
            case 0: break
            default: text.append(byte)
            }
        }
        throw fault(.unexpectedEnd)
    }

    /// Appends the character after a backslash.
    private mutating func appendEscape(to text: inout [UInt8]) {
        guard offset < bytes.count else { return }
        let letter = bytes[offset]
        offset += 1
        guard letter == UInt8(ascii: "u"), let first = bytes.hexadecimal(at: offset) else {
            text.append(JSONReader.simpleEscape(letter) ?? letter)
            return
        }
        offset += 4
        var scalar = Unicode.Scalar(first)
        if first & 0xFC00 == 0xD800, offset + 6 <= bytes.count, bytes[offset] == UInt8(ascii: "\\"),
            bytes[offset + 1] == UInt8(ascii: "u"), let second = bytes.hexadecimal(at: offset + 2),
            second & 0xFC00 == 0xDC00
        {
            offset += 6
            scalar = Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF)
        }
        guard scalar != "\0" else { return }
        text += String(Character(scalar ?? "\u{FFFD}")).utf8
    }

    /// Creates a fault at the reader's place. The text is no JSON, so nothing names the place but its offset.
    private func fault(_ reason: JSONError.Reason) -> JSONError {
        JSONError(pointer: "", offset: offset, reason: reason)
    }
}
