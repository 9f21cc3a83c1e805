import HTTPTypes
import Hummingbird
import MusterServer
import MusterWire

/// Credentials as everywhere, and errors in IFTTT's form: `{"errors":[{"message":…}]}`.
struct IFTTTProtocol: RouteProtocol {
    func proof(in request: inout Request, _ context: AppRequestContext) -> (any RequestProof)? {
        StandardProtocol().proof(in: &request, context)
    }

    func response(to error: any Error, _ context: AppRequestContext) -> Response? {
        switch error {
        case IdentityError.missing, IdentityError.refused:
            Self.refusal(.unauthorized, "A key or a token is needed, or it is wrong.")
        case is RoleRefusal: Self.refusal(.forbidden, "You may not read what devices fire.")
        case let refusal as IFTTTRefusal: Self.refusal(refusal.status, refusal.words)
        case is JSONError: Self.refusal(.badRequest, "The body is not JSON.")
        default: nil
        }
    }

    private static func refusal(_ status: HTTPResponse.Status, _ words: String) -> Response {
        .json(status) { writer in
            writer.beginObject()
            writer.member("errors", listing: [words]) { writer, words in
                writer.beginObject()
                writer.member("message", words)
                writer.endObject()
            }
            writer.endObject()
        }
    }
}

/// A request that the endpoint refuses.
struct IFTTTRefusal: Error {
    let status: HTTPResponse.Status
    let words: String

    init(_ status: HTTPResponse.Status, _ words: String) {
        self.status = status
        self.words = words
    }
}
