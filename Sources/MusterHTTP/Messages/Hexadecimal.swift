extension Sequence<UInt8> {
    /// The bytes as hexadecimal digits, lower-case.
    package var hexadecimal: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(64)
        for byte in self {
            for digit in [byte >> 4, byte & 15] { digits.append(digit + (digit < 10 ? 0x30 : 0x57)) }
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
