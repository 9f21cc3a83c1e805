import HTTPTypes
import MusterHTTP
import MusterServer
import MusterWire

/// The kinds of fault, with AppSync's words for programs.
extension GraphQLFieldFault {
    /// The caller may not read or change this.
    static func unauthorized(_ field: String) -> GraphQLFieldFault {
        let parts = field.split(separator: ".", maxSplits: 1)
        let words = parts.count == 2 ? "\(parts[1]) on type \(parts[0])" : field
        return GraphQLFieldFault("Not Authorized to access \(words).", code: "Unauthorized")
    }

    /// The object does not exist, or the caller may not see it.
    static let notFound = GraphQLFieldFault("There is no such object, or you may not see it.", code: "NotFound")

    /// An argument has a value that the field does not take.
    static func badRequest(_ words: String) -> GraphQLFieldFault {
        GraphQLFieldFault(words, code: "BadRequestException")
    }

    /// The operation asks for more than it may.
    static func tooMuch(_ words: String) -> GraphQLFieldFault { GraphQLFieldFault(words, code: "LimitExceeded") }

    /// What is said when a credential ends while the response to its request goes on; nil for another error.
    init?(endOfCredential error: any Error) {
        let words: String
        switch error {
        case let error as IdentityError where error.endsCredential: words = "The credentials are no longer valid."
        case is UserPoolError: words = "The token is no longer valid."
        case is SignatureError: words = "The key of the signature is no longer valid."
        default: return nil
        }
        self.init(words, code: "UnauthorizedException")
    }

    /// An error of another part of the server, as the native API's problem words it; nil for an unexpected one.
    init?(mapping error: any Error) {
        guard let problem = Problem(mapping: error) else { return nil }
        let faults = problem.faults.map { fault in
            fault.pointer.isEmpty ? fault.detail : "\(fault.pointer) \(fault.detail)"
        }
        let words = ([problem.title] + [problem.detail].compactMap { $0 } + faults).joined(separator: " ")
        self.init(
            words, code: Self.code(of: problem), retryAfterSeconds: problem.headers[.retryAfter].flatMap { Int($0) })
    }

    private static func code(of problem: Problem) -> String {
        switch problem.slug {
        case "not-found": "NotFound"
        case "forbidden": "Unauthorized"
        case "unauthorized": "UnauthorizedException"
        case "conflict", "over-limit": "ConflictException"
        case "too-many-tries", "over-quota": "ThrottlingException"
        case "unavailable", "insufficient-storage": "ServiceUnavailable"
        default: "BadRequestException"
        }
    }
}
