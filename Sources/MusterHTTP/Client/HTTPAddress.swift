import Foundation

/// The address of a target: a valid http or https URL.
package struct HTTPAddress: Hashable, Sendable {
    /// Whether the connection uses TLS.
    package let isEncrypted: Bool
    /// A name or a literal address, without brackets.
    package let host: String
    package let port: Int
    /// The target of the request line: path and query, percent-encoded as in the URL.
    let requestTarget: String

    /// The key by which connections are shared.
    package var origin: Origin { Origin(isEncrypted: isEncrypted, host: host, port: port) }

    /// A scheme, host and port.
    package struct Origin: Hashable, Sendable {
        package let isEncrypted: Bool
        package let host: String
        package let port: Int
    }

    /// The value of the `Host` field.
    var hostField: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isEncrypted ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// Scheme, host and port. Only this part of a URL may be shown, because the path may hold a secret.
    package var shown: String { "\(isEncrypted ? "https" : "http")://\(hostField)" }

    package static let limitBytes = 2048

    /// The reason why a text is not a valid target address.
    package struct ParsingError: Error, Hashable {
        package let detail: String
    }

    /// Parses a URL.
    ///
    /// - Throws: `ParsingError` for anything but http and https, user names, fragments, and characters that a URL must
    ///   percent-encode.
    package init(_ text: String) throws(ParsingError) {
        guard text.utf8.count <= Self.limitBytes else {
            throw ParsingError(detail: "is longer than \(Self.limitBytes) bytes")
        }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }) else {
            throw ParsingError(detail: "must be ASCII without spaces: encode a path in percent, a name in punycode")
        }
        guard let parts = URLComponents(string: text) else { throw ParsingError(detail: "is not a URL") }
        switch parts.scheme?.lowercased() {
        case "http": isEncrypted = false
        case "https": isEncrypted = true
        default: throw ParsingError(detail: "must begin with http:// or https://")
        }
        guard parts.user == nil, parts.password == nil else {
            throw ParsingError(detail: "must not name a user: send a header instead")
        }
        guard parts.fragment == nil else { throw ParsingError(detail: "must not have a fragment") }
        guard let named = parts.percentEncodedHost, !named.isEmpty, !named.contains("%") else {
            throw ParsingError(detail: "names no host")
        }
        host = named.hasPrefix("[") ? String(named.dropFirst().dropLast()) : named.lowercased()
        port = parts.port ?? (isEncrypted ? 443 : 80)
        guard (1...65_535).contains(port) else { throw ParsingError(detail: "names no port") }
        let path = parts.percentEncodedPath
        requestTarget = (path.isEmpty ? "/" : path) + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
    }
}
