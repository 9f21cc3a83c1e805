import MusterCoding

/// A name of 128 bits for some bytes, by FNV-1a twice. Different bytes get different names, unless someone made them to
/// collide: it protects nothing.
package enum Fingerprint {
    /// Returns the fingerprint as 32 hexadecimal digits.
    package static func text(of bytes: [UInt8]) -> String {
        var digits: [UInt8] = []
        for base: UInt64 in [0xCBF2_9CE4_8422_2325, 0x8422_2325_CBF2_9CE4] {
            digits.append(hexadecimal: bytes.reduce(base) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
