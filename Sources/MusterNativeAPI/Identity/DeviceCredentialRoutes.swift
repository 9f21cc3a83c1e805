import Hummingbird
import MusterCore
import MusterServer
import MusterWire

/// Routes for device tokens and certificates.
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
                .init(
                    "Devices", "Revoke all tokens and certificates of a device.", answers: [.init(204, "Revoked.")]),
                handler: removeTokens))
        routes.add(
            Route(
                .post, "\(device)/certificate", admits: writers,
                .init(
                    "Devices", "Create a certificate with which the device connects as a TAK client.",
                    body: Self.json("NewDeviceCertificate"),
                    answers: [.init(201, "The certificate, and that of its authority.", json: "DeviceCertificate")]),
                handler: makeCertificate))
    }

    private func makeCertificate(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let directory = coordinator.directory
        let access = try context.access(in: directory)
        let device = try changeableDevice(context, access)
        guard let author = context.author, let owner = directory.users[device.user] else { throw Problem.unauthorized }
        var fields = try await Fields(request)
        let signingRequest = fields.text("request", isRequired: true, limitBytes: 8 << 10)
        let days = fields.number("days", in: Identity.certificateDays) ?? 365
        let readsAsUser = fields.boolean("readsAsUser") ?? false
        try fields.finish()
        guard let signingRequest else { throw Problem.internalError }
        // It reads as a key of the user does, so whoever may not make keys for the user may not make it either.
        guard !readsAsUser || access.mayChangeKeys(of: owner) else {
            throw Problem.forbidden("Only the user, or an admin, may let a device read what the user may.")
        }
        let made: DeviceCertificate
        do {
            made = try await identity.makeCertificate(
                for: device.number, request: signingRequest, days: days, readsAsUser: readsAsUser, by: author)
        } catch IdentityError.refused {
            throw Problem.invalid(
                "/request", "must be a signed request for a certificate (PKCS #10) in PEM, with a key of RSA or P-256")
        }
        return .json(.created) { writer in
            writer.beginObject()
            writer.member("device", directory.qualifiedName(of: device.number))
            writer.member("certificate", made.pem)
            writer.member("authority", made.authorityPEM)
            writer.member("expiresAt", made.expiresAt)
            writer.endObject()
        }
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
