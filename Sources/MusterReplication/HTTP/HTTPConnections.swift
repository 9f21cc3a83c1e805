import AsyncHTTPClient
import MusterWire
import NIOCore
import NIOHTTP1
import NIOHTTPCompression

/// The connections that HTTP peers share.
public final class HTTPConnections: Sendable {
    let client: HTTPClient

    /// For whoever needs nothing special; never closed.
    public static let shared = HTTPConnections()

    /// New connections.
    ///
    /// - Parameter addresses: literal addresses by host: where given, this is what is connected to, and the name is
    ///   not looked up again. Whoever checked an address connects to what was checked.
    public init(addresses: [String: String] = [:]) {
        var settings = HTTPClient.Configuration()
        settings.redirectConfiguration = .disallow
        settings.decompression = .enabled(limit: .none)
        settings.timeout = .init(connect: .seconds(10), read: .seconds(60))
        settings.dnsOverride = addresses
        // Whoever asks knows better how long to wait before asking again.
        settings.connectionPool.retryConnectionEstablishment = false
        settings.httpVersion = .http1Only
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
    }

    /// Closes them; nobody may use them afterwards.
    public func close() async { try? await client.shutdown() }
}

extension HTTPConnections {
    /// Asks for something beside the replication protocol: what a client asks of Muster besides.
    ///
    /// - Returns: the status and the body, whatever the status.
    /// - Throws: `ReplicationError.unreachable`, `CancellationError`.
    package func ask(
        _ method: String, _ url: String, json: [UInt8]? = nil, credentials: PeerCredentials = .none
    ) async throws -> (status: Int, body: [UInt8]) {
        var request = HTTPClientRequest(url: url)
        request.method = HTTPMethod(rawValue: method)
        request.headers.add(name: "Accept", value: "application/json")
        switch credentials {
        case .basic(let name, let password), .session(let name, let password):
            let pair = Base64.encode(Array("\(name):\(password)".utf8))
            request.headers.add(name: "Authorization", value: "Basic \(pair)")
        case .bearer(let token): request.headers.add(name: "Authorization", value: "Bearer \(token)")
        case .none: break
        }
        if let json {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: json))
        }
        do {
            let response = try await client.execute(request, deadline: .now() + .seconds(30))
            let body = try await response.body.collect(upTo: 16 << 20)
            return (Int(response.status.code), [UInt8](buffer: body))
        } catch {
            throw HTTPExchange.fault(error)
        }
    }
}
