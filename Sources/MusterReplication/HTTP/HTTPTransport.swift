/// Sends HTTP requests to a server, for replication and every other request of the client library.
///
/// The default is `AsyncHTTPTransport`. An app on an Apple device may use `URLSessionTransport`, whose background
/// sessions send while the app is suspended.
public protocol HTTPTransport: Sendable {
    /// Sends a request.
    ///
    /// The transport follows no redirect, repeats no request, and decompresses a body with a `Content-Encoding`.
    ///
    /// - Returns: the response, whatever its status, once its head has arrived.
    /// - Throws: `ReplicationError.unreachable` if the connection could not be made or broke, or the deadline is over;
    ///   `CancellationError`.
    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse

    /// Closes its connections. The transport may not be used afterwards.
    func close() async
}

/// A request as an `HTTPTransport` sends it.
public struct HTTPTransportRequest: Sendable {
    /// The body of a request.
    public enum Body: Sendable {
        /// Bytes in memory.
        case bytes([UInt8])
        /// A stream of `length` bytes, in pieces that are read while they are sent.
        case stream(AsyncThrowingStream<[UInt8], any Error>, length: Int64)
    }

    /// `GET`, for example.
    public var method: String
    /// An absolute URL, percent-encoded.
    public var url: String
    /// The header fields, without those that frame the body.
    public var headers: [HTTPHeaderField]
    /// Nil for none.
    public var body: Body?
    /// Seconds within which the whole response must have arrived; nil for a stream or a wait without a deadline.
    public var deadlineSeconds: Int64?

    /// Makes a request; without a body and without a deadline unless they are given.
    public init(
        method: String, url: String, headers: [HTTPHeaderField] = [], body: Body? = nil, deadlineSeconds: Int64? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.deadlineSeconds = deadlineSeconds
    }
}

/// One line of a request's or a response's head.
public struct HTTPHeaderField: Hashable, Sendable {
    /// Its name, in any case.
    public var name: String
    /// The text behind the colon.
    public var value: String

    /// A field with one value.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A response whose head has arrived.
public struct HTTPTransportResponse: Sendable {
    /// Its status code.
    public var status: Int
    /// The header fields. A name may occur more than once.
    public var headers: [HTTPHeaderField]
    /// Reads the next piece of the body, which is never empty; nil at its end. One reader requests one piece after the
    /// other. It throws as `HTTPTransport.send` does.
    public var nextPiece: @Sendable () async throws -> [UInt8]?

    /// Makes a response whose body `nextPiece` reads.
    public init(
        status: Int, headers: [HTTPHeaderField], nextPiece: @escaping @Sendable () async throws -> [UInt8]?
    ) {
        self.status = status
        self.headers = headers
        self.nextPiece = nextPiece
    }

    /// The first value of a header field.
    ///
    /// - Parameter name: in any case.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }

    /// Reads the whole body.
    ///
    /// - Throws: `ReplicationError.tooLarge` above the limit; as `HTTPTransport.send`.
    package func collect(upTo limitBytes: Int) async throws -> [UInt8] {
        var body: [UInt8] = []
        while let piece = try await nextPiece() {
            guard body.count + piece.count <= limitBytes else {
                throw ReplicationError.tooLarge(limitBytes: limitBytes)
            }
            if body.isEmpty { body = piece } else { body += piece }
        }
        return body
    }
}
