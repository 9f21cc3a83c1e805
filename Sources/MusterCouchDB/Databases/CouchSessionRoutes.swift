import HTTPTypes
import Hummingbird
import MusterCoding
import MusterCore
import MusterServer
import MusterWire
import NIOCore

/// The routes of `_session`: a client signs in for a cookie, signs out, and asks which user it is.
struct CouchSessionRoutes: CouchRoutes {
    let identity: Identity

    func register(in routes: inout CouchRouteTable) {
        routes.add(
            .post, "/_session", isOpen: true, "Sign in, and get a session cookie.",
            body: ["application/json", "application/x-www-form-urlencoded"]
        ) { try await signIn($0) }
        routes.add(.get, "/_session", isOpen: true, "Show the signed-in user.") { Self.whoAmI($0) }
        routes.add(.delete, "/_session", isOpen: true, "Sign out: the browser drops the cookie.") { call in
            try Self.requireOwnPage(call)
            var response = call.ok()
            response.headers[.setCookie] = SessionCookie.field("", lastingSeconds: 0, call.configuration)
            return response
        }
    }

    /// Checks that no page of another site signs a visitor in or out (cross-site request forgery, CSRF). A visitor
    /// signed in by such a page would report positions as another user.
    ///
    /// - Throws: `CouchError.forbidden`.
    private static func requireOwnPage(_ call: CouchCall) throws {
        let isCrossSite = call.request.headers[.fetchSite] == "cross-site" && call.request.headers[.origin] == nil
        guard call.request.isOfOwnPage(or: call.configuration.origins), !isCrossSite else {
            throw CouchError.forbidden("Pages of this origin may not sign users in or out.")
        }
    }

    private func signIn(_ call: CouchCall) async throws -> Response {
        try Self.requireOwnPage(call)
        let (name, password) = try await Self.credentials(call)
        let header = "Basic " + Base64.encode(Array("\(name):\(password)".utf8))
        let principal = try await identity.authenticate(header, from: call.context.remoteAddress)
        // A device's token acts for the device alone. A cookie would give it the rights of its owner.
        guard principal.device == nil else { throw IdentityError.refused }
        let value = try await identity.makeCookie(for: principal.user, isLasting: principal.proof == .password)
        var response = call.ok { writer in
            writer.member("name", name)
            writer.member("roles", listing: principal.couchRoles) { $0.value($1) }
        }
        response.headers[.setCookie] = SessionCookie.field(
            value, lastingSeconds: SessionCookie.lifetimeSeconds, call.configuration)
        return response
    }

    /// Reads the name and the password in the body, a form or JSON.
    private static func credentials(_ call: CouchCall) async throws -> (name: String, password: String) {
        let body = try await call.request.collectBody(.small)
        let name: String?
        let password: String?
        switch call.request.mediaType {
        case "application/x-www-form-urlencoded"?:
            let form = CouchQuery(String(buffer: body))
            name = form.text("name", "username")
            password = form.text("password")
        case "application/json"?, nil:
            let tree = try body.withUnsafeReadableBytes { try JSONValue(parsing: $0) }
            name = (tree["name"] ?? tree["username"])?.string
            password = tree["password"]?.string
        case let type?:
            throw CouchError.contentType("The body must be a form or JSON, not \(type).")
        }
        guard let name, let password, !name.contains(":") else {
            throw CouchError.badRequest("request body must contain a username and a password")
        }
        return (name, password)
    }

    private static func whoAmI(_ call: CouchCall) -> Response {
        let handlers = ["cookie", "default"]
        return call.ok { writer in
            writer.key("userCtx")
            writer.beginObject()
            writer.key("name")
            if let name = call.principal?.name { writer.value(name) } else { writer.null() }
            writer.member("roles", listing: call.principal?.couchRoles ?? []) { $0.value($1) }
            writer.endObject()
            writer.key("info")
            writer.beginObject()
            writer.member("authentication_handlers", listing: handlers) { $0.value($1) }
            if call.principal != nil {
                writer.member("authenticated", call.context.proof is CookieProof ? "cookie" : "default")
            }
            writer.endObject()
        }
    }
}

extension Principal {
    /// The roles that CouchDB's clients see.
    var couchRoles: [String] { (role == .admin ? ["_admin"] : []) + [role.rawValue] + databaseRoles }
}

extension HTTPField.Name {
    /// Fetch Metadata's relation between the requesting site and this one.
    fileprivate static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
