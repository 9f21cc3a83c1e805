import Hummingbird
import MusterCore
import MusterServer
import MusterWire

/// Routes for the keys of programs.
struct KeyRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        let keys = "\(Self.root)/keys"
        let everyone: Route.Admission = .roles(Route.Admission.everyRole, devices: false)
        routes.add(
            Route(
                .get, keys, admits: everyone,
                .init(
                    "Keys", "List your own API keys or, as an admin, those of any user.",
                    query: [.init("user", "The owner of the keys, for admins.", schema: Schema.name)],
                    answers: [.init(200, "Keys, without their secrets.", json: "KeyPage")]), handler: listKeys))
        routes.add(
            Route(
                .post, keys, admits: everyone,
                .init(
                    "Keys", "Create an API key, or an AWS access key, with its user's rights.",
                    body: Self.json("NewKey"),
                    answers: [.init(201, "The key. The server shows its secret only once.", json: "MadeKey")]),
                handler: makeKey))
        routes.add(
            Route(
                .delete, "\(keys)/{key}", admits: everyone,
                .init("Keys", "Revoke an API key.", answers: [.init(204, "Revoked.")]), handler: removeKey))
        routes.add(
            Route(
                .post, "\(Self.root)/signing-keys/{use}", admits: .roles([.admin], devices: false),
                .init(
                    "Keys",
                    "Sign tokens with a new key from now on: those of Cognito's clients (`user-pool`), or the access "
                        + "tokens of this API (`access-tokens`). Tokens of the key before it stay good until they "
                        + "expire.",
                    query: [
                        .init(
                            "endTokens", "Whether to refuse all tokens that were signed before: the key was stolen.",
                            schema: #"{"type":"boolean","default":false}"#)
                    ], answers: [.init(200, "The new key's `kid`.", json: "Object")]), handler: rotateSigningKey))
    }

    private func rotateSigningKey(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var query = Query(request)
        let endsTokens = query.boolean("endTokens") ?? false
        try query.finish()
        guard let use = Identity.SigningUse(rawValue: try context.parameter("use")) else { throw Problem.notFound }
        let key = try await identity.rotateSigningKey(for: use, endsTokens: endsTokens, by: context.author)
        return .json { writer in
            writer.beginObject()
            writer.member("use", use.rawValue)
            writer.member("kid", key.id)
            if let end = key.formerGoodUntil { writer.member("formerGoodUntil", end) }
            writer.endObject()
        }
    }

    private func listKeys(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let directory = coordinator.directory
        let access = try context.access(in: directory)
        let owner = try keyOwner(named: Query(request).text("user"), access, pointer: "?user")
        let keys = try await identity.keys(of: owner.number)
        return .json { writer in
            writer.beginObject()
            writer.member("items", listing: keys) { $0.key($1, in: directory) }
            writer.endObject()
        }
    }

    private func makeKey(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var fields = try await Fields(request)
        let label = fields.text("label", isRequired: true, limitBytes: 200)
        let user = fields.text("user")
        let kind: APIKey.Kind = fields.word("kind") ?? .token
        let seconds = fields.number("lastsSeconds", in: Identity.temporaryKeyRange)
        if seconds != nil, kind != .aws { fields.addFault("lastsSeconds", "is for keys of kind aws") }
        try fields.finish()
        let directory = coordinator.directory
        let owner = try keyOwner(named: user, context.access(in: directory), pointer: "/user")
        guard kind == .token else {
            let made = try await identity.makeAmazonKey(
                label: label ?? "", for: owner.number, lastingSeconds: seconds,
                by: context.author)
            return .json(.created) { writer in
                writer.beginObject()
                writer.keyMembers(made.key, in: directory)
                writer.member("accessKeyId", made.key.id)
                writer.member("secretAccessKey", made.secretAccessKey)
                writer.member("sessionToken", made.sessionToken)
                writer.endObject()
            }
        }
        let (key, secret) = try await identity.makeKey(
            label: label ?? "", for: owner.number, by: context.author)
        return .json(.created) { writer in
            writer.beginObject()
            writer.keyMembers(key, in: directory)
            writer.member("key", secret)
            writer.endObject()
        }
    }

    private func removeKey(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let access = try context.access(in: coordinator.directory)
        let id = try context.parameter("key")
        let keys = try await identity.keys(of: access.mayRevokeEveryKey ? nil : access.principal.user)
        guard let key = keys.first(where: { $0.id == id }) else { throw Problem.notFound }
        try await identity.removeKey(key, by: context.author)
        return .noContent
    }

    /// The owner of the keys: the named user, if the caller may change its keys; the caller where no user is named.
    private func keyOwner(named name: String?, _ access: Access, pointer: String) throws(Problem) -> User {
        guard let user = name.map({ access.directory.users[$0] }) ?? access.directory.users[access.principal.user],
            access.mayChangeKeys(of: user)
        else { throw .invalid(pointer, "there is no such user") }
        return user
    }
}

extension JSONWriter {
    fileprivate mutating func key(_ key: APIKey, in directory: Directory) {
        beginObject()
        keyMembers(key, in: directory)
        endObject()
    }

    fileprivate mutating func keyMembers(_ key: APIKey, in directory: Directory) {
        member("id", key.id)
        member("label", key.label)
        member("user", directory.users[key.user]?.name)
        member("createdAt", key.createdAt)
        member("kind", key.kind.rawValue)
        if let end = key.expiresAt { member("expiresAt", end) }
    }
}
