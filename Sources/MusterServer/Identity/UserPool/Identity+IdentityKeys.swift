import MusterCoding
package import MusterCore
import MusterStore
import MusterWire

extension Credential {
    /// Whether it is a temporary AWS key that an app got by a token of the user pool.
    var isIdentityKey: Bool { APIKey(self)?.isOfIdentity ?? false }
}

/// Temporary AWS keys that a user gets for a token of the user pool (`GetCredentialsForIdentity`).
extension Identity {
    /// How long such a key lasts, in seconds: an hour, as Cognito's do.
    package static let identityKeySeconds: Double = 3600
    /// The most such keys of a user that last at once. A further one ends the oldest.
    static let identityKeyLimit = 50

    /// Makes a temporary key with a user's rights. It ends with the user, and with the user's sessions when the user
    /// signs out everywhere or changes the password.
    ///
    /// - Throws: `IdentityError.unknown` when the user no longer exists; `CoordinatorError`, `StoreError`.
    package func makeIdentityKey(for user: UserNumber) async throws -> AmazonKey {
        let now = now()
        let made = newAmazonKey(
            "cognito identity", for: user, prefix: APIKey.identityPrefix, lastingSeconds: Self.identityKeySeconds,
            at: now)
        let hasEnded = try await coordinator.edit(by: nil) { directory, draft in
            guard directory.users[user] != nil else { throw IdentityError.unknown }
            let earlier = try draft.store.credentials(.awsKey, of: user).filter(\.isIdentityKey)
            let lasting = earlier.filter { $0.isGood(at: now) }.sorted { $0.createdAt < $1.createdAt }
            let ended = earlier.filter { !$0.isGood(at: now) } + lasting.dropLast(Self.identityKeyLimit - 1)
            draft.removedCredentials += ended.map { (kind: .awsKey, key: $0.key) }
            draft.credentials.append(made.credential)
            return !ended.isEmpty
        }
        if hasEnded { verified.forget { $0.user == user && $0.proof == .amazonKey } }
        return made.key
    }

    /// Makes a token that names a user's identity, for `GetCredentialsForIdentity` and for other servers.
    ///
    /// - Parameters:
    ///   - pool: the team whose identity pool the token is for.
    ///   - session: the session by which the user proved who they are. The token ends with it.
    package func makeIdentityToken(
        for user: User, pool: TeamNumber?, session: String, issuer: String
    ) async throws -> String {
        try await prepareUserPool()
        let issued = now().milliseconds / 1000
        return try await userPool.sign(
            IdentityClaims(
                sub: coordinator.origin.text(of: .identity(user.number)),
                aud: coordinator.origin.text(of: .pool(pool)), iss: issuer, session: session, iat: issued,
                exp: issued + Int64(Self.identityTokenSeconds), amr: ["authenticated"]))
    }

    /// How long a token of an identity lasts, in seconds, as at Amazon.
    private static let identityTokenSeconds: Double = 600

    /// The user that a token of an identity is of, while the session lasts by which it was made.
    ///
    /// - Throws: `UserPoolError`; `StoreError`, `CoordinatorError`.
    package func user(ofIdentityToken token: String) async throws -> User {
        try await prepareUserPool()
        let claims = try await userPool.verify(token, as: IdentityClaims.self, expiry: \.exp, at: now())
        let user = try await userPoolSession(named: claims.session).user
        guard claims.sub == coordinator.origin.text(of: .identity(user.number)) else {
            throw UserPoolError.invalidToken
        }
        return user
    }
}
