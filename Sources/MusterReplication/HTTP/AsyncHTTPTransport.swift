package import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix

/// The transport of servers and of Linux: AsyncHTTPClient, with HTTP/1.1 over a pool of connections.
public final class AsyncHTTPTransport: HTTPTransport {
    private let client: HTTPClient

    /// Makes a client with connections of its own.
    public convenience init() {
        self.init(HTTPClient(eventLoopGroupProvider: .singleton, configuration: Self.configuration))
    }

    /// The connections of a client made with `configuration`, which `close()` shuts down.
    package init(_ client: HTTPClient) { self.client = client }

    /// The configuration that replication needs of a client.
    package static var configuration: HTTPClient.Configuration {
        var settings = HTTPClient.Configuration()
        settings.redirectConfiguration = .disallow
        settings.decompression = .enabled(limit: .none)
        settings.timeout = .init(connect: .seconds(10), read: .seconds(60))
        // The replication decides how long to wait before it tries again.
        settings.connectionPool.retryConnectionEstablishment = false
        settings.httpVersion = .http1Only
        return settings
    }

    /// Sends a request. The body of the response is read on demand.
    public func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        var sent = HTTPClientRequest(url: request.url)
        sent.method = HTTPMethod(rawValue: request.method)
        for field in request.headers { sent.headers.add(name: field.name, value: field.value) }
        switch request.body {
        case .bytes(let bytes): sent.body = .bytes(ByteBuffer(bytes: bytes))
        case .stream(let pieces, let length):
            sent.body = .stream(pieces.map { ByteBuffer(bytes: $0) }, length: .known(length))
        case nil: break
        }
        let deadline = request.deadlineSeconds.map { NIODeadline.now() + .seconds($0) } ?? .distantFuture
        do {
            let response = try await client.execute(sent, deadline: deadline)
            let body = ResponseBody(response.body, by: deadline)
            return HTTPTransportResponse(
                status: Int(response.status.code), headers: response.headers.map { HTTPHeaderField($0.name, $0.value) },
                nextPiece: { try await body.next() })
        } catch {
            throw Self.translated(error)
        }
    }

    /// Closes the connections.
    public func close() async { try? await client.shutdown() }

    /// The body of a response. One reader requests one piece after the other: that protects its state.
    private final class ResponseBody: @unchecked Sendable {
        private var iterator: HTTPClientResponse.Body.AsyncIterator
        private let deadline: NIODeadline

        init(_ body: HTTPClientResponse.Body, by deadline: NIODeadline) {
            iterator = body.makeAsyncIterator()
            self.deadline = deadline
        }

        func next() async throws -> [UInt8]? {
            do {
                while let buffer = try await iterator.next() {
                    // AsyncHTTPClient's own deadline ends with the head; its time limit for reads bounds each wait.
                    guard NIODeadline.now() < deadline else { throw HTTPClientError.deadlineExceeded }
                    if buffer.readableBytes > 0 { return [UInt8](buffer.readableBytesView) }
                }
                return nil
            } catch {
                throw AsyncHTTPTransport.translated(error)
            }
        }
    }

    // MARK: Errors

    /// Translates the error of a request, without the address, because a URL may contain credentials.
    private static func translated(_ error: any Error) -> any Error {
        switch error {
        case let error as ReplicationError: error
        case is CancellationError: error
        case let error as HTTPClientError where error == .cancelled: CancellationError()
        case let error as HTTPClientError: ReplicationError.unreachable(error.shortDescription)
        default: ReplicationError.unreachable(reason(of: error))
        }
    }

    /// Returns the reason that a connection failed, for people.
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
