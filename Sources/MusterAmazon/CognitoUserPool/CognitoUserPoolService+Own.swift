import MusterCore
import MusterServer
import MusterWire

/// The operations of users on their own accounts.
extension CognitoUserPoolService {
    /// The user whose access token a call shows.
    func user(of call: AmazonJSONCall) async throws -> User {
        let token = try call.read { members, faults in
            members.text("AccessToken", .authParameter, required: true, &faults)
        }
        return try await identity.user(ofAccessToken: token ?? "")
    }

    func getUser(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let user = try await user(of: call)
        return JSONWriter.object { writer in
            writer.member("Username", user.name)
            writer.userAttributes("UserAttributes", of: user, in: coordinator)
        }
    }

    /// Removes the account of the user who asks, with all that they reported.
    ///
    /// - Throws: `AmazonError` while the user calls for help or has a check-in timer: somebody who holds the phone of a
    ///   person in trouble could otherwise end the alarm without notice.
    func deleteUser(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let user = try await user(of: call)
        // The check runs on the writer's thread, so that no call for help comes between the check and the removal.
        try await coordinator.edit(by: Author(user: user.number)) { engine in
            guard !engine.safety(of: user.number).state.isCall else { throw AmazonError.callsForHelp }
            guard engine.checkInTimer(of: user.number) == nil else { throw AmazonError.hasCheckInTimer }
        } _: { directory, draft in
            guard directory.hasAnotherAdmin(than: user.number) else { throw AmazonError.lastAdmin }
            draft.edits = directory.removal(of: user.number)
        }
        identity.forget(user.number)
        return JSONWriter.object { _ in }
    }

    func changePassword(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let user = try await user(of: call)
        let (previous, proposed) = try call.read { members, faults in
            (
                members.text("PreviousPassword", .any, required: true, &faults),
                members.text("ProposedPassword", .any, required: true, &faults)
            )
        }
        try await identity.changePassword(
            previous ?? "", to: proposed ?? "", of: user, by: Author(user: user.number),
            from: call.context.remoteAddress)
        return JSONWriter.object { _ in }
    }
}

extension AmazonError {
    fileprivate static let callsForHelp = AmazonError(
        400, "NotAuthorizedException", "You called for help. Your account can be removed once the call is cleared.")
    fileprivate static let hasCheckInTimer = AmazonError(
        400, "NotAuthorizedException", "You have a check-in timer. Your account can be removed once it is ended.")
}

extension JSONWriter {
    /// Writes the attributes of a user: `sub`, and `custom:team` where the user has a team.
    mutating func userAttributes(_ key: StaticString, of user: User, in coordinator: StoreCoordinator) {
        var attributes = [("sub", coordinator.origin.subject(of: user.number))]
        if let team = user.team.flatMap({ coordinator.directory.teams[$0] }) {
            attributes.append(("custom:team", team.name))
        }
        member(key, listing: attributes) { writer, attribute in
            writer.beginObject()
            writer.member("Name", attribute.0)
            writer.member("Value", attribute.1)
            writer.endObject()
        }
    }
}
