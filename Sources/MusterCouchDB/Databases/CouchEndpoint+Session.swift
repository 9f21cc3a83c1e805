import HTTPTypes
import Hummingbird
import MusterCoding
import MusterCore
import MusterServer
import MusterWire
import NIOCore

extension CouchEndpoint {
    func addSession(to routes: inout RouteTable) {
        add(
            .post, "/_session", isOpen: true, "Sign in, for a cookie.",
            body: ["application/json", "application/x-www-form-urlencoded"], to: &routes
        ) { try await signIn($0) }
        add(.get, "/_session", isOpen: true, "Who am I?", to: &routes) { Self.whoAmI($0) }
        add(.delete, "/_session", isOpen: true, "Sign out: the cookie is to be forgotten.", to: &routes) { call in
            try requireOwnPage(call)
            var response = call.ok()
            response.headers[.setCookie] = cookie("", lastingSeconds: 0)
            return response
        }
    }

    /// Makes sure that no other site's page signs its visitor in or out: that visitor would go on as someone else, and
    /// tell them where they are.
    ///
    /// - Throws: `CouchError.forbidden`.
    private func requireOwnPage(_ call: CouchCall) throws {
        let isCrossSite = call.request.headers[.fetchSite] == "cross-site" && call.request.headers[.origin] == nil
        guard call.request.isOfOwnPage(or: configuration.origins), !isCrossSite else {
            throw CouchError.forbidden("Pages of this origin may not sign in here.")
        }
    }

    private func signIn(_ call: CouchCall) async throws -> Response {
        try requireOwnPage(call)
        let (name, password) = try await Self.credentials(call)
        let header = "Basic " + Base64.encode(Array("\(name):\(password)".utf8))
        let principal = try await identity.authenticate(header, from: call.context.remoteAddress)
        // A device's own token speaks for the device alone; a cookie would make more of it.
        guard principal.device == nil else { throw IdentityError.refused }
        let value = try await identity.makeCookie(for: principal.user, isLasting: principal.proof == .password)
        var response = call.ok { writer in
            writer.member("name", name)
            writer.member("roles", listing: principal.couchRoles) { $0.value($1) }
        }
        response.headers[.setCookie] = cookie(value, lastingSeconds: SessionCookie.lifetimeSeconds)
        return response
    }

    /// What the body says, as a form or as JSON.
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
            throw CouchError.contentType("\(type) is taken here neither as a form nor as JSON")
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

    /// The field that gives a browser a cookie. Where pages of other origins are allowed, they may send it, too.
    func cookie(_ value: String, lastingSeconds: Double) -> String {
        let isEncrypted = configuration.tls != nil
        let site = isEncrypted && !configuration.origins.isEmpty ? "None" : "Lax"
        return "\(SessionCookie.name)=\(value); Version=1; Max-Age=\(Int(lastingSeconds)); Path=/; HttpOnly; "
            + "SameSite=\(site)" + (isEncrypted ? "; Secure" : "")
    }
}

extension Principal {
    /// The roles that CouchDB's clients are told of.
    var couchRoles: [String] { (role == .admin ? ["_admin"] : []) + [role.rawValue] + databaseRoles }
}

extension HTTPField.Name {
    /// Fetch Metadata: how the site that asks stands to this one.
    fileprivate static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
