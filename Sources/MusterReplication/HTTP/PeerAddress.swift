import Foundation
import MusterCoding

/// Where a database is on the web: the server's root and the database's segment below it.
public struct PeerAddress: Hashable, Sendable, CustomStringConvertible {
    /// Scheme, host, port and path up to the database, with a slash at the end; no user, no query.
    public let root: String
    /// The database's name, percent-encoded.
    public let segment: String
    /// What the address said of who asks.
    public let credentials: PeerCredentials
    /// The name or literal address of the server.
    public let host: String

    /// The address of a database, as `_replicate` takes it: `https://name:password@host/database`. The last segment of
    /// the path is the database, percent-encoded.
    ///
    /// - Returns: nil for anything else, and for a query or fragment.
    public init?(_ text: String) {
        guard text.utf8.count <= 2_048, let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
            let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https",
            parts.query == nil, parts.fragment == nil
        else { return nil }
        var segments = parts.percentEncodedPath.split(separator: "/")
        guard let segment = segments.popLast() else { return nil }
        let port = parts.port.map { ":\($0)" } ?? ""
        let path = segments.map { $0 + "/" }.joined()
        self.root = "\(scheme)://\(parts.percentEncodedHost ?? host)\(port)/\(path)"
        self.segment = String(segment)
        // A literal address of IPv6 stands in brackets in a URL alone.
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        credentials =
            if let user = parts.user { .basic(name: user, password: parts.password ?? "") } else { .none }
    }

    /// A database of a server.
    ///
    /// - Parameters:
    ///   - server: the server's root, http or https.
    ///   - database: the database's name, as it is; it is percent-encoded here.
    /// - Returns: nil when `server` is no such address.
    public init?(server: String, database: String, credentials: PeerCredentials = .none) {
        let slash = server.hasSuffix("/") ? "" : "/"
        guard let address = PeerAddress(server + slash + PercentEncoding.encode(database)) else { return nil }
        root = address.root
        segment = address.segment
        host = address.host
        self.credentials = credentials
    }

    /// The same place, asked by someone else.
    public func asked(by credentials: PeerCredentials) -> PeerAddress {
        PeerAddress(root: root, segment: segment, credentials: credentials, host: host)
    }

    private init(root: String, segment: String, credentials: PeerCredentials, host: String) {
        self.root = root
        self.segment = segment
        self.credentials = credentials
        self.host = host
    }

    /// Where it is, without who asks.
    public var description: String { root + segment }

    /// Whether TLS is spoken.
    public var isEncrypted: Bool { root.hasPrefix("https") }

    /// A document's id as a path: a design document keeps its slash.
    package static func path(ofDocument id: String) -> String {
        for prefix in ["_design/", "_local/"] where id.hasPrefix(prefix) {
            return prefix + PercentEncoding.encode(Substring(id.utf8.dropFirst(prefix.utf8.count)))
        }
        return PercentEncoding.encode(id)
    }
}

/// How a peer is told who asks.
public enum PeerCredentials: Hashable, Sendable, CustomStringConvertible {
    /// Nobody says.
    case none
    /// A name and a password with every request.
    case basic(name: String, password: String)
    /// A token with every request.
    case bearer(String)
    /// A name and a password once (`_session`), then the cookie that is given for them.
    case session(name: String, password: String)

    /// What may be shown of them.
    public var description: String {
        switch self {
        case .none: "nobody"
        case .basic(let name, _), .session(let name, _): name
        case .bearer: "a token"
        }
    }
}
