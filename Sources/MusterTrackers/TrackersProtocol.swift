import Hummingbird
import MusterServer

/// How tracker apps prove whose they are: by the token of a device in the path, in `Authorization`, in the query, or
/// where the app has the device's id. A text there that is no token is the app's own id, and proves nothing.
///
/// Errors that are temporary, or that a person can fix, are 503: the app keeps its reports.
struct TrackersProtocol: RouteProtocol {
    let metrics: Metrics

    /// The body of a request whose proof is elsewhere is not read here.
    func proof(in request: inout Request, _ context: AppRequestContext) async throws -> (any RequestProof)? {
        if let token = try? context.parameter("token"), token.isDeviceToken { return proof(token, context) }
        if let proof = StandardProtocol().proof(in: &request, context) { return proof }
        let posted = try await TrackerRequest(ofStranger: &request)
        return posted.token.map { proof($0, context) }
    }

    private func proof(_ token: String, _ context: AppRequestContext) -> any RequestProof {
        HeaderProof("Bearer \(token)", from: context.remoteAddress)
    }

    /// A wrong token is 503, too: an app whose token was changed keeps its reports until a person enters the new one.
    /// A request without any is 401, because it is of nobody's.
    func response(to error: any Error, _ context: AppRequestContext) -> Response? {
        switch error {
        case IdentityError.missing:
            var problem = Problem.unauthorized
            problem.headers[.wwwAuthenticate] = #"Basic realm="muster", charset="UTF-8""#
            return problem.response
        case IdentityError.refused:
            metrics.count(event: "trackers_refused")
            return Problem.unavailable(
                "The token is wrong or revoked.", retryAfterSeconds: TrackersEndpoint.mendSeconds
            ).response
        case IdentityError.tooManyTries(let seconds):
            return Problem.unavailable("Too many requests.", retryAfterSeconds: seconds).response
        case CoordinatorError.unwritable:
            return Problem.unavailable(StorageWords.refusal, retryAfterSeconds: StorageWords.retryAfterSeconds).response
        default: return nil
        }
    }
}
