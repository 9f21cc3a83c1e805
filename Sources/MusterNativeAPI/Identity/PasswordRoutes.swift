import Hummingbird
import MusterCore
import MusterServer

/// Routes for passwords and the codes that reset them.
struct PasswordRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .put, "\(Self.root)/users/{user}/password",
                admits: .roles(Route.Admission.everyRole, devices: false),
                .init(
                    "Users",
                    "Set your own password, knowing the current one; as an admin, another user's; on the command line, "
                        + "any user's. This ends the user's sessions. An admin's reset also ends the user's keys, "
                        + "tokens and push devices, except for the kinds that `keep` names.",
                    body: Self.json("NewPassword"), answers: [.init(204, "Set.")]), handler: setPassword))
    }

    private func setPassword(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var fields = try await Fields(request)
        let access = try context.access(in: coordinator.directory)
        let user = try account(context, access)
        guard access.mayChangePassword(of: user) else { throw Problem.forbidden }
        // The owner of the data folder may set even the admin's password without the current one, which may be
        // forgotten.
        let isOwn = user.number == access.principal.user && access.principal.proof != .control
        let password = fields.text("password", isRequired: true)
        let current = fields.text("currentPassword", isRequired: isOwn)
        let kept = (fields.names("keep", limit: EndedCredentials.allCases.count) ?? []).map { name in
            if let kind = EndedCredentials(rawValue: name) { return kind }
            let kinds = EndedCredentials.allCases.map(\.rawValue).joined(separator: ", ")
            return fields.fault("keep", "must hold only \(kinds)") ?? .apiKeys
        }
        try fields.finish()
        guard isOwn else {
            let ending = Set(EndedCredentials.allCases).subtracting(kept)
            try await identity.setPassword(password ?? "", of: user.number, by: context.author, ending: ending)
            return .noContent
        }
        do {
            try await identity.changePassword(
                current ?? "", to: password ?? "", of: user, by: context.author, from: context.remoteAddress)
        } catch IdentityError.refused {
            throw Problem.invalid("/currentPassword", "is not the current password")
        }
        return .noContent
    }
}
