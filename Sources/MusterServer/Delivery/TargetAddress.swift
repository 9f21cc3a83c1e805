import Foundation

/// Where a target is: an http or https URL whose parts are fit to be sent.
struct TargetAddress: Hashable, Sendable {
    /// Whether TLS is spoken.
    let isEncrypted: Bool
    /// A name or a literal address, without brackets.
    let host: String
    let port: Int
    /// What the request line names: the path and the query, percent-encoded as they came.
    let requestTarget: String

    /// What connections are shared by.
    var origin: Origin { Origin(isEncrypted: isEncrypted, host: host, port: port) }

    /// A scheme, host and port.
    struct Origin: Hashable, Sendable {
        let isEncrypted: Bool
        let host: String
        let port: Int
    }

    /// What the field `Host` says.
    var hostField: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isEncrypted ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// Scheme, host and port: what may be shown of a URL whose path may hold a secret.
    var shown: String { "\(isEncrypted ? "https" : "http")://\(hostField)" }

    static let limitBytes = 2048

    /// Why a text is no address of a target.
    struct Fault: Error, Hashable {
        let detail: String
    }

    /// Reads a URL.
    ///
    /// - Throws: `Fault` for anything but http and https, user names, fragments, and characters that a URL must
    ///   percent-encode.
    init(_ text: String) throws(Fault) {
        guard text.utf8.count <= Self.limitBytes else {
            throw Fault(detail: "is longer than \(Self.limitBytes) bytes")
        }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }) else {
            throw Fault(detail: "must be ASCII without spaces: encode a path in percent, a name in punycode")
        }
        guard let parts = URLComponents(string: text) else { throw Fault(detail: "is no URL") }
        switch parts.scheme?.lowercased() {
        case "http": isEncrypted = false
        case "https": isEncrypted = true
        default: throw Fault(detail: "must begin with http:// or https://")
        }
        guard parts.user == nil, parts.password == nil else {
            throw Fault(detail: "must not name a user: send a header instead")
        }
        guard parts.fragment == nil else { throw Fault(detail: "must not have a fragment") }
        guard let named = parts.percentEncodedHost, !named.isEmpty, !named.contains("%") else {
            throw Fault(detail: "names no host")
        }
        host = named.hasPrefix("[") ? String(named.dropFirst().dropLast()) : named.lowercased()
        port = parts.port ?? (isEncrypted ? 443 : 80)
        guard (1...65_535).contains(port) else { throw Fault(detail: "names no port") }
        let path = parts.percentEncodedPath
        requestTarget = (path.isEmpty ? "/" : path) + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
    }
}
