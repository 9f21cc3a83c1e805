import Hummingbird
import MusterCore
import MusterServer
import MusterWire

/// Routes for device tokens.
struct DeviceCredentialRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        let device = "\(Self.root)/users/{user}/devices/{device}"
        let writers: Route.Admission = .roles([.admin, .leader, .member], devices: false)
        routes.add(
            Route(
                .post, "\(device)/token", admits: writers,
                .init(
                    "Devices", "Create a token with which the device reports. Earlier tokens stay valid.",
                    answers: [.init(201, "The token. The server shows it only once.", json: "DeviceToken")]),
                handler: makeToken))
        routes.add(
            Route(
                .get, "\(device)/token", admits: writers,
                .init(
                    "Devices", "List the tokens of a device, with the maker and time of each.",
                    answers: [.init(200, "Tokens, without their secrets.", json: "DeviceTokenList")]),
                handler: listTokens))
        routes.add(
            Route(
                .delete, "\(device)/token", admits: writers,
                .init("Devices", "Revoke all tokens of a device.", answers: [.init(204, "Revoked.")]),
                handler: removeTokens))
    }

    private func makeToken(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let directory = coordinator.directory
        let device = try changeableDevice(context, context.access(in: directory))
        guard let author = context.author else { throw Problem.unauthorized }
        let token = try await identity.makeDeviceToken(for: device.number, by: author)
        return .json(.created) { writer in
            writer.beginObject()
            writer.member("device", directory.qualifiedName(of: device.number))
            writer.member("token", token)
            writer.endObject()
        }
    }

    private func listTokens(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let directory = coordinator.directory
        let device = try changeableDevice(context, context.access(in: directory))
        let tokens = try await identity.tokens(of: device.number)
        return .json { writer in
            writer.beginObject()
            writer.member("items", listing: tokens) { writer, token in
                writer.beginObject()
                writer.member("id", token.id)
                writer.member("createdAt", token.createdAt)
                if let maker = token.maker { writer.member("madeBy", directory.name(of: maker)) }
                writer.endObject()
            }
            writer.endObject()
        }
    }

    private func removeTokens(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let device = try changeableDevice(context, context.access(in: coordinator.directory))
        guard let author = context.author else { throw Problem.unauthorized }
        try await identity.removeDeviceTokens(of: device.number, by: author)
        return .noContent
    }
}
