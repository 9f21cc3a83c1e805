import MusterCoding

/// A string in a JSON text, as it is written. It is valid only while the text's bytes are.
package struct JSONText {
    /// The bytes between the quotes: valid UTF-8 with well-formed escapes.
    package let bytes: UnsafeRawBufferPointer
    /// Whether it has no escapes, so that the bytes are the text.
    package let isPlain: Bool

    init(_ bytes: UnsafeRawBufferPointer, isPlain: Bool) {
        self.bytes = bytes
        self.isPlain = isPlain
    }

    /// Whether the text is a given word, whatever its escapes.
    package static func == (text: JSONText, word: StaticString) -> Bool {
        guard text.isPlain else { return text.string == word.description }
        let count = word.utf8CodeUnitCount
        guard text.bytes.count == count else { return false }
        return text.bytes.hasEqualBytes(UnsafeRawBufferPointer(start: word.utf8Start, count: count))
    }

    /// The text with its escapes resolved.
    package var string: String {
        isPlain ? String(decoding: bytes, as: UTF8.self) : String(decoding: unescaped, as: UTF8.self)
    }

    /// Calls `body` with the bytes of the text, with its escapes resolved.
    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        isPlain ? bytes.withMemoryRebound(to: UInt8.self, body) : unescaped.withUnsafeBufferPointer(body)
    }

    /// The bytes of the text with its escapes resolved. A malformed escape becomes U+FFFD, but the reader accepts no
    /// text with one.
    private var unescaped: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            guard byte == UInt8(ascii: "\\"), position < bytes.count else {
                result.append(byte)
                continue
            }
            let escape = bytes[position]
            position += 1
            if escape == UInt8(ascii: "u") {
                result.append(contentsOf: String(scalar(at: &position)).utf8)
            } else {
                result.append(JSONReader.simpleEscape(escape) ?? escape)
            }
        }
        return result
    }

    /// Returns the scalar of the `XXXX` or `XXXX\uXXXX` at `position`, and moves `position` behind it.
    private func scalar(at position: inout Int) -> Unicode.Scalar {
        guard let high = bytes.hexadecimal(at: position) else { return "\u{FFFD}" }
        position += 4
        guard high & 0xFC00 == 0xD800 else { return Unicode.Scalar(high) ?? "\u{FFFD}" }
        guard let low = bytes.hexadecimal(at: position + 2) else { return "\u{FFFD}" }
        position += 6
        return Unicode.Scalar(0x10000 + (high & 0x3FF) << 10 + low & 0x3FF) ?? "\u{FFFD}"
    }
}

extension UnsafeRawBufferPointer {
    /// Whether both hold the same bytes. Both must have the same length.
    func hasEqualBytes(_ other: UnsafeRawBufferPointer) -> Bool {
        assert(count == other.count)
        guard count >= 8 else {
            for index in 0..<count where self[index] != other[index] { return false }
            return true
        }
        var index = 0
        while index + 8 <= count {
            guard word(at: index) == other.word(at: index) else { return false }
            index += 8
        }
        return word(at: count - 8) == other.word(at: count - 8)
    }

    /// Returns eight bytes from `offset` on, the first in the lowest place. The caller has checked that they exist.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Returns the number that four hexadecimal digits at `offset` write; nil for anything else.
    func hexadecimal(at offset: Int) -> UInt32? {
        guard offset >= 0, offset + 4 <= count else { return nil }
        var value: UInt32 = 0
        for index in offset..<offset + 4 {
            guard let digit = Hexadecimal.value(ofDigit: self[index]) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
