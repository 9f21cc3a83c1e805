/// Hides the secrets in a report that is kept as it came: tokens of this server, and the values of keys by which apps
/// name a secret. A phone's dump of its settings has its password, for example.
enum SecretMask {
    private static let prefixes = SecretToken.Kind.allCases.map { Array($0.rawValue.utf8) }
    /// How the names of keys end whose values are secrets, in lower case, with the closing quote.
    private static let keyEnds = ["password", "token", "key", "secret"].map { Array("\($0)\"".utf8) }
    private static let mask = UInt8(ascii: "*")

    /// Returns the bytes with an asterisk for each byte of a secret.
    static func masking(_ bytes: [UInt8]) -> [UInt8] {
        var masked = bytes
        let lower = bytes.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
        for place in masked.indices {
            for prefix in prefixes where masked[place...].starts(with: prefix) {
                hide(in: &masked, from: place + prefix.count) { isOfToken($0) }
            }
            for end in keyEnds where lower[place...].starts(with: end) {
                let rest = lower[(place + end.count)...].drop { $0 <= 0x20 || $0 == UInt8(ascii: ":") }
                if rest.first == UInt8(ascii: "\"") { hideText(in: &masked, from: rest.startIndex + 1) }
            }
            if lower[place...].starts(with: Self.authority) { hideUser(in: &masked, from: place + authority.count) }
        }
        return masked
    }

    private static let authority = Array("://".utf8)

    /// Hides the user and the password of a URL, up to the `@` before its host (RFC 3986, section 3.2.1).
    private static func hideUser(in bytes: inout [UInt8], from start: Int) {
        let ends = Array("/?#\" ".utf8)
        guard let end = bytes[start...].firstIndex(where: { $0 == UInt8(ascii: "@") || ends.contains($0) }),
            bytes[end] == UInt8(ascii: "@")
        else { return }
        for place in start..<end { bytes[place] = mask }
    }

    /// Hides a string up to its closing quote, with the quotes that a backslash precedes.
    private static func hideText(in bytes: inout [UInt8], from start: Int) {
        var (place, isEscaped) = (start, false)
        while place < bytes.count, isEscaped || bytes[place] != UInt8(ascii: "\"") {
            isEscaped = !isEscaped && bytes[place] == UInt8(ascii: "\\")
            bytes[place] = mask
            place += 1
        }
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
