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
                    "Devices", "List the tokens of a device, with the kind, maker and time of each.",
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
        routes.add(
            Route(
                .post, "\(device)/enrollment", admits: writers,
                .init(
                    "Devices", "Create a token with which a TAK client gets a certificate for the device, once.",
                    body: Self.json("NewDeviceEnrollment"),
                    answers: [.init(201, "The token, valid for an hour.", json: "DeviceEnrollment")]),
                handler: makeEnrollment))
    }

    private func makeEnrollment(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let directory = coordinator.directory
        let access = try context.access(in: directory)
        let device = try changeableDevice(context, access)
        guard let author = context.author, let owner = directory.users[device.user] else { throw Problem.unauthorized }
        var fields = try await Fields(request)
        let terms = Self.terms(&fields)
        try fields.finish()
        try Self.requireReading(terms.readsAsUser, of: owner, by: access)
        let made = try await identity.makeEnrollment(
            of: device.number, days: terms.days.rounded(.down), readsAsUser: terms.readsAsUser, by: author)
        return .json(.created) { writer in
            writer.beginObject()
            writer.member("device", directory.qualifiedName(of: device.number))
            writer.member("token", made.text)
            writer.member("expiresAt", made.expiresAt)
            writePort(to: &writer)
            writer.endObject()
        }
    }

    /// Writes where TAK clients connect: nothing without a port for them, and no number where the server picks one.
    private func writePort(to writer: inout JSONWriter) {
        guard let port = server.configuration.tak.port else { return }
        if port > 0 { writer.member("port", port) }
        writer.member("hosts", listing: server.configuration.takHosts) { $0.value($1) }
    }

    /// How long a certificate is valid, in days, and whether it opens what its user may read.
    private static func terms(_ fields: inout Fields) -> (days: Double, readsAsUser: Bool) {
        let days = fields.number("days", in: Identity.certificateDays) ?? 365
        return (days, fields.boolean("readsAsUser") ?? false)
    }

    /// A certificate that reads does so as a key of the user does, so whoever may not make keys for the user may not
    /// make it either.
    private static func requireReading(_ readsAsUser: Bool, of owner: User, by access: Access) throws(Problem) {
        guard !readsAsUser || access.mayChangeKeys(of: owner) else {
            throw .forbidden("Only the user, or an admin, may let a device read what the user may.")
        }
    }

    private func makeCertificate(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let directory = coordinator.directory
        let access = try context.access(in: directory)
        let device = try changeableDevice(context, access)
        guard let author = context.author, let owner = directory.users[device.user] else { throw Problem.unauthorized }
        var fields = try await Fields(request)
        let signingRequest = fields.text("request", isRequired: true, limitBytes: 8 << 10)
        let terms = Self.terms(&fields)
        try fields.finish()
        guard let signingRequest else { throw Problem.internalError }
        try Self.requireReading(terms.readsAsUser, of: owner, by: access)
        let made: DeviceCertificate
        do {
            made = try await identity.makeCertificate(
                for: device.number, request: signingRequest, days: terms.days, readsAsUser: terms.readsAsUser,
                by: author)
        } catch is UnusableCertificateRequest {
            throw Problem.invalid(
                "/request", "must be a signed request for a certificate (PKCS #10) in PEM, with a key of RSA or P-256")
        }
        return .json(.created) { writer in
            writer.beginObject()
            writer.member("device", directory.qualifiedName(of: device.number))
            writer.member("certificate", made.pem)
            writer.member("authority", made.authorityPEM)
            writer.member("expiresAt", made.expiresAt)
            writePort(to: &writer)
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
                writer.member("kind", token.kind.rawValue)
                if token.readsAsUser { writer.member("readsAsUser", true) }
                writer.member("createdAt", token.createdAt)
                if let end = token.expiresAt { writer.member("expiresAt", end) }
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
