import Hummingbird
import MusterCore
import MusterDocuments
import MusterServer
import MusterStore

/// Routes that merge two users who are the same person, and that move devices to another person.
struct JoinRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        let leaders: Route.Admission = .roles([.admin, .leader], devices: false)
        let user = "\(Self.root)/users/{user}"
        routes.add(
            Route(
                .post, "\(user)/join", admits: leaders,
                .init(
                    "Users",
                    "Merge a user that stands for a device into another user. The other user gets its devices, "
                        + "which keep their ids, and the user is removed.",
                    body: Self.json("Recipient"), answers: [.init(200, "The other user.", json: "User")]),
                handler: joinUser))
        routes.add(
            Route(
                .post, "\(user)/devices/{device}/owner", admits: leaders,
                .init(
                    "Devices",
                    "Give a device, with everything it reported, to another user of the team. Its tokens end.",
                    body: Self.json("Recipient"), answers: [.init(200, "The device.", json: "Device")]),
                handler: giveDevice))
    }

    private func joinUser(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let name = try await Self.recipient(in: request)
        let former = try account(context, context.access(in: coordinator.directory))
        try await checkPossessions(of: former.number)
        let person = try await coordinator.edit(by: context.author) { directory, draft in
            let access = try context.access(in: directory)
            let user = try account(context, access)
            // The checks above were made for this user, not for a later user of the same name.
            guard user.number == former.number else { throw Problem.notFound }
            let person = try Self.recipient(named: name, of: user, access)
            draft.edits = try directory.joining(user, to: person) { directory.lastingAmazonID(of: $0) }
            // The devices' tokens now belong to the remaining user, and end with that user's rights.
            let tokens = try draft.store.credentials(.deviceToken, of: user.number)
            draft.removedCredentials += tokens.map { (kind: $0.kind, key: $0.key) }
            draft.credentials += tokens.map { token in
                var token = token
                token.user = person.number
                return token
            }
            return person
        }
        identity.forget(former.number)
        return .json { $0.user(person, in: coordinator.directory) }
    }

    private func giveDevice(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let name = try await Self.recipient(in: request)
        let device = try changeableDevice(context, context.access(in: coordinator.directory)).number
        guard let author = context.author else { throw Problem.unauthorized }
        let tokens = try await coordinator.read { try $0.credentials(.deviceToken) }.filter { $0.device == device }
        let given = try await coordinator.edit(by: author) { directory, draft in
            let access = try context.access(in: directory)
            let device = try changeableDevice(context, access)
            guard let user = directory.users[device.user] else { throw Problem.notFound }
            let person = try Self.recipient(named: name, of: user, access)
            draft.edits = try directory.giving(
                device, from: user, to: person, alias: directory.lastingAmazonID(of: device))
            // The device's tokens and key were made to report for its former owner.
            draft.removedCredentials = tokens.map { (kind: .deviceToken, key: $0.key) }
            draft.removedCredentials.append((kind: .encryptionKey, key: Credential.key(of: device.number)))
            return device.number
        }
        // Revokes tokens that were made meanwhile, too.
        try await identity.removeDeviceTokens(of: given, by: author)
        let directory = coordinator.directory
        guard let device = directory.devices[given] else { throw Problem.notFound }
        let (known, _) = try await whereabouts(of: [given])
        return .json { $0.device(device, known[given], in: directory) }
    }

    /// Parses the name of the user in a body.
    private static func recipient(in request: Request) async throws -> String {
        var fields = try await Fields(request)
        let name = fields.text("to", isRequired: true)
        try fields.finish()
        guard let name else { throw Problem.internalError }
        return name
    }

    /// The user of that name, if the caller may merge the other user into it or give it a device.
    ///
    /// - Throws: `Problem.invalid` when the user does not exist or the caller may not see it; `.forbidden`.
    private static func recipient(named name: String, of user: User, _ access: Access) throws(Problem) -> User {
        guard let person = access.directory.users[name], access.mayReadAccount(of: person) else {
            throw .invalid("/to", "there is no such user")
        }
        guard access.mayJoin(user, to: person) else { throw .forbidden }
        return person
    }

    /// Checks that a user to be removed has no credentials or documents, which would be lost.
    private func checkPossessions(of user: UserNumber) async throws {
        let hasKeys = try await coordinator.read { store in
            try [Credential.Kind.password, .apiKey, .awsKey, .locationKey, .refreshToken].contains { kind in
                try !store.credentials(kind, of: user).isEmpty
            }
        }
        if hasKeys { throw JoinError.hasKeys }
        let documents = try await coordinator.read { store in
            try store.readDocuments { reader, _ in try reader.counts(in: .database(.locations(of: user))).living }
        }
        if documents > 0 { throw JoinError.hasDocuments }
    }
}
