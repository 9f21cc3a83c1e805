import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// The operations of admins on accounts.
extension CognitoUserPoolService {
    /// The user that a call names, of this store's user pool.
    func namedUser(_ call: AmazonJSONCall) throws -> User {
        let name = try call.read { members, faults in
            requirePool(members, &faults)
            return members.text("Username", .userName, required: true, &faults) ?? ""
        }
        return try user(named: name, in: coordinator.directory)
    }

    /// The user with this `sub` or name. The `sub` is looked up first, so that a name of that form cannot stand for
    /// another user.
    private func user(named name: String, in directory: Directory) throws(AmazonError) -> User {
        let user =
            if let number = coordinator.origin.user(ofSubject: name) { directory.users[number] } else {
                directory.users[name]
            }
        guard let user else {
            throw AmazonError(400, "UserNotFoundException", "User does not exist.")
        }
        return user
    }

    /// Records a fault if the call names another pool than this store's.
    func requirePool(_ members: AmazonMembers, _ faults: inout AmazonFaults) {
        let pool = members.text("UserPoolId", .any, required: true, &faults)
        if let pool, pool != coordinator.origin.userPoolID {
            faults.addFault(members.name("UserPoolId"), "User pool \(pool) does not exist")
        }
    }

    func adminGetUser(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let user = try namedUser(call)
        return JSONWriter.object { $0.amazonUser(user, "UserAttributes", status: status(of: user), in: coordinator) }
    }

    /// Checks that a new user may have a name: `EntityName.isFreeForUsers`.
    static func requireFreeForUsers(_ name: String) throws(AmazonError) {
        guard EntityName.isFreeForUsers(name) else { throw .validation("Username", EntityName.userNameRule) }
    }

    func adminCreateUser(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let (name, password, attributes) = try call.read { members, faults in
            requirePool(members, &faults)
            return (
                members.text("Username", .userName, required: true, &faults) ?? "",
                members.text("TemporaryPassword", .any, &faults),
                try members.attributes("UserAttributes", &faults)
            )
        }
        guard EntityName.isValid(name) else {
            throw AmazonError.validation("Username", "must satisfy: \(EntityName.pattern)")
        }
        try Self.requireFreeForUsers(name)
        var stored: StoredPassword?
        if let password { stored = try await identity.prepare(password, ofUserNamed: name) }
        let (prepared, now) = (stored, configuration.now())
        let user = try await coordinator.edit(by: Author(try call.principal)) { directory, draft in
            guard let released = directory.releasing(name) else { throw UserPoolError.nameTaken }
            let team = try attributes["custom:team"].map { team throws(AmazonError) in
                try Self.team(named: team, in: directory)
            }
            let user = User(
                number: try draft.transaction.nextUserNumber(), name: name, role: .member, team: team)
            draft.edits += released + [.putUser(user)]
            if let prepared { draft.credentials += identity.credentials(for: prepared, of: user.number, at: now) }
            return user
        }
        return JSONWriter.object { writer in
            writer.key("User")
            writer.beginObject()
            writer.amazonUser(user, "Attributes", status: status(of: user), in: coordinator)
            writer.endObject()
        }
    }

    /// The status of an account in Cognito's words.
    func status(of user: User) -> String {
        identity.isPasswordResetRequired(of: user.number) ? "RESET_REQUIRED" : "CONFIRMED"
    }

    /// Changes the team of a user, the one attribute that can be changed here. An empty team ends the membership.
    func adminUpdateUserAttributes(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let user = try namedUser(call)
        let attributes = try call.read { members, faults in
            _ = members.value("UserAttributes", required: true, &faults)
            return try members.attributes("UserAttributes", &faults)
        }
        for name in attributes.keys.sorted() where name != "custom:team" {
            throw AmazonError(
                400, "InvalidParameterException",
                name == "sub"
                    ? "Cannot modify the non-mutable attribute sub"
                    : "Attributes did not conform to the schema: \(name): Attribute does not exist in the schema.")
        }
        guard let team = attributes["custom:team"] else { return JSONWriter.object { _ in } }
        try await coordinator.edit(by: Author(try call.principal)) { directory, draft in
            guard var user = directory.users[user.number] else { throw IdentityError.unknown }
            user.team = team.isEmpty ? nil : try Self.team(named: team, in: directory)
            user.isImplicit = false
            draft.edits = [.putUser(user)]
        }
        return JSONWriter.object { _ in }
    }

    private static func team(named name: String, in directory: Directory) throws(AmazonError) -> TeamNumber {
        guard let team = directory.teams[name] else { throw .validation("custom:team", "is the name of no team") }
        return team.number
    }

