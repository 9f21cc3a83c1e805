import Hummingbird
import MusterCore
import MusterServer
import MusterWire

/// The ids that Cognito's clients are configured with.
struct CognitoRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .get, "\(Self.root)/cognito", admits: .roles(Route.Admission.everyRole, devices: false),
                .init(
                    "Service",
                    "See the ids that clients of Amazon Cognito are configured with: the user pool and its client, the "
                        + "identity pool of one's own team, and one's own identity.",
                    answers: [.init(200, "The ids.", json: "CognitoSettings")]), handler: seeSettings))
        routes.add(
            Route(
                .get, "\(Self.root)/codes", admits: .roles([.admin], devices: false),
                .init(
                    "Users",
                    "List the codes that people who sign up or forgot their password wait for, to hand them over. "
                        + "The audit log records who has read a code.",
                    answers: [.init(200, "Open codes.", json: "CodePage")]), handler: seeCodes))
    }

    private func seeCodes(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        guard let admin = context.author else { throw Problem.unauthorized }
        let codes = try await identity.readConfirmationCodes(by: admin)
        return .json { writer in
            writer.beginObject()
            writer.member("items", listing: codes) { writer, code in
                writer.beginObject()
                writer.member("purpose", code.purpose.rawValue)
                writer.member("user", code.user)
                writer.member("code", code.code)
                writer.key("expiresAt")
                writer.value(code.expiresAt)
                if let wasSent = code.wasSent { writer.member("wasSent", wasSent) }
                writer.endObject()
            }
            writer.endObject()
        }
    }

    private func seeSettings(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let principal = try context.access(in: coordinator.directory).principal
        let origin = coordinator.origin
        return .json { writer in
            writer.beginObject()
            writer.member("region", origin.region)
            writer.member("userPoolId", origin.userPoolID)
            writer.member("clientId", origin.userPoolClientID)
            writer.member("identityPoolId", origin.text(of: .pool(principal.team)))
            writer.member("identityId", origin.text(of: .identity(principal.user)))
            writer.endObject()
        }
    }
}
