import Hummingbird
import MusterCore
import MusterServer
import MusterWire

/// Routes for signing in and out, and for the caller's own user.
struct SessionRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        let root = Self.root
        routes.add(
            Route(
                .post, "\(root)/session", admits: .anyone,
                .init(
                    "Session", "Sign in.", body: Self.json("SignIn"),
                    answers: [.init(200, "Signed in.", json: "Session")]), handler: signIn))
        routes.add(
            Route(
                .post, "\(root)/session/refresh", admits: .anyone,
                .init(
                    "Session", "Exchange a refresh token for the next pair of tokens. A refresh token works once.",
                    body: Self.json("Refresh"),
                    answers: [.init(200, "The next pair of tokens.", json: "Session")]), handler: refresh))
        routes.add(
            Route(
                .delete, "\(root)/session", admits: .roles(Route.Admission.everyRole, devices: false),
                .init(
                    "Session", "Sign out.", body: Self.json("Refresh"), answers: [.init(204, "Signed out.")]),
                handler: signOut))
        routes.add(
            Route(
                .get, "\(root)/session", admits: .roles(Route.Admission.everyRole, devices: true),
                .init("Session", "Read your own user.", answers: [.init(200, "You.", json: "WhoAmI")]), handler: whoAmI)
        )
    }

    private func signIn(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var fields = try await Fields(request)
        if fields.has("code") {
            let code = fields.text("code", isRequired: true)
            try fields.finish()
            return response(try await identity.signIn(code: code ?? "", from: context.remoteAddress))
        }
        let name = fields.text("name", isRequired: true)
        let password = fields.text("password", isRequired: true)
        try fields.finish()
        let session = try await identity.signIn(
            name: name ?? "", password: password ?? "", from: context.remoteAddress,
            knownBy: request.cookie(KnownClient.cookieName))
        var response = response(session)
        // If no proof can be made, the client's next sign-in waits in the queue of strangers.
        if let proof = try? await identity.makeKnownClient(of: session.user.number) {
            response.headers[.setCookie] =
                "\(KnownClient.cookieName)=\(proof); Max-Age=\(Int(KnownClient.lifetimeSeconds)); "
                + "Path=\(Self.root)/session; HttpOnly; SameSite=Strict" + (configuration.tls != nil ? "; Secure" : "")
        }
        return response
    }

    private func refresh(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var fields = try await Fields(request)
        let token = fields.text("refreshToken", isRequired: true)
        try fields.finish()
        return response(try await identity.refresh(token ?? ""))
    }

    private func signOut(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var fields = try await Fields(request)
        let token = fields.text("refreshToken", isRequired: true)
        try fields.finish()
        guard let principal = context.principal else { throw Problem.unauthorized }
        try await identity.signOut(token ?? "", by: principal)
        return .noContent
    }

    private func whoAmI(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let directory = coordinator.directory
        let access = try context.access(in: directory)
        guard let user = directory.users[access.principal.user] else { throw Problem.unauthorized }
        return .json { writer in
            writer.beginObject()
            writer.key("user")
            writer.user(user, in: directory, showsContacts: access.mayReadContacts(of: user))
            writer.member("device", access.principal.device.flatMap { directory.qualifiedName(of: $0) })
            writer.endObject()
        }
    }

    private func response(_ session: Session) -> Response {
        let directory = coordinator.directory
        return .json { writer in
            writer.beginObject()
            writer.member("accessToken", session.accessToken)
            writer.member("tokenType", "Bearer")
            writer.member("expiresIn", session.expiresIn)
            writer.member("refreshToken", session.refreshToken)
            writer.key("user")
            writer.user(session.user, in: directory)
            writer.endObject()
        }
    }
}

extension JSONWriter {
    /// Writes a user: name, role, team and crew, and the display name, the database roles, the e-mail address and the
    /// telephone number where there are any.
    ///
    /// - Parameters:
    ///   - showsContacts: whether the reader may see the address and the number.
    ///   - phoneWarning: why the number is of no use for texts by SMS.
    mutating func user(
        _ user: User, in directory: Directory, showsContacts: Bool = true, phoneWarning: String? = nil
    ) {
        beginObject()
        member("name", user.name)
        member("displayName", user.displayName)
        member("role", user.role.rawValue)
        member("team", user.team.flatMap { directory.teams[$0]?.name })
        member("crew", user.crew.flatMap { directory.crews[$0]?.name })
        if !user.databaseRoles.isEmpty { member("databaseRoles", listing: user.databaseRoles) { $0.value($1) } }
        if showsContacts {
            member("email", user.email)
            member("phone", user.phone)
            member("phoneWarning", phoneWarning)
        }
        endObject()
    }
}
