import HTTPTypes
import Hummingbird
import MusterCoding
import MusterHTTP
import MusterServer

/// CouchDB's protocol: a header or a cookie proves who sends a request, and errors have CouchDB's form.
struct CouchProtocol: RouteProtocol {
    /// The pages of other origins that may use cookies.
    let origins: Set<String>

    /// As in CouchDB, a header of an unknown scheme, or that cannot be read, shows nothing.
    ///
    /// A browser sends a cookie for every page that asks: it counts only for a page of ours, or of an allowed origin.
    func proof(in request: inout Request, _ context: AppRequestContext) -> (any RequestProof)? {
        if let header = request.headers[.authorization], ShownCredential(header: header) != nil {
            return HeaderProof(header, from: context.remoteAddress, admitsLocationKeys: true)
        }
        guard let cookie = request.cookie(SessionCookie.name), request.isOfOwnPage(or: origins) else { return nil }
        return CookieProof(cookie: cookie)
    }

    func response(to error: any Error, _ context: AppRequestContext) -> Response? {
        if let error = error as? HTTPError, error.status == .notFound { return nil }
        return CouchError(telling: error, or: context).response.withCouchRequestID
    }
}

/// CouchDB's session cookie.
struct CookieProof: RequestProof {
    let cookie: String

    var isSentByBrowsers: Bool { true }

    func verify(by identity: Identity, atOpening isOpening: Bool) async throws -> Principal {
        try await identity.authenticate(cookie: cookie, isExpiryMet: isOpening)
    }
}

extension CouchError {
    /// How an error is told. An unexpected one is logged.
    init(telling error: any Error, or context: AppRequestContext) {
        if let fault = CouchError(telling: error) {
            self = fault
        } else {
            context.log(error)
            self = .internalError
        }
    }
}

extension Response {
    /// The response with a new request id, ten hexadecimal digits, by which people find a request in logs.
    var withCouchRequestID: Response {
        var response = self
        response.headers[.couchRequestID] = SecretToken.randomBytes(5).hexadecimal
        return response
    }
}

extension HTTPField.Name {
    /// CouchDB's name for a request.
    static let couchRequestID = HTTPField.Name("X-Couch-Request-ID")!
}
