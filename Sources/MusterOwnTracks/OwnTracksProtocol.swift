import Hummingbird
import MusterServer

/// The protocol of OwnTracks apps: the same credentials as on other routes, and 503 for every error that is temporary,
/// or that a person can fix, so that a phone keeps its fixes.
struct OwnTracksProtocol: RouteProtocol {
    let metrics: Metrics

    func proof(in request: inout Request, _ context: AppRequestContext) -> (any RequestProof)? {
        StandardProtocol().proof(in: &request, context)
    }

    /// A wrong credential is 503, too: a phone whose token was changed keeps its fixes until a person enters the new
    /// one. A request without any is 401, because then apps ask for one.
    func response(to error: any Error, _ context: AppRequestContext) -> Response? {
        switch error {
        case IdentityError.missing:
            var problem = Problem.unauthorized
            problem.headers[.wwwAuthenticate] = #"Basic realm="muster", charset="UTF-8""#
            return problem.response
        case IdentityError.refused:
            metrics.count(event: "owntracks_refused")
            return Problem.unavailable(
                "Name, password or token is wrong.", retryAfterSeconds: OwnTracksEndpoint.mendSeconds
            ).response
        case let refusal as OwnTracksRefusal:
            return Problem.unavailable(refusal.words, retryAfterSeconds: OwnTracksEndpoint.mendSeconds).response
        case IdentityError.tooManyTries(let seconds):
            return Problem.unavailable("Too many requests.", retryAfterSeconds: seconds).response
        case CoordinatorError.unwritable:
            return Problem.unavailable(StorageWords.refusal, retryAfterSeconds: StorageWords.retryAfterSeconds).response
        default: return nil
        }
    }
}
