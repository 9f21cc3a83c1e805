import Hummingbird
import MusterServer
import MusterWire

/// Answers requests by the handlers of their routes, and does what every route of CouchDB's protocol needs: it renews
/// session cookies, and gives each response an id.
struct CouchResponder: Sendable {
    let coordinator: StoreCoordinator
    let identity: Identity
    let configuration: Configuration

    /// Answers one request by its route's handler.
    ///
    /// - Throws: the handler's errors; `HTTPError` with 404 for a browser's request for the server's page.
    func respond(
        to request: Request, _ context: AppRequestContext, by handler: CouchRouteTable.Handler
    ) async throws -> Response {
        let call = CouchCall(
            request: request, context: context, coordinator: coordinator, configuration: configuration)
        try await makeReplicatorDatabase(for: call)
        var response: Response
        do {
            response = try await handler(call)
        } catch is PageWanted {
            // The route of the web page serves the page at the root.
            throw HTTPError(.notFound)
        }
        if call.principal != nil, let old = context.proof as? CookieProof, response.headers[.setCookie] == nil,
            let fresh = identity.renewal(of: old.cookie)
        {
            response.headers[.setCookie] = SessionCookie.field(
                fresh, lastingSeconds: SessionCookie.lifetimeSeconds, configuration)
        }
        return response.withCouchRequestID
    }

    /// Creates `_replicator` when an admin first uses it, because every CouchDB that was set up has this database.
    private func makeReplicatorDatabase(for call: CouchCall) async throws {
        guard call.context.parameters["db"] == DatabaseName.replicator[...], call.principal != nil else { return }
        let access = try call.access()
        guard access.directory.database(named: DatabaseName.replicator) == nil, access.mayAdministerDatabases else {
            return
        }
        let isOfItself = call.request.uri.path.hasSuffix(DatabaseName.replicator)
        if isOfItself, [.put, .delete].contains(call.request.method) { return }
        _ = try await coordinator.makeDatabase(named: DatabaseName.replicator, by: call.author)
    }
}

/// Thrown when a browser requests the root, which shows the web page.
struct PageWanted: Error {}

extension SessionCookie {
    /// Returns the `Set-Cookie` field of a session. If pages of other origins are allowed and the connection is
    /// encrypted, browsers send the cookie with their requests too.
    static func field(_ value: String, lastingSeconds: Double, _ configuration: Configuration) -> String {
        let isEncrypted = configuration.tls != nil
        let site = isEncrypted && !configuration.origins.isEmpty ? "None" : "Lax"
        return "\(name)=\(value); Version=1; Max-Age=\(Int(lastingSeconds)); Path=/; HttpOnly; "
            + "SameSite=\(site)" + (isEncrypted ? "; Secure" : "")
    }
}
