import MusterCoding

/// The transport that HTTP peers and sessions share.
public final class HTTPConnections: Sendable {
    let transport: any HTTPTransport

    /// The default connections; they are never closed.
    public static let shared = HTTPConnections()

    /// Makes connections through a transport of the app.
    public init(_ transport: any HTTPTransport) { self.transport = transport }

    /// Makes connections through AsyncHTTPClient.
    public convenience init() { self.init(AsyncHTTPTransport()) }

    /// Closes the connections. They may not be used afterwards.
    public func close() async { await transport.close() }
}

extension HTTPConnections {
    /// Sends a request that is not part of the replication protocol.
    ///
    /// - Returns: the status and the body, whatever the status.
    /// - Throws: `ReplicationError.unreachable`, `.tooLarge`, `CancellationError`.
    package func sendRequest(
        _ method: String, _ url: String, json: [UInt8]? = nil, credentials: PeerCredentials = .none
    ) async throws -> (status: Int, body: [UInt8]) {
        let response = try await open(method, url, json: json, credentials: credentials, deadlineSeconds: 30)
        return (response.status, try await response.collect(upTo: 16 << 20))
    }

    /// Sends a request that is not part of the replication protocol, and returns when the head of the response has
    /// arrived.
    ///
    /// - Parameters:
    ///   - headers: further header fields, such as the conditions of an edit.
    ///   - accept: the media type of the body that the caller reads.
    ///   - deadlineSeconds: seconds within which the whole response must have arrived; nil for a stream without an end.
    /// - Throws: `ReplicationError.unreachable`, `CancellationError`.
    package func open(
        _ method: String, _ url: String, json: [UInt8]? = nil, headers: [HTTPHeaderField] = [],
        accept: String = "application/json", credentials: PeerCredentials, deadlineSeconds: Int64?
    ) async throws -> HTTPTransportResponse {
        var request = HTTPTransportRequest(
            method: method, url: url, headers: [HTTPHeaderField("Accept", accept)] + headers,
            deadlineSeconds: deadlineSeconds)
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
        return try await transport.send(request)
    }
}

extension HTTPHeaderField {
    /// The `Authorization` field of a name and a password (RFC 7617).
    static func basic(_ name: String, _ password: String) -> HTTPHeaderField {
        HTTPHeaderField("Authorization", "Basic " + Base64.encode(Array("\(name):\(password)".utf8)))
    }
}
