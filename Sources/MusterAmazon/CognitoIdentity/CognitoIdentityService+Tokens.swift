import MusterCore
import MusterServer
import MusterWire

/// The operations by which an app gets an identity, credentials or a token, for a user who has signed in or for a
/// guest.
extension CognitoIdentityService {
    func getID(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let (pool, logins) = try call.read { members, faults in
            (members.text("IdentityPoolId", .cognitoID, required: true, &faults), members.logins(&faults))
        }
        guard let logins, !logins.isEmpty else { return try await makeGuest(in: pool, call) }
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
        if let guest = identity.guest(named: id ?? ""), logins?.isEmpty ?? true {
            try spend(.credentials, call)
            let token = try await admitting(guest) {
                try await identity.makeGuestToken(for: guest, issuer: call.serverAddress)
            }
            return JSONWriter.object { writer in
                writer.member("IdentityId", coordinator.origin.text(of: guest))
                writer.member("Token", token)
            }
        }
        let proof = try await proof(by: logins)
        let identityID = try await requireOwn(id, proof.user, call)
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
        if let guest = identity.guest(named: id ?? ""), logins?.isEmpty ?? true {
            try spend(.credentials, call)
            let made = try await admitting(guest) { try await identity.makeGuestKey(for: guest) }
            return credentials(
                of: coordinator.origin.text(of: guest), made.id, made.secretAccessKey, made.sessionToken,
                made.expiresAt)
        }
        let proof =
            if let logins, logins.count == 1, logins[0].key == Self.ownProvider {
                try await identity.proof(ofIdentityToken: logins[0].value)
            } else {
                try await self.proof(by: logins)
            }
        let identityID = try await requireOwn(id, proof.user, call)
        let made = try await identity.makeIdentityKey(by: proof)
        return credentials(of: identityID, made.key.id, made.secretAccessKey, made.sessionToken, made.key.expiresAt)
    }

    private func credentials(
        of identity: String, _ id: String, _ secret: String, _ token: String?, _ end: Instant?
    ) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("IdentityId", identity)
            writer.key("Credentials")
            writer.beginObject()
            writer.member("AccessKeyId", id)
            writer.member("SecretKey", secret)
            writer.member("SessionToken", token)
            if let end { writer.amazonEpoch("Expiration", end) }
            writer.endObject()
        }
    }

    /// The provider name under which `Logins` has a token of `GetOpenIdToken`.
    private static let ownProvider = "cognito-identity.amazonaws.com"

    /// Checks that an identity is a user's own. A guest's identity of the user's pool is merged into the user. Any
    /// other user's identity is refused like one that does not exist.
    ///
    /// - Returns: the user's identity.
    private func requireOwn(_ id: String?, _ user: User, _ call: AmazonJSONCall) async throws -> String {
        let own = coordinator.origin.text(of: .identity(user.number))
        if id == own { return own }
        guard let guest = identity.guest(named: id ?? ""), guest.pool == user.team else {
            throw AmazonError.notFound("Identity '\(id ?? "")' not found.")
        }
        try spend(.credentials, call)
        do {
            try await coordinator.merge(guest, into: user)
        } catch DatasetError.merged {
            throw Self.forbidden(guest, coordinator)
        } catch let fault as DatasetError {
            throw AmazonError(400, "ResourceConflictException", fault.description)
        }
        return own
    }

    // MARK: Guests

    private func makeGuest(in pool: String?, _ call: AmazonJSONCall) async throws -> [UInt8] {
        try spend(.identity, call)
        // A caller who has signed in nowhere does not find out which pools exist.
        guard let pool, case .pool(let team) = coordinator.origin.cognitoID(pool),
            try await identity.allowsGuests(in: team)
        else { throw Self.noGuests }
        let guest = identity.makeGuest(in: team)
        return JSONWriter.object { $0.member("IdentityId", coordinator.origin.text(of: guest)) }
    }

    private func spend(_ act: GuestLimiter.Act, _ call: AmazonJSONCall) throws(AmazonError) {
        if let wait = identity.guestLimiter.spend(act, from: call.context.remoteAddress, at: identity.now()) {
            throw .throttled(retryAfterSeconds: wait)
        }
    }

    private func admitting<Made>(_ guest: GuestID, _ make: () async throws -> Made) async throws -> Made {
        do {
            return try await make()
        } catch IdentityError.refused {
            guard try await identity.allowsGuests(in: guest.pool) else { throw Self.noGuests }
            throw Self.forbidden(guest, coordinator)
        }
    }

    /// The refusal of a guest who was merged into a user.
    private static func forbidden(_ guest: GuestID, _ coordinator: StoreCoordinator) -> AmazonError {
        .notAuthorized("Access to Identity '\(coordinator.origin.text(of: guest))' is forbidden.")
    }

    private func requireMember(_ user: User, of team: TeamNumber?) throws(AmazonError) {
        guard user.team == team else {
            throw .notAuthorized("The user of this token has no identity in this identity pool.")
        }
    }
}

extension AmazonMembers {
    /// The providers and the tokens that authenticate the caller; nil where the request has none.
    fileprivate func logins(_ faults: inout AmazonFaults) -> [(key: String, value: String)]? {
        map("Logins", most: 10, keys: .any, values: .authParameter, &faults)
    }
}
