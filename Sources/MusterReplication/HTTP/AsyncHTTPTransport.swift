import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix

/// The transport of servers and of Linux: AsyncHTTPClient, with HTTP/1.1 over a pool of connections.
public final class AsyncHTTPTransport: HTTPTransport {
    private let client: HTTPClient

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

    /// Sends a request; the body of the response is read as it is asked for.
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
            let body = ResponseBody(response.body)
            return HTTPTransportResponse(
                status: Int(response.status.code), headers: response.headers.map { HTTPHeaderField($0.name, $0.value) },
                nextPiece: { try await body.next() })
        } catch {
            throw Self.fault(error)
        }
    }

    /// Closes the connections.
    public func close() async { try? await client.shutdown() }

    /// The body of a response. One reader asks for one piece after the other: that is what protects its state.
    private final class ResponseBody: @unchecked Sendable {
        private var iterator: HTTPClientResponse.Body.AsyncIterator

        init(_ body: HTTPClientResponse.Body) { iterator = body.makeAsyncIterator() }

        func next() async throws -> [UInt8]? {
            do {
                while let buffer = try await iterator.next() {
                    if buffer.readableBytes > 0 { return [UInt8](buffer.readableBytesView) }
                }
                return nil
            } catch {
                throw AsyncHTTPTransport.fault(error)
            }
        }
    }

    // MARK: Errors

    /// What keeps an answer from coming, without the address, which may hold more than should be told.
    private static func fault(_ error: any Error) -> any Error {
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
