import Hummingbird
import MusterServer

/// How tracker apps prove whose they are: by the token of a device in the path, in `Authorization`, in the query, or
/// where the app has the device's id or its user's password. A text there that is no token proves nothing.
///
/// Errors that are temporary, or that a person can fix, are 503: the app keeps its reports.
struct TrackersProtocol: RouteProtocol {
    let app: TrackerApp
    let metrics: Metrics

    /// The cookie in which μlogger, which signs in with each start, sends its token afterwards.
    private static let cookieName = "ulogger"

    /// The cookie of a sign-in. It goes to the path of the sign-in alone, because it names none.
    static func cookie(_ token: String, isSecure: Bool) -> String {
        "\(cookieName)=\(token); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }

    /// The body of a request whose proof is elsewhere is not read here.
    func proof(in request: inout Request, _ context: AppRequestContext) async throws -> (any RequestProof)? {
        if let token = try? context.parameter("token"), token.isDeviceToken { return proof(token, context) }
        if let proof = StandardProtocol().proof(in: &request, context) { return proof }
        if app == .uLogger {
            // A sign-in is by the password that it has: the cookie may be of a token that was replaced.
            if request.isShortForm, let token = try await TrackerRequest(ofStranger: &request).token {
                return proof(token, context)
            }
            return request.cookie(Self.cookieName).flatMap { $0.isDeviceToken ? proof($0, context) : nil }
        }
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
        case IdentityError.missing: return unauthorized
        case IdentityError.refused:
            metrics.count(event: "trackers_refused")
            if app.keepsReportsWhenUnauthorized { return unauthorized }
            return Problem.unavailable(
                "The token is wrong or revoked, or the login is not its user's name.",
                retryAfterSeconds: TrackersEndpoint.mendSeconds
            ).response
        case IdentityError.tooManyTries(let seconds):
            return Problem.unavailable("Too many requests.", retryAfterSeconds: seconds).response
        case CoordinatorError.unwritable:
            return Problem.unavailable(StorageWords.refusal, retryAfterSeconds: StorageWords.retryAfterSeconds).response
        default: return nil
        }
    }

    private var unauthorized: Response {
        var problem = Problem.unauthorized
        problem.headers[.wwwAuthenticate] = #"Basic realm="muster", charset="UTF-8""#
        return problem.response
    }
}

extension Request {
    /// Whether the body is a form that is as short as a stranger's may be, and has no file.
    fileprivate var isShortForm: Bool {
        let isMultipart = headers[.contentType]?.lowercased().hasPrefix("multipart/") ?? false
        let length = headers[.contentLength].flatMap { Int($0) } ?? .max
        return !isMultipart && length <= BodyLimits.small.bytes
    }
}
