/// Base 64 (RFC 4648): with padding in the standard alphabet (section 4), and without padding in either alphabet.
package enum Base64 {
    /// The last two characters of an alphabet.
    package enum Alphabet: Sendable {
        /// `+` and `/` (section 4).
        case standard
        /// `-` and `_` (section 5).
        case forURLs
    }

    /// Decodes a padded text; nil when it is not base 64: a character that is not in the alphabet, a length that is no
    /// multiple of four, or bits set that the padding leaves unused.
    ///
    /// - Complexity: O(n).
    package static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { decode(UnsafeRawBufferPointer($0)) }
    }

    /// Decodes a padded text, given as its bytes.
    package static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        return decode(digits: text[..<(text.count - padding)], standardCode)
    }

    /// Decodes a text, padded or not; nil as `decode` returns it.
    package static func decodeUnpadded(_ text: some StringProtocol, _ alphabet: Alphabet) -> [UInt8]? {
        let digits = Array(text.utf8)
        let padding = digits.count % 4 == 0 ? digits.reversed().prefix(3).prefix { $0 == UInt8(ascii: "=") }.count : 0
        return digits.withUnsafeBytes { decode(digits: $0[..<($0.count - padding)], code(alphabet)) }
    }

    private static func decode(digits: Slice<UnsafeRawBufferPointer>, _ code: Code) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(digits.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for digit in digits {
            let value = code.values[Int(digit)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            result.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        let unused = bits & (1 << count - 1)
        return count < 6 && unused == 0 ? result : nil
    }

    /// Encodes bytes, with padding.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Encodes bytes, without padding.
    package static func encodeUnpadded(_ bytes: some Sequence<UInt8>, _ alphabet: Alphabet) -> String {
        var text: [UInt8] = []
        append(Array(bytes), to: &text, code(alphabet))
        while text.last == UInt8(ascii: "=") { text.removeLast() }
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the padded text of some bytes. The texts of pieces, one behind the other, are the text of the whole
    /// where the length of each piece but the last is a multiple of three.
    package static func append(_ bytes: [UInt8], to text: inout [UInt8]) { append(bytes, to: &text, standardCode) }

    private static func append(_ bytes: [UInt8], to text: inout [UInt8], _ code: Code) {
        text.reserveCapacity(text.count + (bytes.count + 2) / 3 * 4)
        let digits = code.digits
        var index = 0
        while index + 3 <= bytes.count {
            let bits = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
            for place in 0..<4 { text.append(digits[Int(bits >> (18 - 6 * UInt32(place)) & 63)]) }
            index += 3
        }
        let rest = bytes.count - index
        guard rest > 0 else { return }
        let bits = bytes[index...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - rest))
        for place in 0..<4 {
            text.append(place <= rest ? digits[Int(bits >> (18 - 6 * UInt32(place)) & 63)] : UInt8(ascii: "="))
        }
    }

    // MARK: Alphabets

    private struct Code: Sendable {
        let digits: [UInt8]
        /// The value of each byte; 64 for a byte that is no digit.
        let values: [UInt8]

        init(last: String) {
            digits = Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last).utf8)
            var values = [UInt8](repeating: 64, count: 256)
            for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
            self.values = values
        }
    }

    private static let standardCode = Code(last: "+/")
    private static let urlCode = Code(last: "-_")

    private static func code(_ alphabet: Alphabet) -> Code {
        switch alphabet {
        case .standard: standardCode
        case .forURLs: urlCode
        }
    }
}
