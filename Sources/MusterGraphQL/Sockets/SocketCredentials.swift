import HTTPTypes
import Hummingbird
import MusterAmazon
import MusterCoding
import MusterHTTP
import MusterServer
import MusterWire
import NIOCore

/// The header fields in which a client proves who it is by a message, where its WebSocket cannot carry them.
///
/// They are held in memory alone, and no part of them is logged.
struct SocketCredentials: Sendable {
    private let fields: HTTPFields
    private let host: String?

    /// The longest fields, in bytes.
    private static let limitBytes = 12 << 10

    /// Reads fields from an object of JSON; nil when it has none.
    init?(_ value: JSONValue) {
        var fields = HTTPFields()
        var host: String?
        var bytes = 0
        for member in (value.members ?? []).prefix(32) {
            guard let text = member.value.string else { continue }
            bytes += member.key.utf8.count + text.utf8.count
            if member.key.lowercased() == "host" {
                host = text
            } else if let name = HTTPField.Name(member.key), HTTPField.isValidValue(text) {
                fields[name] = text
            }
        }
        guard bytes <= Self.limitBytes, fields[.authorization] != nil || fields[.apiKey] != nil else { return nil }
        self.fields = fields
        self.host = host
    }

    /// Reads the fields that AppSync's clients send with the request for a WebSocket: in the parameter `header`, or in
    /// a subprotocol; nil when the request has none.
    init?(realtime request: Request) {
        let offers = request.headers[values: .secWebSocketProtocol].flatMap { $0.split(separator: ",") }
        let offered = offers.lazy.map { $0.filter { $0 != " " && $0 != "\t" } }.first { $0.hasPrefix("header-") }
        let parameters = (request.uri.query ?? "").split(separator: "&").prefix(64)
        let parameter = parameters.first { $0.hasPrefix("header=") }.map { $0.dropFirst(7) }
        let text = offered.map { String($0.dropFirst(7)) } ?? parameter.flatMap { PercentEncoding.decode($0) }
        guard let text, text.utf8.count <= Self.limitBytes else { return nil }
        let bytes = Base64.decodeUnpadded(text, .standard) ?? Base64.decodeUnpadded(text, .forURLs)
        guard let bytes, let value = try? JSONValue(parsing: bytes, depthLimit: 4, valueLimit: 64) else { return nil }
        self.init(value)
    }

    /// Whether the proof is a signature, which covers one request.
    var isSignature: Bool { fields.isSignature }

    /// The request that the fields authorize, as a signature covers it: AppSync's clients sign a POST of this path.
    func request(path: String, body: String) -> Request {
        Request(
            head: HTTPRequest(method: .post, scheme: "https", authority: host, path: path, headerFields: fields),
            body: RequestBody(buffer: ByteBuffer(string: body)))
    }
}

extension HTTPFields {
    /// Whether the proof in the fields is a signature of an AWS key (Signature Version 4).
    var isSignature: Bool { self[.authorization]?.hasPrefix("AWS4-") == true }
}

extension GraphQLProtocol {
    /// Proves who sends a message, and that the role may use this endpoint.
    ///
    /// - Parameters:
    ///   - path: the path that a signature covers.
    ///   - body: the body that a signature covers.
    /// - Returns: the context with the proof and the principal.
    /// - Throws: as the authorizer throws for a request.
    func prove(
        _ credentials: SocketCredentials?, path: String, body: String, _ context: AppRequestContext,
        by identity: Identity
    ) async throws -> AppRequestContext {
        guard let credentials else { throw IdentityError.missing }
        var request = credentials.request(path: path, body: body)
        var context = context
        guard let proof = try await proof(in: &request, context) else { throw IdentityError.missing }
        context.proof = proof
        context.principal = try await Self.admit(proof.verify(by: identity, atOpening: true))
        return context
    }

    /// Refuses a principal whom the routes of this endpoint do not admit.
    static func admit(_ principal: Principal) throws -> Principal {
        guard Route.Admission.admits(principal, with: Route.Admission.everyRole, devices: false) else {
            throw GraphQLFieldFault("You may not use this endpoint.", code: "UnauthorizedException")
        }
        return principal
    }

    /// The errors that an operation of a WebSocket gets for an error of the server.
    func errors(for error: any Error, _ context: AppRequestContext) -> [GraphQLError] {
        if let errors = error as? GraphQLErrors { return errors.errors.map(\.withCode) }
        let fault: GraphQLFieldFault
        switch error {
        case let known as GraphQLFieldFault: fault = known
        case let refusal as GraphQLRefusal: fault = .badRequest(refusal.words)
        case IdentityError.missing, IdentityError.refused:
            fault = GraphQLFieldFault("Valid authorization header not provided.", code: "UnauthorizedException")
        case is UserPoolError:
            let isExpired = (error as? UserPoolError) == .expiredToken
            fault = GraphQLFieldFault(
                isExpired ? "Token has expired." : "Valid authorization header not provided.",
                code: "UnauthorizedException")
        default:
            if let mapped = GraphQLFieldFault(mapping: error) {
                fault = mapped
            } else {
                let amazonFault = amazon.fault(error, context)
                let isUnauthorized = [401, 403].contains(amazonFault.status)
                fault = GraphQLFieldFault(
                    amazonFault.message, code: isUnauthorized ? "UnauthorizedException" : amazonFault.code)
            }
        }
        var listed = GraphQLError(.request, fault.message, code: fault.code).withCode
        listed.retryAfterSeconds = fault.retryAfterSeconds
        return [listed]
    }
}
