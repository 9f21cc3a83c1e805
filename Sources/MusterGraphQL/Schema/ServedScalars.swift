import MusterCore
import MusterWire
import NIOCore

/// The scalars of AWS AppSync, as its documentation describes them.
enum ServedScalars {
    static let all: [String: GraphQLScalar] = [
        "AWSDateTime": texts("AWSDateTime", "a text that is not a time of RFC 3339 with its offset") {
            (try? Instant(rfc3339: $0)) != nil
        },
        "AWSDate": texts("AWSDate", "a text that is not a date of ISO 8601, as 2026-11-21", isDate),
        "AWSTime": texts("AWSTime", "a text that is not a time of ISO 8601, as 09:30:00.000", isTime),
        "AWSURL": texts("AWSURL", "a text that is not a URL with its scheme", isURL),
        "AWSIPAddress": texts("AWSIPAddress", "a text that is no address of IPv4 or IPv6", isAddress),
        "AWSJSON": texts("AWSJSON", "a text that is not JSON") { (try? JSONValue(parsing: Array($0.utf8))) != nil },
        "AWSTimestamp": GraphQLScalar { value throws(GraphQLScalarFault) in
            guard let number = value.integer, number >= 0 else {
                throw refuse("AWSTimestamp", "a value that is no whole number of milliseconds")
            }
            return value
        },
        "AWSEmail": texts("AWSEmail", "a text that is no e-mail address") { User.isEmail($0) },
        "AWSPhone": texts("AWSPhone", "a text that is no telephone number") { User.isPhone($0) },
    ]

    /// A scalar that takes the texts for which a closure returns true.
    ///
    /// - Parameter fault: says of any other value what it is.
    private static func texts(
        _ name: String, _ fault: String, _ takes: @escaping @Sendable (String) -> Bool
    ) -> GraphQLScalar {
        GraphQLScalar { value throws(GraphQLScalarFault) in
            guard let text = value.string, takes(text) else { throw refuse(name, fault) }
            return value
        }
    }

    private static func refuse(_ scalar: String, _ words: String) -> GraphQLScalarFault {
        GraphQLScalarFault("\(scalar) cannot represent \(words).")
    }

    /// Whether a text is a date, `YYYY-MM-DD`, alone or with an offset, `Z` or `±hh:mm`.
    @Sendable private static func isDate(_ text: String) -> Bool {
        let (date, offset) = (text.utf8.prefix(10), text.utf8.dropFirst(10))
        guard let date = String(date), let offset = String(offset) else { return false }
        return isInstant("\(date)T00:00:00\(offset.isEmpty ? "Z" : offset)")
    }

    /// Whether a text is a time of day, `hh:mm:ss` with any fraction, alone or with an offset, `Z` or `±hh:mm`.
    @Sendable private static func isTime(_ text: String) -> Bool {
        let hasOffset = text.utf8.contains { "Z+-".utf8.contains($0) }
        return isInstant("2000-01-01T\(text)\(hasOffset ? "" : "Z")")
    }

    /// Whether a text is a moment as RFC 3339 writes it, in capital letters.
    private static func isInstant(_ text: String) -> Bool {
        text.utf8.count <= 64 && text.utf8.dropFirst(10).first == UInt8(ascii: "T")
            && !text.utf8.contains { "tz".utf8.contains($0) } && (try? Instant(rfc3339: text)) != nil
    }

    /// Whether a text is a URL of RFC 1738: a scheme, and visible characters of ASCII that need no escape. Its path has
    /// no `//`.
    @Sendable private static func isURL(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text.utf8.count <= 8_192 else { return false }
        let (scheme, rest) = (text.utf8[..<colon], text.utf8[text.utf8.index(after: colon)...])
        let isLetter = { (byte: UInt8) in (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
        let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        guard let first = scheme.first, isLetter(first),
            scheme.allSatisfy({ isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }),
            rest.allSatisfy({ (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) })
        else { return false }
        let hasHost = rest.starts(with: "//".utf8)
        let path = (hasHost ? rest.dropFirst(2) : rest).prefix { !"?#".utf8.contains($0) }
        guard let start = path.first, !hasHost || start != UInt8(ascii: "/") else { return false }
        return !zip(path, path.dropFirst()).contains { $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: "/") }
    }

    /// Whether a text is an address of IPv4 or IPv6, alone or with the length of a prefix.
    @Sendable private static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        // No zone, such as `%eth0`: it means something on one machine alone.
        guard text.utf8.count <= 64, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "%") }),
            let address = try? SocketAddress(ipAddress: String(parts[0]), port: 0)
        else { return false }
        guard parts.count == 2 else { return true }
        let bits = address.protocol == .inet ? 32 : 128
        return Int(parts[1]).map { (0...bits).contains($0) && "\($0)" == parts[1] } ?? false
    }
}
