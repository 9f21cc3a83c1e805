import HTTPTypes
import Hummingbird
import MusterAmazon
import MusterHTTP
import MusterServer
import MusterWire

/// How AppSync's clients, and Muster's own, prove who sends a request, and how errors are answered to them.
///
/// A proof is an API key in `x-api-key`; a token of Muster's or of the Cognito user pool in `Authorization`, with or
/// without `Bearer`; a name and a password; or a signature with an AWS access key for the service `appsync`.
struct GraphQLProtocol: RouteProtocol {
    let amazon: AmazonProtocol

    init(_ parts: ServerParts) {
        amazon = AmazonProtocol(
            keys: AmazonKeys(
                identity: parts.identity, requestsPerSecond: parts.configuration.amazon.requestsPerSecond),
            contentType: GraphQLMediaType.json.rawValue, bodyLimit: GraphQLCall.bodyLimits.bytes
        ) { _ in "appsync" }
    }

    /// With the field that Amplify's pages add to each request.
    var proofFields: [HTTPField.Name] { [.apiKey, .amazonDate, .amazonSecurityToken, .amazonUserAgent] }

    func proof(in request: inout Request, _ context: AppRequestContext) async throws -> (any RequestProof)? {
        guard let authorization = request.headers[.authorization] else {
            return request.headers[.apiKey].map { HeaderProof("Bearer \($0)", from: context.remoteAddress) }
        }
        if authorization.hasPrefix("AWS4-") { return try await amazon.proof(in: &request, context) }
        let words = authorization.split(separator: " ")
        guard let first = words.first else { throw IdentityError.missing }
        let token = words.count == 1 ? first : first.lowercased() == "bearer" ? words[1] : ""
        if words.count <= 2, token.count(where: { $0 == "." }) == 2 {
            return TokenProof(token: String(token), address: context.remoteAddress)
        }
        return HeaderProof(authorization, from: context.remoteAddress)
    }

    func response(to error: any Error, _ context: AppRequestContext) -> Response? {
        // Errors are JSON to everybody: a client that accepts something else reads at least the status.
        let type = GraphQLMediaType.json
        switch error {
        case let refusal as GraphQLRefusal:
            return type.response(refusal.status, refusal.words, code: "BadRequestException")
        case IdentityError.missing, IdentityError.refused, is UserPoolError:
            let isExpired = (error as? UserPoolError) == .expiredToken
            var response = type.response(
                .unauthorized, isExpired ? "Token has expired." : "Valid authorization header not provided.",
                code: "UnauthorizedException")
            response.headers[.wwwAuthenticate] = #"Bearer realm="muster""#
            return response
        case is RoleRefusal:
            return type.response(.forbidden, "You may not use this endpoint.", code: "UnauthorizedException")
        default: break
        }
        if let problem = Problem(mapping: error), let fault = GraphQLFieldFault(mapping: problem) {
            var response = type.response(problem.status, fault.message, code: fault.code ?? "BadRequestException")
            for field in problem.headers where field.name != .contentType { response.headers[field.name] = field.value }
            return response
        }
        let fault = amazon.fault(error, context)
        var response = type.response(.init(code: fault.status), fault.message, code: fault.code)
        // Nothing will read a body whose signature was refused.
        if fault.status != 500 { response.headers[.connection] = "close" }
        return response
    }
}

/// A token of Muster's own or of the Cognito user pool.
private struct TokenProof: RequestProof {
    let token: String
    let address: String

    func verify(by identity: Identity, atOpening isOpening: Bool) async throws -> Principal {
        do {
            return try await identity.authenticate("Bearer \(token)", from: address)
        } catch IdentityError.refused {
            return try await identity.principal(ofUserPoolToken: token)
        }
    }
}

extension HTTPField.Name {
    /// AppSync's header for an API key.
    static let apiKey = HTTPField.Name("x-api-key")!
    /// What Amplify's clients call themselves.
    fileprivate static let amazonUserAgent = HTTPField.Name("x-amz-user-agent")!
}
