/// FNV-1a, twice: 128 bits that name something by its bytes. They tell apart what was not made to be confused; they
/// protect nothing.
package enum Fingerprint {
    /// 32 hexadecimal digits.
    package static func text(of bytes: [UInt8]) -> String {
        [0xCBF2_9CE4_8422_2325, 0x8422_2325_CBF2_9CE4].map { (base: UInt64) in
            let hash = bytes.reduce(base) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            let digits = String(hash, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
