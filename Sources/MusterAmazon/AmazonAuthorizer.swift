import Crypto
import HTTPTypes
import Hummingbird
import Logging
import MusterCoding
import MusterCore
import MusterHTTP
import MusterServer
import MusterWire
import NIOCore
import Synchronization

/// Runs before every route of the AWS protocols. Verifies the signature, limits the rate of each access key, and
/// answers errors in the form that AWS clients expect.
struct AmazonAuthorizer: Sendable {
    let identity: Identity
    private let rates: AmazonRates

    /// The largest body of a request, in bytes, unless its route allows another size: a megabyte.
    static let bodyLimit = 1 << 20

    init(identity: Identity, requestsPerSecond: Double) {
        self.identity = identity
        rates = AmazonRates(perSecond: requestsPerSecond)
    }

    /// Authenticates a request and runs its handler.
    ///
    /// - Parameters:
    ///   - service: the signing name that the signature must be for; nil for any.
    ///   - contentType: the content type of every answer.
    func respond(
        to request: Request, _ context: AppRequestContext, service: String?, contentType: String,
        bodyLimit: Int = Self.bodyLimit,
        _ handler: (Principal, ByteBuffer) async throws -> [UInt8]
    ) async -> Response {
        var response: Response
        var isKeyKnown = false
        do {
            try await requireKey(of: request)
            isKeyKnown = true
            let (principal, body) = try await admit(request, service: service, bodyLimit: bodyLimit)
            let bytes = try await handler(principal, body)
            response = Response(
                status: .ok, headers: [.contentType: contentType],
                body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
        } catch {
            response = fault(error, context).response(as: contentType)
            // Closes the connection instead of waiting for the rest of a body that nothing will read.
            if !isKeyKnown { response.headers[.connection] = "close" }
        }
        response.headers[.amazonRequestID] = SecretToken.randomBytes(16).hexadecimal
        return response
    }

    /// Checks that the access key exists, before the body is read.
    private func requireKey(of request: Request) async throws {
        guard let authorization = request.headers[.authorization] else { throw SignatureError.missing }
        try await identity.requireAmazonKey(try SignedRequest.signature(in: authorization))
    }

    private func admit(
        _ request: Request, service: String?, bodyLimit: Int
    ) async throws -> (Principal, ByteBuffer) {
        if let text = request.headers[.contentLength], let length = Int(text), length > bodyLimit {
            throw NIOTooManyBytesError(maxBytes: bodyLimit)
        }
        guard let authorization = request.headers[.authorization] else { throw SignatureError.missing }
        let body = try await request.body.collect(upTo: bodyLimit)
        let signed = try SignedRequest(request, authorization: authorization, body: body)
        let principal = try await identity.authenticate(signed, for: service)
        try rates.take(signed.shown.accessKeyID, at: identity.now())
        return (principal, body)
    }

    private func fault(_ error: any Error, _ context: AppRequestContext) -> AmazonError {
        if let fault = AmazonError(telling: error) { return fault }
        context.log(error)
        return .internalError
    }
}

/// The number of requests a second that each access key may send. One second's worth may come at once.
private final class AmazonRates: Sendable {
    private let buckets: Mutex<TokenBuckets>

    init(perSecond: Double) {
        buckets = Mutex(TokenBuckets(.init(tries: max(1, perSecond), perSecond: perSecond), capacity: 10_000))
    }

    func take(_ key: String, at now: Instant) throws(AmazonError) {
        let wait = buckets.withLock { buckets in
            let wait = buckets.secondsUntilOne(for: key, at: now)
            if wait == 0 { buckets.add(-1, for: key, at: now) }
            return wait
        }
        if wait > 0 { throw .throttled(retryAfterSeconds: Int(wait.rounded(.up))) }
    }
}

extension SignedRequest {
    /// Parses the signature in an `Authorization` header.
    ///
    /// - Throws: `SignatureError` when the header has none.
    static func signature(in authorization: String) throws(SignatureError) -> SignatureV4 {
        do throws(SignatureV4.Fault) {
            return try SignatureV4(authorization: authorization)
        } catch {
            switch error {
            case .otherScheme: throw .missing
            case .malformed(let words): throw .malformed(words)
            }
        }
    }

    /// Makes a signed request from an HTTP request.
    ///
    /// - Throws: `SignatureError` when the request has no signature, or does not sign what it must.
    init(_ request: Request, authorization: String, body: ByteBuffer) throws(SignatureError) {
        let shown = try Self.signature(in: authorization)
        guard let time = request.headers[.amazonDate] else { throw .malformed("requires a 'X-Amz-Date' header") }
        let signed = Set(shown.signedHeaders)
        guard signed.contains("host") else { throw .malformed("must sign 'host'") }
        for field in request.headers where field.name.canonicalName.hasPrefix("x-amz-") {
            let name = field.name.canonicalName
            guard signed.contains(name) else { throw .malformed("must sign '\(name)'") }
        }
        let canonical = SignatureV4.canonicalRequest(
            method: request.method.rawValue, path: request.uri.path, query: request.uri.query,
            signedHeaders: shown.signedHeaders,
            bodyDigest: body.withUnsafeReadableBytes { SHA256.hash(data: $0).hexadecimal }
        ) { name in
            // The HTTP library stores the host apart from the other headers.
            if name == "host" { return (request.head.authority ?? request.headers[.host]).map { [$0] } }
            guard let name = HTTPField.Name(name) else { return nil }
            let values = request.headers[values: name]
            return values.isEmpty ? nil : values
        }
        guard let canonical else { throw .malformed("names a signed header that the request does not have") }
        self.init(
            shown: shown,
            stringToSign: SignatureV4.stringToSign(
                at: time, scope: shown.scope, digest: SHA256.hash(data: canonical).hexadecimal),
            time: time, sessionToken: request.headers[.amazonSecurityToken])
    }
}
