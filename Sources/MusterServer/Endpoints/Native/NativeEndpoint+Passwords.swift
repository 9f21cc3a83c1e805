import Hummingbird
import MusterCore

extension NativeEndpoint {
    func addPasswords(to routes: inout RouteTable) {
        routes.add(
            Route(
                .put, "\(Self.root)/users/{user}/password",
                admits: .roles(Route.Admission.everyRole, devices: false),
                .init(
                    "Users",
                    "Set a password: one's own, knowing it; as admin anyone else's; as the data folder's owner, by the "
                        + "command line, any. Ends all sessions.",
                    body: Self.json("NewPassword"), answers: [.init(204, "Set.")]), handler: setPassword))
    }

    private func setPassword(_ request: Request, _ exchange: Exchange) async throws -> Response {
        var fields = try await Fields(request)
        let access = try exchange.access(in: ledger.directory)
        let user = try account(exchange, access)
        guard access.mayChangePassword(of: user) else { throw Problem.forbidden }
        // Who owns the data folder sets the admin's too, which may have been forgotten.
        let isOwn = user.number == access.principal.user && access.principal.proof != .control
        let password = fields.text("password", isRequired: true)
        let current = fields.text("currentPassword", isRequired: isOwn)
        try fields.finish()
        if isOwn {
            do {
                _ = try await identity.verifyPassword(
                    current ?? "", ofUserNamed: user.name, from: exchange.remoteAddress)
            } catch IdentityFault.refused {
                throw Problem.invalid("/currentPassword", "is not the password")
            }
        }
        try await identity.setPassword(password ?? "", of: user.number)
        return .noContent
    }
}
