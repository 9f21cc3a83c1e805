package import MusterCore

/// Writes JSON text to a byte array, and inserts the commas.
///
/// The writer checks nothing: the caller must pair `begin…` with `end…` and write a value after every key.
package struct JSONWriter {
    /// The bytes written so far.
    package private(set) var bytes: [UInt8]
    private var needsComma = false

    /// Creates a writer that appends to `bytes`, without a comma after them.
    package init(appendingTo bytes: [UInt8] = []) { self.bytes = bytes }

    /// Opens an object. The caller then writes a key and a value any number of times, and calls `endObject`.
    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    /// Closes the innermost object.
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    /// Opens an array. The caller then writes values, and calls `endArray`.
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    /// Closes the innermost array.
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes a key of plain ASCII that needs no escape.
    package mutating func key(_ key: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes any key.
    package mutating func key(_ key: String) {
        separate()
        appendQuoted(key)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes a string with the necessary escapes.
    package mutating func value(_ string: String) {
        separate()
        appendQuoted(string)
        needsComma = true
    }

    /// Writes a number with the fewest digits that read back as the same number. Writes null for a number that is not
    /// finite, which JSON cannot express.
    package mutating func value(_ number: Double) {
        separate()
        Self.append(number, to: &bytes)
        needsComma = true
    }

    /// Writes a whole number.
    package mutating func value(_ integer: some BinaryInteger) {
        separate()
        if let small = Int64(exactly: integer) {
            bytes.append(decimal: small)
        } else {
            bytes.append(contentsOf: integer.description.utf8)
        }
        needsComma = true
    }

    /// Writes `true` or `false`.
    package mutating func value(_ boolean: Bool) {
        separate()
        bytes.append(contentsOf: (boolean ? "true" : "false").utf8)
        needsComma = true
    }

    /// Writes a time as RFC 3339, UTC, with milliseconds.
    package mutating func value(_ instant: Instant) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        instant.appendRFC3339(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes `null`.
    package mutating func null() { raw("null") }

    /// Writes text that is JSON already.
    package mutating func raw(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }

    /// Writes bytes that are JSON already.
    package mutating func raw(_ text: [UInt8]) {
        separate()
        bytes.append(contentsOf: text)
        needsComma = true
    }

    /// Writes a string of plain ASCII without escapes, which a closure appends.
    mutating func plain(_ append: (inout [UInt8]) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        append(&bytes)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes the members of an object that is JSON already into the open object.
    package mutating func members(of object: [UInt8]) {
        guard object.count > 2 else { return }
        separate()
        bytes.append(contentsOf: object[1..<object.count - 1])
        needsComma = true
    }

    /// Writes a tree.
    package mutating func value(_ value: JSONValue) {
        switch value {
        case .object(let members):
            beginObject()
            for member in members {
                key(member.key)
                self.value(member.value)
            }
            endObject()
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .string(let string): self.value(string)
        case .integer(let integer): self.value(integer)
        case .number(let number): self.value(number)
        case .boolean(let boolean): self.value(boolean)
        case .null: null()
        }
    }

    /// Ends a line of newline-delimited JSON; the next value begins a new text.
    package mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    /// Appends bytes of another format, without a comma before or after them.
    mutating func append(_ text: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: text) }

    /// Returns the bytes written so far and removes them, so that a caller can send a long response in pieces.
    package mutating func takeBytes() -> [UInt8] {
        defer { bytes.removeAll() }
        return bytes
    }

    // MARK: Pieces

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    /// Writes the comma that is due. The next one is due only after another value.
    @inline(__always)
    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = false
    }

    private mutating func appendQuoted(_ string: String) {
        bytes.append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { text in
            var start = 0
            for index in 0..<text.count {
                let byte = text[index]
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
                bytes.append(contentsOf: text[start..<index])
                appendEscape(byte)
                start = index + 1
            }
            bytes.append(contentsOf: text[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func appendEscape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        default:
            bytes.append(contentsOf: "u00".utf8)
            for digit in [byte >> 4, byte & 15] { bytes.append(digit + (digit < 10 ? 0x30 : 0x57)) }
        }
    }
}

extension JSONWriter {
    /// Returns the bytes of one JSON object, whose members `write` writes.
    package static func object(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        write(&writer)
        writer.endObject()
        return writer.bytes
    }

    /// Returns a number as `value` writes it.
    package static func text(_ number: Double) -> String {
        var bytes: [UInt8] = []
        append(number, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the shortest text that reads back as the same number; `null` when it is not finite.
    package static func append(_ number: Double, to bytes: inout [UInt8]) {
        guard number.isFinite else { return bytes.append(contentsOf: "null".utf8) }
        // Coordinates have few decimals: at most 15 digits, 7 of them after the point. Such a decimal is the only one
        // of 15 digits for its double, so without trailing zeros it is the shortest.
        let scaled = (number * 1e7).rounded()
        if abs(scaled) < 1e15, scaled / 1e7 == number, !(number == 0 && number.sign == .minus) {
            appendFixed(Int64(scaled), to: &bytes)
        } else {
            var text = number.description
            text.withUTF8 { bytes.append(contentsOf: $0) }
            // Whole numbers need no `.0`. Beyond 2^53 it distinguishes a rounded number from a whole one with all its
            // digits.
            if abs(number) < 0x1p53, bytes.suffix(2).elementsEqual(".0".utf8) { bytes.removeLast(2) }
        }
    }

    /// Appends a number of ten-millionths without trailing zeros.
    private static func appendFixed(_ tenMillionths: Int64, to bytes: inout [UInt8]) {
        if tenMillionths < 0 { bytes.append(UInt8(ascii: "-")) }
        let magnitude = tenMillionths.magnitude
        var fraction = magnitude % 10_000_000
        bytes.append(decimal: Int64(magnitude / 10_000_000))
        guard fraction > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        var unit: UInt64 = 1_000_000
        while fraction > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(fraction / unit))
            fraction %= unit
            unit /= 10
        }
    }
}

extension [UInt8] {
    /// Appends a whole number in decimal digits.
    mutating func append(decimal integer: Int64) {
        if integer < 0 { append(UInt8(ascii: "-")) }
        var rest = integer.magnitude
        guard rest >= 10 else { return append(UInt8(ascii: "0") + UInt8(rest)) }
        let start = count
        while rest > 0 {
            append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        }
        self[start...].reverse()
    }

    /// Appends a number with leading zeros, in `digits` digits.
    mutating func append(padded number: Int, digits: Int) {
        var unit = 1
        for _ in 1..<digits { unit *= 10 }
        while unit > 0 {
            append(UInt8(ascii: "0") + UInt8(number / unit % 10))
            unit /= 10
        }
    }
}
