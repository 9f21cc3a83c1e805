/// Hides the secrets in a report that is kept as it came: tokens of this server, and the values of keys by which apps
/// name a secret. A phone's dump of its settings has its password, for example.
enum SecretMask {
    private static let prefixes = SecretToken.Kind.allCases.map { Array($0.rawValue.utf8) }
    private static let keys = ["password", "token", "encryptionKey", "secret"].map { Array("\"\($0)\"".utf8) }
    private static let mask = UInt8(ascii: "*")

    /// Returns the bytes with an asterisk for each byte of a secret.
    static func masking(_ bytes: [UInt8]) -> [UInt8] {
        var masked = bytes
        for place in masked.indices {
            for prefix in prefixes where masked[place...].starts(with: prefix) {
                hide(in: &masked, from: place + prefix.count) { isOfToken($0) }
            }
            for key in keys where masked[place...].starts(with: key) {
                let rest = masked[(place + key.count)...].drop { $0 <= 0x20 || $0 == UInt8(ascii: ":") }
                guard rest.first == UInt8(ascii: "\"") else { continue }
                hide(in: &masked, from: rest.startIndex + 1) { $0 != UInt8(ascii: "\"") }
            }
        }
        return masked
    }

    private static func hide(in bytes: inout [UInt8], from start: Int, while isSecret: (UInt8) -> Bool) {
        var place = start
        while place < bytes.count, isSecret(bytes[place]) {
            bytes[place] = mask
            place += 1
        }
    }

    private static func isOfToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
