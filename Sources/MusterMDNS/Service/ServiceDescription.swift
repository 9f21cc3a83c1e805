/// A service to advertise.
package struct ServiceDescription: Hashable, Sendable {
    /// The type, as `_http._tcp`.
    package var type: String
    /// The name that a person chooses the service by: up to 63 bytes of UTF-8. If another host has it already, a number
    /// is appended.
    package var name: String
    package var port: UInt16
    package var text: ServiceText

    package init(type: String, name: String, port: UInt16, text: ServiceText = [:]) {
        (self.type, self.name, self.port, self.text) = (type, name, port, text)
    }
}

/// Why a service cannot be advertised or looked for.
package enum ServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The type is not of the form `_name._tcp` or `_name._udp` with a name of 1 to 15 letters, digits and hyphens
    /// (RFC 6763, section 7; RFC 6335, section 5.1).
    case badType(String)
    /// The name is empty or longer than 63 bytes, or with its type longer than a domain name may be.
    case badName(String)
    /// The text has a bad key, or is too long.
    case badText
    /// The host already advertises as many services, or looks for as many types, as it may.
    case tooMany(limit: Int)
    /// Multicast DNS has stopped.
    case stopped

    package var description: String {
        switch self {
        case .badType(let type): "\(type) is not a service type: write it as _name._tcp or _name._udp"
        case .badName(let name): "\(name) is not a service name: use 1 to 63 bytes"
        case .badText: "the text of a service has a key that is not printable ASCII, or is too long"
        case .tooMany(let limit): "more than \(limit) services are advertised or browsed for"
        case .stopped: "multicast DNS has stopped"
        }
    }
}

/// Names of DNS-SD (RFC 6763).
enum ServiceNames {
    /// The name under which DNS-SD lists the advertised types (RFC 6763, section 9).
    static let types = DNSName(labels: ["_services", "_dns-sd", "_udp", "local"].map { Array($0.utf8) }) ?? .local

    /// The domain name of a type of services, in `local`.
    static func type(_ text: String) throws(ServiceError) -> DNSName {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Array($0.utf8) }
        guard parts.count == 2, parts[1] == Array("_tcp".utf8) || parts[1] == Array("_udp".utf8),
            (2...16).contains(parts[0].count), parts[0].first == UInt8(ascii: "_"),
            parts[0].dropFirst().allSatisfy(isLetterDigitOrHyphen),
            let name = DNSName(labels: parts + [Array("local".utf8)])
        else { throw .badType(text) }
        return name
    }

    private static func isLetterDigitOrHyphen(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// The type as a person writes it: without the domain.
    static func text(of type: DNSName) -> String {
        DNSName(labels: type.labels.dropLast())?.description ?? type.description
    }

    /// Returns a name with a number appended, such as "Printer (2)" (RFC 6762, section 9; RFC 6763, appendix D). A name
    /// that becomes longer than 63 bytes is cut before the number, between characters.
    static func numbered(_ name: String, _ number: Int) -> String {
        let ending = " (\(number))"
        var name = name
        while name.utf8.count + ending.utf8.count > DNSName.limitLabelBytes { name.removeLast() }
        return name + ending
    }
}
