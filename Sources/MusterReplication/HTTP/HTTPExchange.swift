import MusterMutex
import MusterWire

/// Sends requests to a server, and translates error responses to `ReplicationError`.
final class HTTPExchange: Sendable {
    let address: DatabaseAddress
    private let connections: HTTPConnections
    private let cookie = Mutex<String?>(nil)

    /// The largest response body that is read whole, counted decompressed: reading stops there, however small the
    /// compressed body is.
    static let answerLimitBytes = 64 << 20
    /// Seconds within which a response must be complete, except for streams and waits for changes.
    static let answerSeconds: Int64 = 60
    /// The largest part of an error response that is read.
    private static let refusalLimitBytes = 64 << 10

    init(address: DatabaseAddress, connections: HTTPConnections) {
        self.address = address
        self.connections = connections
    }

    /// The HTTP methods of the replication protocol.
    enum Method: String {
        case GET, POST, PUT
    }

    /// A request.
    struct Request {
        var method: Method = .GET
        /// The path below the server's root, percent-encoded.
        var path: String
        /// Percent-encoded, without the question mark.
        var query = ""
        /// Makes the body for each attempt, because a stream can be read once only.
        var body: (@Sendable () -> HTTPTransportRequest.Body)?
        var contentType = "application/json"
        var accept = "application/json"
        var acceptEncoding: String?
        /// The value of the `Range` field; nil for the whole body.
        var range: String?
        var deadlineSeconds: Int64? = HTTPExchange.answerSeconds
    }

    /// Makes a request below the database.
    func makeRequest(
        _ method: Method, _ path: String = "", query: String = "", json: [UInt8]? = nil
    ) -> Request {
        let below = path.isEmpty ? address.segment : address.segment + "/" + path
        return Request(method: method, path: below, query: query, body: json.map { Self.body($0) })
    }

    /// Makes the body of bytes in memory.
    static func body(_ bytes: [UInt8]) -> @Sendable () -> HTTPTransportRequest.Body {
        { .bytes(bytes) }
    }

    /// A response with its whole body.
    struct Response {
        var status: Int
        var body: [UInt8]
    }

    /// Sends a request, and reads the whole response.
    ///
    /// - Parameter admitted: statuses besides 2xx that the caller handles itself.
    func send(_ request: Request, admitting admitted: Set<Int> = []) async throws -> Response {
        let response = try await open(request, admitting: admitted)
        return Response(status: response.status, body: try await response.collect(upTo: Self.answerLimitBytes))
    }

    /// Sends a request, and returns when the head of the response has arrived.
    func open(_ request: Request, admitting admitted: Set<Int> = []) async throws -> HTTPTransportResponse {
        if case .session = address.credentials, cookie.withLock({ $0 }) == nil { try await signIn() }
        var response = try await execute(request)
        if response.status == 401, case .session = address.credentials {
            try await signIn()
            response = try await execute(request)
        }
        keepCookie(of: response)
        if (200..<300).contains(response.status) || admitted.contains(response.status) { return response }
        throw await error(for: response)
    }

    private func execute(_ request: Request) async throws -> HTTPTransportResponse {
        let query = request.query.isEmpty ? "" : "?" + request.query
        var sent = HTTPTransportRequest(
            method: request.method.rawValue, url: address.root + request.path + query,
            headers: [HTTPHeaderField("Accept", request.accept), HTTPHeaderField("User-Agent", "Muster")],
            deadlineSeconds: request.deadlineSeconds)
        if let encoding = request.acceptEncoding { sent.headers.append(HTTPHeaderField("Accept-Encoding", encoding)) }
        if let range = request.range { sent.headers.append(HTTPHeaderField("Range", range)) }
        if let body = request.body {
            sent.body = body()
            sent.headers.append(HTTPHeaderField("Content-Type", request.contentType))
        }
        switch address.credentials {
        case .none: break
        case .basic(let name, let password): sent.headers.append(.basic(name, password))
        case .bearer(let token): sent.headers.append(HTTPHeaderField("Authorization", "Bearer \(token)"))
        case .session:
            if let cookie = cookie.withLock({ $0 }) { sent.headers.append(HTTPHeaderField("Cookie", cookie)) }
        }
        return try await connections.transport.send(sent)
    }

    private func signIn() async throws {
        guard case .session(let name, let password) = address.credentials else { return }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("name")
        writer.value(name)
        writer.key("password")
        writer.value(password)
        writer.endObject()
        let response = try await execute(Request(method: .POST, path: "_session", body: Self.body(writer.bytes)))
        guard response.status == 200 else { throw await error(for: response) }
        _ = try? await response.collect(upTo: Self.refusalLimitBytes)
        keepCookie(of: response)
    }

    private func keepCookie(of response: HTTPTransportResponse) {
        guard case .session = address.credentials else { return }
        for field in response.headers
        where field.name.lowercased() == "set-cookie" && field.value.hasPrefix("AuthSession=") {
            let pair = field.value.prefix { $0 != ";" }
            cookie.withLock { $0 = String(pair) }
        }
    }

    // MARK: Errors

    /// The error of a response that is no success.
    private func error(for response: HTTPTransportResponse) async -> ReplicationError {
        let status = response.status
        let body = (try? await response.collect(upTo: Self.refusalLimitBytes)) ?? []
        let value = try? JSONValue(parsing: body)
        let error = String((value?["error"]?.string ?? "").prefix(100))
        let reason = String((value?["reason"]?.string ?? value?["detail"]?.string ?? "").prefix(300))
        switch status {
        case 401: return .unauthorized(reason.isEmpty ? error : reason)
        case 403: return .forbidden(reason.isEmpty ? error : reason)
        case 408, 425, 429, 500, 502...599:
            return .busy(status: status, retryAfterSeconds: response.header("Retry-After").flatMap(Double.init))
        case 413: return .requestTooLarge
        default: return .refused(status: status, error: error, reason: reason)
        }
    }
}
