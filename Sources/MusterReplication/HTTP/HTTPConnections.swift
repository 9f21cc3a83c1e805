import MusterCoding

/// What all requests of HTTP peers and sessions go through: one transport that they share.
public final class HTTPConnections: Sendable {
    let transport: any HTTPTransport

    /// For whoever needs nothing special; never closed.
    public static let shared = HTTPConnections()

    /// The connections of a transport of the app's own.
    public init(_ transport: any HTTPTransport) { self.transport = transport }

    /// New connections through AsyncHTTPClient.
    public convenience init() { self.init(AsyncHTTPTransport()) }

    /// Closes them; nobody may use them afterwards.
    public func close() async { await transport.close() }
}

extension HTTPConnections {
    /// Asks for something beside the replication protocol: what a client asks of Muster besides.
    ///
    /// - Returns: the status and the body, whatever the status.
    /// - Throws: `ReplicationError.unreachable`, `.tooLarge`, `CancellationError`.
    package func ask(
        _ method: String, _ url: String, json: [UInt8]? = nil, credentials: PeerCredentials = .none
    ) async throws -> (status: Int, body: [UInt8]) {
        var request = HTTPTransportRequest(
            method: method, url: url, headers: [HTTPHeaderField("Accept", "application/json")], deadlineSeconds: 30)
        switch credentials {
        case .basic(let name, let password), .session(let name, let password):
            request.headers.append(.basic(name, password))
        case .bearer(let token): request.headers.append(HTTPHeaderField("Authorization", "Bearer \(token)"))
        case .none: break
        }
        if let json {
            request.headers.append(HTTPHeaderField("Content-Type", "application/json"))
            request.body = .bytes(json)
        }
        let response = try await transport.send(request)
        return (response.status, try await response.collect(upTo: 16 << 20))
    }
}

extension HTTPHeaderField {
    /// Who asks, by a name and a password (RFC 7617).
    static func basic(_ name: String, _ password: String) -> HTTPHeaderField {
        HTTPHeaderField("Authorization", "Basic " + Base64.encode(Array("\(name):\(password)".utf8)))
    }
}
