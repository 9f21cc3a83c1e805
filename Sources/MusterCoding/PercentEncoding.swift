/// Percent-encoding (RFC 3986, section 2.1).
package enum PercentEncoding {
    /// Decodes a text; nil when the result is not UTF-8, or an escape is not `%` and two hexadecimal digits.
    package static func decode(_ text: some StringProtocol) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let decoded = Hexadecimal.decode(rest.prefix(2)), let value = decoded.first else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(utf8: bytes)
    }

    /// Encodes a text as one segment of a path, or as one name or value of a query: every byte but the unreserved
    /// characters (RFC 3986, section 2.3).
    ///
    /// - Parameter sparing: reserved characters, in ASCII, that stay as they are.
    package static func encode(_ text: some StringProtocol, sparing: String = "") -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if sparing.utf8.contains(byte) { bytes.append(byte) } else { append(byte, to: &bytes) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends one byte, encoded unless it is an unreserved character.
    package static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            bytes.append(byte)
        default:
            bytes.append(UInt8(ascii: "%"))
            bytes.append(Hexadecimal.digit(byte >> 4, upperCase: true))
            bytes.append(Hexadecimal.digit(byte & 15, upperCase: true))
        }
    }
}
