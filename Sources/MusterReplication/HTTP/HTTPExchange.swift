import AsyncHTTPClient
import Foundation
import MusterWire
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Asks a server and tells its answers in the words of `ReplicationError`.
final class HTTPExchange: Sendable {
    let address: PeerAddress
    private let connections: HTTPConnections
    private let cookie = Mutex<String?>(nil)

    /// The largest answer that is read at once, unpacked: what is read stops there, however little was sent.
    static let answerLimitBytes = 64 << 20
    /// Seconds that an answer may take, apart from those that wait or flow.
    static let answerSeconds: Int64 = 60

    init(address: PeerAddress, connections: HTTPConnections) {
        self.address = address
        self.connections = connections
    }

    /// A request.
    struct Ask {
        var method: HTTPMethod = .GET
        /// Below the server's root; nil for the root itself.
        var path: String
        /// Percent-encoded, without the question mark.
        var query = ""
        /// Made anew each time it is sent: one that flows can be read once.
        var body: (@Sendable () -> HTTPClientRequest.Body)?
        var contentType = "application/json"
        var accept = "application/json"
        var acceptEncoding: String?
        /// Which bytes of the answer, as `Range` asks for them; nil for all.
        var range: String?
        var deadlineSeconds: Int64? = HTTPExchange.answerSeconds
    }

    /// A request below the database.
    func ask(_ method: HTTPMethod, _ path: String = "", query: String = "", json: [UInt8]? = nil) -> Ask {
        let below = path.isEmpty ? address.segment : address.segment + "/" + path
        return Ask(method: method, path: below, query: query, body: json.map { Self.body($0) })
    }

    /// A body that is there.
    static func body(_ bytes: [UInt8]) -> @Sendable () -> HTTPClientRequest.Body {
        let buffer = ByteBuffer(bytes: bytes)
        return { .bytes(buffer) }
    }

    /// What came.
    struct Answer {
        var status: Int
        var headers: HTTPHeaders
        var body: [UInt8]
    }

    /// Asks, and reads the whole answer.
    ///
    /// - Parameter admitted: statuses besides 2xx that the caller knows what to do with.
    func send(_ ask: Ask, admitting admitted: Set<Int> = []) async throws -> Answer {
        let response = try await open(ask, admitting: admitted)
        do {
            var body = try await response.body.collect(upTo: Self.answerLimitBytes)
            return Answer(
                status: Int(response.status.code), headers: response.headers,
                body: body.readBytes(length: body.readableBytes) ?? [])
        } catch is NIOTooManyBytesError {
            throw ReplicationError.tooLarge(limitBytes: Self.answerLimitBytes)
        } catch {
            throw Self.fault(error)
        }
    }

    /// Asks, and returns when the answer begins.
    func open(_ ask: Ask, admitting admitted: Set<Int> = []) async throws -> HTTPClientResponse {
        if case .session = address.credentials, cookie.withLock({ $0 }) == nil { try await signIn() }
        var response = try await execute(ask)
        if response.status == .unauthorized, case .session = address.credentials {
            try await signIn()
            response = try await execute(ask)
        }
        keepCookie(of: response)
        let status = Int(response.status.code)
        if (200..<300).contains(status) || admitted.contains(status) { return response }
        let body = try? await response.body.collect(upTo: 64 << 10)
        throw fault(status: status, headers: response.headers, body: body.map { Array(buffer: $0) } ?? [])
    }

    private func execute(_ ask: Ask) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: address.root + ask.path + (ask.query.isEmpty ? "" : "?" + ask.query))
        request.method = ask.method
        request.headers.add(name: "Accept", value: ask.accept)
        request.headers.add(name: "User-Agent", value: "Muster")
        if let encoding = ask.acceptEncoding { request.headers.add(name: "Accept-Encoding", value: encoding) }
        if let range = ask.range { request.headers.add(name: "Range", value: range) }
        if let body = ask.body {
            request.body = body()
            request.headers.add(name: "Content-Type", value: ask.contentType)
        }
        switch address.credentials {
        case .none: break
        case .basic(let name, let password):
            let pair = Base64.encode(Array("\(name):\(password)".utf8))
            request.headers.add(name: "Authorization", value: "Basic \(pair)")
        case .bearer(let token): request.headers.add(name: "Authorization", value: "Bearer \(token)")
        case .session:
            if let cookie = cookie.withLock({ $0 }) { request.headers.add(name: "Cookie", value: cookie) }
        }
        let deadline = ask.deadlineSeconds.map { NIODeadline.now() + .seconds($0) } ?? .distantFuture
        do {
            return try await connections.client.execute(request, deadline: deadline)
        } catch {
            throw Self.fault(error)
        }
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
        let response = try await execute(Ask(method: .POST, path: "_session", body: Self.body(writer.bytes)))
        guard response.status == .ok else {
            let text = (try? await response.body.collect(upTo: 64 << 10)).map { Array(buffer: $0) } ?? []
            throw fault(status: Int(response.status.code), headers: response.headers, body: text)
        }
        _ = try? await response.body.collect(upTo: 64 << 10)
        keepCookie(of: response)
    }

    private func keepCookie(of response: HTTPClientResponse) {
        guard case .session = address.credentials else { return }
        for field in response.headers["Set-Cookie"] where field.hasPrefix("AuthSession=") {
            let pair = field.prefix { $0 != ";" }
            cookie.withLock { $0 = String(pair) }
        }
    }

    // MARK: Faults

    private func fault(status: Int, headers: HTTPHeaders, body: [UInt8]) -> ReplicationError {
        let value = try? JSONValue(parsing: body)
        let error = String((value?["error"]?.string ?? "").prefix(100))
        let reason = String((value?["reason"]?.string ?? value?["detail"]?.string ?? "").prefix(300))
        switch status {
        case 401: return .unauthorized(reason.isEmpty ? error : reason)
        case 403: return .forbidden(reason.isEmpty ? error : reason)
        case 408, 425, 429, 500, 502...599:
            return .busy(status: status, retryAfterSeconds: headers.first(name: "Retry-After").flatMap(Double.init))
        case 413: return .tooLarge(limitBytes: Self.answerLimitBytes)
        default: return .refused(status: status, error: error, reason: reason)
        }
    }

    /// What keeps an answer from coming, without the address, which may hold more than should be told.
    static func fault(_ error: any Error) -> any Error {
        switch error {
        case let fault as ReplicationError: fault
        case is CancellationError: error
        case let error as HTTPClientError where error == .cancelled: CancellationError()
        case let error as HTTPClientError: ReplicationError.unreachable(error.shortDescription)
        default: ReplicationError.unreachable(reason(of: error))
        }
    }

    /// Why a connection failed, in words.
    private static func reason(of error: any Error) -> String {
        switch error {
        case let error as IOError: return String(cString: strerror(error.errnoCode))
        case let error as NIOConnectionError:
            if let first = error.connectionErrors.first { return reason(of: first.error) }
            return "there is no host of that name"
        default:
            let type = "\(type(of: error))"
            return type.hasPrefix("NIOSSL") ? "no TLS connection comes about" : "the connection failed (\(type))"
        }
    }
}

extension Array<UInt8> {
    /// All readable bytes.
    init(buffer: ByteBuffer) { self = Array(buffer.readableBytesView) }
}
