import HTTPTypes
import Hummingbird
import MusterCoding
import MusterHTTP
import MusterServer

/// CouchDB's protocol: a header or a cookie proves who sends a request, and errors have CouchDB's form.
struct CouchProtocol: RouteProtocol {
    /// The origins, besides the server's own, whose pages may use session cookies.
    let origins: Set<String>

    /// Returns the proof in the `Authorization` header, or else in the session cookie. As in CouchDB, a header of an
    /// unknown scheme or a malformed one is ignored.
    ///
    /// A browser sends the cookie with requests of any page, so the cookie counts only for a page of this server or of
    /// an allowed origin.
    func proof(in request: inout Request, _ context: AppRequestContext) -> (any RequestProof)? {
        if let header = request.headers[.authorization], ShownCredential(header: header) != nil {
            return HeaderProof(header, from: context.remoteAddress, admitsLocationKeys: true)
        }
        guard let cookie = request.cookie(SessionCookie.name), request.isOfOwnPage(or: origins) else { return nil }
        return CookieProof(cookie: cookie)
    }

    func response(to error: any Error, _ context: AppRequestContext) -> Response? {
        if let error = error as? HTTPError, error.status == .notFound { return nil }
        return CouchError(mapping: error, or: context).response.withCouchRequestID
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
    /// Translates an error. Unexpected errors are logged and become `internalError`.
    init(mapping error: any Error, or context: AppRequestContext) {
        if let couchError = CouchError(mapping: error) {
            self = couchError
        } else {
            context.log(error)
            self = .internalError
        }
    }
}

extension Response {
    /// The response with a new request id, ten hexadecimal digits, by which people find the request in logs.
    var withCouchRequestID: Response {
        var response = self
        response.headers[.couchRequestID] = SecretToken.randomBytes(5).hexadecimal
        return response
    }
}

extension Request {
    /// Whether the request comes from a page of this server or of one of these origins, or from no page.
    func isOfOwnPage(or origins: Set<String>) -> Bool {
        guard let origin = headers[.origin] else { return true }
        if origins.contains(origin) { return true }
        let host = head.authority ?? headers[.host] ?? ""
        return origin == "http://\(host)" || origin == "https://\(host)"
    }
}

extension HTTPField.Name {
    /// CouchDB's header field for the id of a request.
    static let couchRequestID = HTTPField.Name("X-Couch-Request-ID")!
}
