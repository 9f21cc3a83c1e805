package import MusterCore
import MusterStore
import MusterWire

/// Temporary AWS keys of identity pools, as credentials.
extension Credential {
    /// Whether it is a temporary AWS key that an app got by a token of the user pool.
    var isIdentityKey: Bool { APIKey(self)?.isOfIdentity ?? false }
}

/// A user who showed a token of the user pool.
package struct UserPoolProof: Sendable {
    package let user: User
    /// The name of the session that the token belongs to.
    package let session: String
    let bond: SessionBond

    init(user: User, session: String, stored: Credential) {
        self.user = user
        self.session = session
        bond = SessionBond(key: stored.key, mark: Array(stored.secret.dropFirst(SessionBond.keyBytes)))
    }
}

/// The credentials that a temporary key depends on: the session by which it was made, and the password of that session.
struct SessionBond: Hashable, Sendable {
    /// The key that the session is stored under.
    let key: [UInt8]
    /// Changes whenever the user's password changes: `Identity.passwordMark`.
    let mark: [UInt8]

    static let keyBytes = 32

    init(key: [UInt8], mark: [UInt8]) {
        self.key = key
        self.mark = mark
    }

    /// Reads `bytes`; nil for anything shorter.
    init?(bytes: some Collection<UInt8>) {
        guard bytes.count > Self.keyBytes else { return nil }
        self.init(key: Array(bytes.prefix(Self.keyBytes)), mark: Array(bytes.dropFirst(Self.keyBytes)))
    }

    var bytes: [UInt8] { key + mark }

    /// Whether the session is still valid and the password is the same.
    func lasts(session: Credential?, password: Credential?, of user: UserNumber, at now: Instant) -> Bool {
        guard let session, session.user == user, session.label == Identity.userPoolLabel else { return false }
        return session.isGood(at: now) && Identity.passwordMark(password) == mark
            && session.secret.dropFirst(Self.keyBytes) == mark[...]
    }

    func lasts(in transaction: any StoreTransaction, of user: UserNumber, at now: Instant) throws -> Bool {
        lasts(
            session: try transaction.credential(.refreshToken, key: key),
            password: try transaction.credential(.password, key: Credential.passwordKey(of: user)), of: user, at: now)
    }
}

/// Temporary AWS keys that a user gets for a token of the user pool (`GetCredentialsForIdentity`).
extension Identity {
    /// How long such a key lasts, in seconds: an hour, as Cognito's do.
    package static let identityKeySeconds: Double = 3600
    /// The most such keys that a user has at once. A further one ends the oldest.
    static let identityKeyLimit = 50

    /// Makes a temporary key with a user's rights. It ends with the session by which the user proved who they are, and
    /// with the password of that session.
    ///
    /// - Throws: `UserPoolError.invalidToken` when the session has ended; `CoordinatorError`, `StoreError`.
    package func makeIdentityKey(by proof: UserPoolProof) async throws -> AmazonKey {
        let (user, now) = (proof.user.number, now())
        let made = newAmazonKey(
            "cognito identity", for: user, prefix: APIKey.identityPrefix, lastingSeconds: Self.identityKeySeconds,
            bond: proof.bond, at: now)
        let hasEnded = try await coordinator.edit(by: nil) { directory, draft in
            // The session may have ended since it was read.
            guard directory.users[user] != nil, try proof.bond.lasts(in: draft.transaction, of: user, at: now) else {
                throw UserPoolError.invalidToken
            }
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
        let issued = now().milliseconds / 1000
        return try await userPool.sign(
            IdentityClaims(
                sub: coordinator.origin.text(of: .identity(user.number)),
                aud: coordinator.origin.text(of: .pool(pool)), iss: issuer, session: session, iat: issued,
                exp: issued + Int64(Self.identityTokenSeconds), amr: ["authenticated"]))
    }

    /// How long a token of an identity lasts, in seconds, as at Amazon.
    static let identityTokenSeconds: Double = 600

    /// Verifies a token of an identity, and returns the user and the session that made it.
    ///
    /// - Throws: `UserPoolError`; `StoreError`, `CoordinatorError`.
    package func proof(ofIdentityToken token: String) async throws -> UserPoolProof {
        let claims = try await verifiedClaims(of: token, as: IdentityClaims.self, expiry: \.exp)
        let (user, stored) = try await userPoolSession(named: claims.session)
        guard claims.sub == coordinator.origin.text(of: .identity(user.number)) else {
            throw UserPoolError.invalidToken
        }
        return UserPoolProof(user: user, session: claims.session, stored: stored)
    }
}
