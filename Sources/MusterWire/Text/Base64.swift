/// Base 64 (RFC 4648 §4), with its padding.
package enum Base64 {
    /// The bytes that a text stands for; nil when it is not base 64: a foreign character, a length that is no multiple
    /// of four, or bits set that the padding leaves unused.
    ///
    /// - Complexity: O(n).
    package static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { decode(UnsafeRawBufferPointer($0)) }
    }

    /// The bytes that a text stands for, as above.
    package static func decode(_ digits: UnsafeRawBufferPointer) -> [UInt8]? {
        guard digits.count % 4 == 0 else { return nil }
        let padding = digits.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        var result: [UInt8] = []
        result.reserveCapacity(digits.count / 4 * 3)
        var bits: UInt32 = 0
        var count = 0
        for digit in digits.dropLast(padding) {
            let value = values[Int(digit)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        let unused = bits & (1 << UInt32(count) - 1)
        return unused == 0 ? result : nil
    }

    /// The text that stands for some bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the text that stands for some bytes. Pieces put one behind the other make one text as long as each but
    /// the last is of a multiple of three bytes.
    package static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        text.reserveCapacity(text.count + (bytes.count + 2) / 3 * 4)
        var index = 0
        while index + 3 <= bytes.count {
            let bits = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
            for place in 0..<4 { text.append(alphabet[Int(bits >> (18 - 6 * UInt32(place)) & 63)]) }
            index += 3
        }
        let rest = bytes.count - index
        guard rest > 0 else { return }
        let bits = bytes[index...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - rest))
        for place in 0..<4 {
            text.append(place <= rest ? alphabet[Int(bits >> (18 - 6 * UInt32(place)) & 63)] : UInt8(ascii: "="))
        }
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// What each byte stands for; 64 for one that stands for nothing.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 64, count: 256)
        for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()
}
