import Foundation
import MusterCoding

/// The address of a database: the server's root and the database's path segment below it.
public struct DatabaseAddress: Hashable, Sendable, CustomStringConvertible {
    /// Scheme, host, port and path up to the database, with a slash at the end; no user, no query.
    public let root: String
    /// The database's name, percent-encoded.
    public let segment: String
    /// The credentials of requests to it.
    public let credentials: PeerCredentials
    /// The name or literal address of the server.
    public let host: String

    /// Reads the address of a database in the form that `_replicate` accepts: `https://name:password@host/database`.
    /// The last segment of the path is the database, percent-encoded.
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
        // An IPv6 address has brackets in a URL only.
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        credentials =
            if let user = parts.user { .basic(name: user, password: parts.password ?? "") } else { .none }
    }

    /// Makes the address of a database of a server.
    ///
    /// - Parameters:
    ///   - server: the server's root, http or https.
    ///   - database: the database's name, which this function percent-encodes.
    /// - Returns: nil if `server` is not such an address.
    public init?(server: String, database: String, credentials: PeerCredentials = .none) {
        let slash = server.hasSuffix("/") ? "" : "/"
        guard let address = DatabaseAddress(server + slash + PercentEncoding.encode(database)) else { return nil }
        root = address.root
        segment = address.segment
        host = address.host
        self.credentials = credentials
    }

    /// Returns the same address with other credentials.
    public func authenticated(by credentials: PeerCredentials) -> DatabaseAddress {
        DatabaseAddress(root: root, segment: segment, credentials: credentials, host: host)
    }

    private init(root: String, segment: String, credentials: PeerCredentials, host: String) {
        self.root = root
        self.segment = segment
        self.credentials = credentials
        self.host = host
    }

    /// The URL without credentials.
    public var description: String { root + segment }

    /// The percent-encoded path of a document's id. The slash of `_design/` and `_local/` stays.
    package static func path(ofDocument id: String) -> String {
        for prefix in ["_design/", "_local/"] where id.hasPrefix(prefix) {
            return prefix + PercentEncoding.encode(Substring(id.utf8.dropFirst(prefix.utf8.count)))
        }
        return PercentEncoding.encode(id)
    }
}

/// The credentials of requests to a peer.
public enum PeerCredentials: Hashable, Sendable, CustomStringConvertible {
    /// Without credentials.
    case none
    /// Sends a name and a password with every request.
    case basic(name: String, password: String)
    /// Sends a token with every request.
    case bearer(String)
    /// Sends a name and a password once (`_session`), and then the cookie of the response.
    case session(name: String, password: String)

    /// The kind and the name, without password or token.
    public var description: String {
        switch self {
        case .none: "nobody"
        case .basic(let name, _), .session(let name, _): name
        case .bearer: "a token"
        }
    }
}
