/// Hexadecimal digits (RFC 4648, section 8).
package enum Hexadecimal {
    /// The value of a digit in either case; nil for any other byte.
    package static func value(ofDigit byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The digit of a value below 16.
    package static func digit(_ value: UInt8, upperCase: Bool = false) -> UInt8 {
        value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: upperCase ? "A" : "a") - 10)
    }

    /// Writes 32 digits as a UUID (RFC 9562, section 4): in groups of 8, 4, 4, 4 and 12.
    package static func uuid(_ digits: some Collection<UInt8>) -> String {
        precondition(digits.count == 32)
        var text: [UInt8] = []
        for (place, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(place) { text.append(UInt8(ascii: "-")) }
            text.append(digit)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes pairs of digits; nil for an odd number of digits, and for any other byte.
    package static func decode(_ digits: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = digits.makeIterator()
        while let first = rest.next() {
            guard let high = value(ofDigit: first), let low = rest.next().flatMap(value(ofDigit:)) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}

extension [UInt8] {
    /// Appends the 16 digits of a number, the highest first.
    package mutating func append(hexadecimal number: UInt64, upperCase: Bool = false) {
        for shift in stride(from: 60, through: 0, by: -4) {
            append(Hexadecimal.digit(UInt8(truncatingIfNeeded: number >> UInt64(shift)) & 15, upperCase: upperCase))
        }
    }
}

extension Sequence<UInt8> {
    /// The bytes as hexadecimal digits, lower-case.
    package var hexadecimal: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(64)
        for byte in self {
            digits.append(Hexadecimal.digit(byte >> 4))
            digits.append(Hexadecimal.digit(byte & 15))
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
