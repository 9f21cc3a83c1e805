import Crypto
import HTTPTypes
package import Hummingbird
import Logging
import MusterCoding
import MusterHTTP
package import MusterServer
import MusterWire
import NIOCore

/// The AWS protocols: a signature over the whole request proves who sends it, and errors have the form that AWS clients
/// expect.
package struct AmazonProtocol: RouteProtocol {
    let keys: AmazonKeys
    /// The content type of every answer.
    let contentType: String
    /// The largest body, in bytes.
    var bodyLimit = Self.bodyLimit
    /// The operation of the route, such as `CreateTracker`; nil if the request names it.
    var operation: String?
    /// Maps Amazon Location's name of an error to the name that this service uses.
    var errorNames: [String: String] = [:]
    /// Whether a request is of an operation that clients do not sign.
    var isUnsigned: @Sendable (Request) -> Bool = { _ in false }
    /// The signing name that a request's signature must be for; nil for any.
    let service: @Sendable (Request) -> String?

    /// The largest body of a request, in bytes, unless its route allows another size: a megabyte.
    static let bodyLimit = 1 << 20

    /// Checks that the access key exists before it reads the body.
    package func proof(in request: inout Request, _ context: AppRequestContext) async throws -> (any RequestProof)? {
        if isUnsigned(request) { return nil }
        guard let authorization = request.headers[.authorization] else { throw UnreadBody(.missing) }
        do {
            try await keys.identity.requireAmazonKey(try SignedRequest.signature(in: authorization))
        } catch let error as SignatureError {
            throw UnreadBody(error)
        }
        if let text = request.headers[.contentLength], let length = Int(text), length > bodyLimit {
            throw NIOTooManyBytesError(maxBytes: bodyLimit)
        }
        let body = try await request.body.collect(upTo: bodyLimit)
        request.body = RequestBody(buffer: body)
        return SignatureProof(
            signed: try SignedRequest(request, authorization: authorization, body: body), service: service(request),
            keys: keys)
    }

    package func response(to error: any Error, _ context: AppRequestContext) -> Response? {
        var fault = fault(error, context)
        if let name = errorNames[fault.code] {
            fault.code = name
            // Amazon Location alone answers a quota with 402.
            if fault.status == 402 { fault.status = 400 }
        }
        var response = fault.response(as: contentType).withAmazonRequestID
        // Closes the connection instead of waiting for the rest of a body that nothing will read.
        if error is UnreadBody { response.headers[.connection] = "close" }
        return response
    }

    /// The error that AWS's clients get for an error of the authorizer or of the handler.
    package func fault(_ error: any Error, _ context: AppRequestContext) -> AmazonError {
        if let unread = error as? UnreadBody { return fault(unread.error, context) }
        if let refusal = error as? RoleRefusal {
            return .denied(
                "A user whose role is \(refusal.principal.role) may not call \(operation ?? "this operation").")
        }
        if let fault = AmazonError(mapping: error) { return fault }
        context.log(error)
        return .internalError
    }

    /// The answer of an operation.
    func response(_ bytes: [UInt8]) -> Response {
        Response(
            status: .ok, headers: [.contentType: contentType], body: .init(byteBuffer: ByteBuffer(bytes: bytes))
        ).withAmazonRequestID
    }

    /// The signature was refused before the body was read.
    private struct UnreadBody: Error {
        let error: SignatureError

        init(_ error: SignatureError) { self.error = error }
    }
}

extension AmazonProtocol {
    /// The protocol of another endpoint, whose clients may sign requests.
    ///
    /// - Parameters:
    ///   - contentType: the content type of every answer.
    ///   - bodyLimit: the largest body, in bytes.
    ///   - service: the signing name that a request's signature must be for; nil for any.
    package init(
        keys: AmazonKeys, contentType: String, bodyLimit: Int, service: @escaping @Sendable (Request) -> String?
    ) {
        self.init(
            keys: keys, contentType: contentType, bodyLimit: bodyLimit, operation: nil, service: service)
    }
}

/// A signature made with an AWS access key.
private struct SignatureProof: RequestProof {
    let signed: SignedRequest
    /// The signing name that the signature must be for; nil for any.
    let service: String?
    let keys: AmazonKeys

    func verify(by identity: Identity, atOpening isOpening: Bool) async throws -> Principal {
        let principal = try await identity.authenticate(signed, for: service, atOpening: isOpening)
        // A response that continues is no further request.
        guard isOpening else { return principal }
        let wait = keys.rates.spendRequest(signed.shown.accessKeyID, at: identity.now())
        if wait > 0 { throw AmazonError.throttled(retryAfterSeconds: wait) }
        return principal
    }
}

/// The access keys, and how many requests each may send.
package struct AmazonKeys: Sendable {
    let identity: Identity
    fileprivate let rates: RequestRates

    package init(identity: Identity, requestsPerSecond: Double) {
        self.identity = identity
        rates = RequestRates(.init(tries: max(1, requestsPerSecond), perSecond: requestsPerSecond))
    }
}

extension Response {
    /// The response with a new request id, by which people find a request in logs.
    fileprivate var withAmazonRequestID: Response {
        var response = self
        response.headers[.amazonRequestID] = SecretToken.randomBytes(16).hexadecimal
        return response
    }
}

extension SignedRequest {
    /// Parses the signature in an `Authorization` header.
    ///
    /// - Throws: `SignatureError` when the header has none.
    static func signature(in authorization: String) throws(SignatureError) -> SignatureV4 {
        do throws(SignatureV4.ParsingError) {
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