    /// Invalidates a user's password and all of their credentials, and makes the code by which the user sets a new one,
    /// as `ForgotPassword` does.
    func adminResetUserPassword(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let user = try namedUser(call)
        guard user.number != (try call.principal).user else {
            throw AmazonError.notAuthorized("Change your own password by ChangePassword.")
        }
        let code = try await identity.requirePasswordReset(of: user, by: Author(try call.principal))
        codeSender?.send(code)
        return JSONWriter.object { _ in }
    }

    func adminSetUserPassword(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let user = try namedUser(call)
        let password = try call.read { members, faults in
            members.text("Password", .any, required: true, &faults) ?? ""
        }
        // Admins change their own password by `ChangePassword`, which requires the present one.
        guard user.number != (try call.principal).user else {
            throw AmazonError.notAuthorized("Change your own password by ChangePassword.")
        }
        try await identity.setPassword(
            password, of: user.number, by: Author(try call.principal), ending: Set(EndedCredentials.allCases))
        return JSONWriter.object { _ in }
    }

    func adminDeleteUser(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let user = try namedUser(call)
        let principal = try call.principal
        guard user.number != principal.user else {
            throw AmazonError.validation("Username", "is your own: another admin can remove you")
        }
        try await coordinator.edit(by: Author(principal)) { directory, draft in
            guard directory.hasAnotherAdmin(than: user.number) else { throw AmazonError.lastAdmin }
            draft.edits = directory.removal(of: user.number)
        }
        identity.forget(user.number)
        return JSONWriter.object { _ in }
    }

    func adminUserGlobalSignOut(_ call: AmazonJSONCall) async throws -> [UInt8] {
        try await identity.signOutEverywhere(try namedUser(call).number, by: Author(try call.principal))
        return JSONWriter.object { _ in }
    }

    func adminConfirmSignUp(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let name = try call.read { members, faults in
            requirePool(members, &faults)
            return members.text("Username", .userName, required: true, &faults) ?? ""
        }
        try await identity.confirmSignUp(
            name: name, code: nil, by: Author(try call.principal), from: call.context.remoteAddress)
        return JSONWriter.object { _ in }
    }

    func adminInitiateAuth(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let (flow, client, parameters) = try call.read { members, faults in
            requirePool(members, &faults)
            return (
                members.text("AuthFlow", .any, required: true, &faults) ?? "",
                members.text("ClientId", .any, required: true, &faults),
                AuthParameters(members, "AuthParameters", &faults)
            )
        }
        try requireClient(client)
        return try await signIn(by: flow, parameters, call)
    }

    // MARK: Groups

    /// Gives a user a role. Everyone has exactly one.
    func adminAddUserToGroup(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let user = try namedUser(call)
        return try await setRole(of: user, to: try namedRole(call), by: Author(try call.principal))
    }

    /// Takes a role from a user, who then has the role `member`.
    func adminRemoveUserFromGroup(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let user = try namedUser(call)
        guard try namedRole(call) == user.role else { return JSONWriter.object { _ in } }
        return try await setRole(of: user, to: .member, by: Author(try call.principal))
    }

    private func setRole(of user: User, to role: Role, by author: Author) async throws -> [UInt8] {
        try await coordinator.edit(by: author) { directory, draft in
            guard var user = directory.users[user.number] else { throw IdentityError.unknown }
            guard user.role != role else { return }
            guard directory.hasAnotherAdmin(than: user.number) else { throw AmazonError.lastAdmin }
            user.role = role
            user.isImplicit = false
            draft.edits = [.putUser(user)]
        }
        return JSONWriter.object { _ in }
    }

    /// The role that a call names as a group.
    func namedRole(_ call: AmazonJSONCall) throws -> Role {
        let name = try call.read { members, faults in
            requirePool(members, &faults)
            return members.text("GroupName", .any, required: true, &faults) ?? ""
        }
        guard let role = Role(rawValue: name) else {
            throw AmazonError.notFound("Group not found.")
        }
        return role
    }
}

extension AmazonError {
    /// The error for an edit that would leave the store without an admin.
    static let lastAdmin = AmazonError(400, "InvalidParameterException", "This is the last admin.")
}

extension AmazonMembers {
    /// A list of attributes, by name.
    fileprivate func attributes(_ key: String, _ faults: inout AmazonFaults) throws -> [String: String] {
        guard value(key, &faults) != nil else { return [:] }
        var values: [String: String] = [:]
        for attribute in objects(key, 0...50, &faults) {
            guard let name = attribute.text("Name", .any, required: true, &faults) else { continue }
            values[name] = attribute.text("Value", .any, &faults)
        }
        return values
    }
}

extension JSONWriter {
    /// Writes the members of a user.
    mutating func amazonUser(
        _ user: User, _ attributes: StaticString, status: String, in coordinator: StoreCoordinator
    ) {
        member("Username", user.name)
        userAttributes(attributes, of: user, in: coordinator)
        member("Enabled", true)
        member("UserStatus", status)
    }
}
