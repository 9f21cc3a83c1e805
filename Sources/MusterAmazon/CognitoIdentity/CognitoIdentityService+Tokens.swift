import MusterCore
import MusterServer
import MusterWire

/// What an app gets for a token of the user pool.
extension CognitoIdentityService {
    func getID(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let (pool, logins) = try call.read { members, faults in
            (members.text("IdentityPoolId", .cognitoID, required: true, &faults), members.logins(&faults))
        }
        // The server verifies the token first, so that a caller without a valid one cannot find out which pools exist.
        let user = try await proof(by: logins).user
        let team = try self.pool(pool)
        try requireMember(user, of: team)
        return JSONWriter.object { $0.member("IdentityId", coordinator.origin.text(of: .identity(user.number))) }
    }

    func getOpenIDToken(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let (id, logins) = try call.read { members, faults in
            (members.text("IdentityId", .cognitoID, required: true, &faults), members.logins(&faults))
        }
        let proof = try await proof(by: logins)
        let identityID = try requireOwn(id, proof.user)
        let token = try await identity.makeIdentityToken(
            for: proof.user, pool: proof.user.team, session: proof.session, issuer: call.serverAddress)
        return JSONWriter.object { writer in
            writer.member("IdentityId", identityID)
            writer.member("Token", token)
        }
    }

    func getCredentials(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let (id, logins) = try call.read { members, faults in
            (members.text("IdentityId", .cognitoID, required: true, &faults), members.logins(&faults))
        }
        let proof =
            if let logins, logins.count == 1, logins[0].key == Self.ownProvider {
                try await identity.proof(ofIdentityToken: logins[0].value)
            } else {
                try await self.proof(by: logins)
            }
        let identityID = try requireOwn(id, proof.user)
        let made = try await identity.makeIdentityKey(by: proof)
        return JSONWriter.object { writer in
            writer.member("IdentityId", identityID)
            writer.key("Credentials")
            writer.beginObject()
            writer.member("AccessKeyId", made.key.id)
            writer.member("SecretKey", made.secretAccessKey)
            writer.member("SessionToken", made.sessionToken)
            if let end = made.key.expiresAt { writer.amazonEpoch("Expiration", end) }
            writer.endObject()
        }
    }

    /// The name by which `Logins` holds a token of `GetOpenIdToken`.
    private static let ownProvider = "cognito-identity.amazonaws.com"

    /// Checks that an identity is a user's own. Another's is answered like one that does not exist.
    private func requireOwn(_ id: String?, _ user: User) throws(AmazonError) -> String {
        let own = coordinator.origin.text(of: .identity(user.number))
        guard id == own else { throw .notFound("Identity '\(id ?? "")' not found.") }
        return own
    }

    private func requireMember(_ user: User, of team: TeamNumber?) throws(AmazonError) {
        guard user.team == team else {
            throw .notAuthorized("The user of this token has no identity in this identity pool.")
        }
    }
}

extension AmazonMembers {
    /// The providers and the tokens by which a caller proves who they are; nil where there are none.
    fileprivate func logins(_ faults: inout AmazonFaults) -> [(key: String, value: String)]? {
        map("Logins", most: 10, keys: .any, values: .authParameter, &faults)
    }
}
