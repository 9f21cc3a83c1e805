import Hummingbird
import MusterCore
import MusterServer
import MusterStore

/// Routes for the keys of encrypted OwnTracks reports.
struct EncryptionKeyRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        let key = "\(Self.root)/users/{user}/devices/{device}/encryption-key"
        let writers: Route.Admission = .roles([.admin, .leader, .member], devices: false)
        routes.add(
            Route(
                .put, key, admits: writers,
                .init(
                    "Devices", "Set the secret with which an OwnTracks app encrypts its reports.",
                    body: Self.json("EncryptionKey"), answers: [.init(204, "Set.")]), handler: setKey))
        routes.add(
            Route(
                .delete, key, admits: writers,
                .init("Devices", "Remove that secret.", answers: [.init(204, "Forgotten.")]), handler: removeKey))
    }

    private func setKey(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var fields = try await Fields(request)
        let text = fields.text("key", isRequired: true, limitBytes: SecretBox.keyBytes)
        if text?.isEmpty == true { fields.addFault("key", "must have 1 to \(SecretBox.keyBytes) bytes") }
        try fields.finish()
        let secret = Array((text ?? "").utf8)
        let now = configuration.now()
        try await coordinator.edit(by: context.author) { directory, draft in
            let device = try changeableDevice(context, context.access(in: directory))
            draft.credentials.append(
                Credential(
                    kind: .encryptionKey, key: Credential.key(of: device.number), user: device.user,
                    device: device.number, secret: secret, createdAt: now))
        }
        return .noContent
    }

    private func removeKey(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        try await coordinator.edit(by: context.author) { directory, draft in
            let device = try changeableDevice(context, context.access(in: directory))
            draft.removedCredentials.append((kind: .encryptionKey, key: Credential.key(of: device.number)))
        }
        return .noContent
    }
}
