import MusterCore

/// Skips values that a caller does not need, and checks them.
extension JSONReader {
    /// Skips the next value, of any kind, and checks all of it: syntax, depth, text encoding, the size of numbers, and
    /// that no object has a key twice. `JSONValue` can read every value that this accepts.
    ///
    /// - Returns: the bytes of the value, without surrounding white space.
    /// - Complexity: O(n), and O(k log k) for an object of k keys.
    @discardableResult
    package mutating func skip() throws(JSONError) -> UnsafeRawBufferPointer {
        let kind = try peek()
        let start = offset
        switch kind {
        case .string: _ = try scanString()
        case .number: try skipNumber()
        case .boolean: _ = try boolean()
        case .null: try null()
        case .object, .array: try skipContainer()
        }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
    }

    /// Reads the next value as if it were a text of its own: it may nest to the full depth wherever it is, and the
    /// place of a fault is its place in the value, which is found without another walk over the text before it.
    ///
    /// - Throws: the errors of `read`, with nothing consumed; `JSONError` when no value comes next.
    package mutating func alone<Result>(
        depthLimit: Int, _ read: (inout JSONReader) throws -> Result
    ) throws -> Result {
        _ = try peek()
        var inner = JSONReader(UnsafeRawBufferPointer(rebasing: bytes[offset...]), depthLimit: depthLimit)
        let result = try read(&inner)
        offset += inner.offset
        return result
    }

    /// Skips the next value, however deep it nests, and looks only for its end. A caller that refuses a value uses this
    /// to read what comes after it.
    ///
    /// - Throws: `.unexpectedEnd` when the value does not end.
    /// - Complexity: O(n), without memory.
    package mutating func passOver() throws(JSONError) {
        switch try peek() {
        case .string: try passOverString()
        case .object, .array:
            var levels = 0
            repeat {
                guard offset < bytes.count else { throw fault(.unexpectedEnd) }
                switch bytes[offset] {
                case UInt8(ascii: "{"), UInt8(ascii: "["): levels += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"): levels -= 1
                case UInt8(ascii: "\""):
                    try passOverString()
                    continue
                default: break
                }
                offset += 1
            } while levels > 0
        case .number, .boolean, .null:
            while offset < bytes.count, bytes[offset] > 0x20, !Self.ends.contains(bytes[offset]) { offset += 1 }
        }
    }

    /// The characters that end a number, `true`, `false` or `null`.
    private static let ends: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}")]

    private mutating func passOverString() throws(JSONError) {
        offset += 1
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
            offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard offset < bytes.count else {
            offset = bytes.count
            throw fault(.unexpectedEnd)
        }
        offset += 1
    }

    private mutating func skipNumber() throws(JSONError) {
        let start = offset
        let number = try scanDecimal()
        guard number.exponent < 280 || number.double.isFinite, number.isExact || number.double.isFinite else {
            throw fault(.numberOverflow, at: start)
        }
    }

    /// Skips an object or array without recursion. One bit for every open level records which of the two it is.
    private mutating func skipContainer() throws(JSONError) {
        var objects: UInt64 = 0
        var levels = 0
        var keys = KeyLedger()
        repeat {
            switch try peek() {
            case .object:
                try beginObject()
                objects = objects << 1 | 1
                levels += 1
                keys.open()
            case .array:
                try beginArray()
                objects <<= 1
                levels += 1
            case .string: _ = try scanString()
            case .number: try skipNumber()
            case .boolean: _ = try boolean()
            case .null: try null()
            }
            // Close every level that ends here, and stop before the next value.
            while levels > 0 {
                if objects & 1 == 0 {
                    if try nextElement() { break }
                } else {
                    if let key = try nextKey() {
                        keys.recordKey(key)
                        break
                    }
                    if let twice = keys.close() { throw duplicateKey(twice) }
                }
                objects >>= 1
                levels -= 1
            }
        } while levels > 0
    }

    /// Returns the fault of a key that occurs twice in its object.
    @inline(never)
    package func duplicateKey(_ key: JSONText) -> JSONError {
        guard let base = bytes.baseAddress, let start = key.bytes.baseAddress else { return fault(.duplicateKey) }
        var result = fault(.duplicateKey, at: start - base - 1)
        result.pointer = JSONPointer.appending(key.string, to: result.pointer)
        return result
    }
}

/// The keys of all open objects, by which a reader finds a key that occurs twice.
package struct KeyLedger {
    private var keys: [JSONText] = []
    /// The index in `keys` at which each open object begins.
    private var starts: [Int] = []

    package init() {}

    /// Begins an object inside the innermost one.
    package mutating func open() { starts.append(keys.count) }

    /// Adds a key of the innermost object.
    package mutating func recordKey(_ key: JSONText) { keys.append(key) }

    /// Ends the innermost object.
    ///
    /// - Returns: a key that occurred twice in it; nil when all differ.
    package mutating func close() -> JSONText? {
        guard let start = starts.popLast() else { return nil }
        defer { keys.removeSubrange(start...) }
        let own = keys[start...]
        return own.count <= 8 ? Self.duplicateAmongFew(own) : Self.duplicateAmongMany(own)
    }

    private static func duplicateAmongFew(_ keys: ArraySlice<JSONText>) -> JSONText? {
        for (index, key) in zip(keys.indices, keys) {
            for earlier in keys[..<index] where earlier.isSame(as: key) { return key }
        }
        return nil
    }

    private static func duplicateAmongMany(_ keys: ArraySlice<JSONText>) -> JSONText? {
        var seen: Set<ExactText> = []
        seen.reserveCapacity(keys.count)
        for key in keys where !seen.insert(ExactText(key.string)).inserted { return key }
        return nil
    }
}

extension JSONText {
    /// Whether two keys are equal, code point by code point.
    fileprivate func isSame(as other: JSONText) -> Bool {
        guard isPlain, other.isPlain else { return ExactText(string) == ExactText(other.string) }
        return bytes.count == other.bytes.count && bytes.hasEqualBytes(other.bytes)
    }
}
