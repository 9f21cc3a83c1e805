import HTTPTypes
import Hummingbird
import MusterCoding
import MusterCore
import MusterServer
import MusterWire
import NIOCore

/// The routes of `_session`: sign in for a cookie, sign out, who am I.
extension CouchEndpoint {
    func addSession(to routes: inout RouteTable) {
        add(
            .post, "/_session", isOpen: true, "Sign in, and get a session cookie.",
            body: ["application/json", "application/x-www-form-urlencoded"], to: &routes
        ) { try await signIn($0) }
        add(.get, "/_session", isOpen: true, "Show the signed-in user.", to: &routes) { Self.whoAmI($0) }
        add(.delete, "/_session", isOpen: true, "Sign out: the browser drops the cookie.", to: &routes) { call in
            try requireOwnPage(call)
            var response = call.ok()
            response.headers[.setCookie] = cookie("", lastingSeconds: 0)
            return response
        }
    }

    /// Checks that no page of another site signs a visitor in or out (cross-site request forgery, CSRF). A visitor
    /// signed in by such a page would report positions as another user.
    ///
    /// - Throws: `CouchError.forbidden`.
    private func requireOwnPage(_ call: CouchCall) throws {
        let isCrossSite = call.request.headers[.fetchSite] == "cross-site" && call.request.headers[.origin] == nil
        guard call.request.isOfOwnPage(or: configuration.origins), !isCrossSite else {
            throw CouchError.forbidden("Pages of this origin may not sign users in or out.")
        }
    }

    private func signIn(_ call: CouchCall) async throws -> Response {
        try requireOwnPage(call)
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
        response.headers[.setCookie] = cookie(value, lastingSeconds: SessionCookie.lifetimeSeconds)
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

    /// Returns the `Set-Cookie` field of a session. If pages of other origins are allowed and the connection is
    /// encrypted, browsers send the cookie with their requests too.
    func cookie(_ value: String, lastingSeconds: Double) -> String {
        let isEncrypted = configuration.tls != nil
        let site = isEncrypted && !configuration.origins.isEmpty ? "None" : "Lax"
        return "\(SessionCookie.name)=\(value); Version=1; Max-Age=\(Int(lastingSeconds)); Path=/; HttpOnly; "
            + "SameSite=\(site)" + (isEncrypted ? "; Secure" : "")
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
