import JWTKit
import MusterCoding
package import MusterCore
import MusterHTTP
import MusterStore
import MusterWire

/// The tokens that a client receives when a user has signed in to the user pool.
package struct UserPoolSession: Sendable {
    package let accessToken: String
    package let idToken: String
    /// The token that opens the session again until it ends; nil where the client has it already.
    package let refreshToken: String?
    /// The lifetime of the access token and the id token, in seconds.
    package let expiresIn: Int64
}

/// How a session of the user pool is stored. Cognito's clients keep one refresh token for the session's whole life, so
/// it is not a session of the native API, whose tokens change at each refresh: neither accepts the other's tokens.
private struct StoredUserPoolSession {
    private let ticket: SessionTicket

    init() { ticket = SessionTicket() }

    init?(refreshToken: String) {
        guard let ticket = SessionTicket(refreshToken, of: .userPool) else { return nil }
        self.ticket = ticket
    }

    var refreshToken: String { ticket.refreshToken(of: .userPool) }
    /// The name in the tokens of the session.
    var uuid: String { Hexadecimal.uuid(ticket.name.hexadecimal.utf8) }
    var key: [UInt8] { Self.key(ofUUID: uuid) }
    var secretDigest: [UInt8] { ticket.secretDigest }

    static func key(ofUUID uuid: String) -> [UInt8] { TokenDigest(of: "user pool session \(uuid)").bytes }
}

extension Identity {
    /// Returns the claims of a token that this store's key signed and that has not expired.
    ///
    /// - Throws: `UserPoolError.invalidToken`, `.expiredToken`; `StoreError`, `CoordinatorError`.
    func verifiedClaims<Claims: JWTPayload>(
        of token: String, as type: Claims.Type, expiry: (Claims) -> Int64
    ) async throws -> Claims {
        guard try await loadUserPoolKey() else { throw UserPoolError.invalidToken }
        return try await userPool.verify(token, as: type, expiry: expiry, at: now())
    }

    /// The most sessions of the user pool that a user has at once. A further one ends the oldest.
    static let userPoolSessionLimit = 100

    /// The label of stored sessions of the user pool.
    static let userPoolLabel = "user pool"

    /// The JWKS of the user pool. It has no key until the server makes the first token.
    package func userPoolKeySet() async throws -> (text: String, hasKey: Bool) {
        let hasKey = try await loadUserPoolKey()
        return (await userPool.keySet(at: now()), hasKey)
    }

    // MARK: Sessions

    /// Signs a user in by name and password.
    ///
    /// - Parameter issuer: the user pool's address, as the client calls it.
    /// - Throws: as `signIn(name:password:from:)`.
    package func signInToUserPool(
        name: String, password: String, issuer: String, from address: String
    ) async throws -> UserPoolSession {
        let (user, mark) = try await provePassword(password, ofUserNamed: name, from: address)
        return try await openUserPoolSession(for: user, provenBy: mark, issuer: issuer)
    }

    /// - Parameter mark: the mark of the password that the user proved.
    func openUserPoolSession(for user: User, provenBy mark: [UInt8], issuer: String) async throws -> UserPoolSession {
        try await prepareUserPool()
        let session = StoredUserPoolSession()
        let now = now()
        let hasEnded = try await coordinator.edit(by: nil) { directory, draft in
            guard directory.users[user.number] != nil else { throw IdentityError.refused }
            try Self.require(mark, of: user.number, in: draft.transaction)
            let earlier = try draft.store.credentials(.refreshToken, of: user.number)
                .filter { $0.label == Self.userPoolLabel }.sorted { $0.createdAt < $1.createdAt }
            let ended = earlier.dropLast(Self.userPoolSessionLimit - 1)
            draft.removedCredentials += ended.map { (kind: $0.kind, key: $0.key) }
            draft.credentials.append(
                Credential(
                    kind: .refreshToken, key: session.key, user: user.number, label: Self.userPoolLabel,
                    secret: session.secretDigest + mark, createdAt: now,
                    expiresAt: now.advanced(bySeconds: Self.sessionSeconds)))
            return !ended.isEmpty
        }
        // Credentials that a session made end with it.
        if hasEnded { verified.forget { $0.user == user.number && $0.proof == .amazonKey } }
        return try await tokens(
            of: user, session: session.uuid, refreshToken: session.refreshToken, signedInAt: now, issuer: issuer)
    }

    /// Makes new tokens of a session. The refresh token stays the same.
    ///
    /// - Throws: `UserPoolError.invalidToken`; `StoreError`, `CoordinatorError`.
    package func refreshUserPool(_ refreshToken: String, issuer: String) async throws -> UserPoolSession {
        guard let shown = StoredUserPoolSession(refreshToken: refreshToken) else { throw UserPoolError.invalidToken }
        let (user, stored) = try await userPoolSession(named: shown.uuid)
        guard Array(stored.secret.prefix(32)).isEqualInConstantTime(to: shown.secretDigest) else {
            throw UserPoolError.invalidToken
        }
        try await prepareUserPool()
        return try await tokens(
            of: user, session: shown.uuid, refreshToken: nil, signedInAt: stored.createdAt, issuer: issuer)
    }

    /// Ends the session of a refresh token, and the credentials that were made by it; does nothing for any other text.
    package func revokeUserPool(_ refreshToken: String) async throws {
        guard let shown = StoredUserPoolSession(refreshToken: refreshToken) else { return }
        // Tokens of no session are ignored here, so that they cost the writer nothing.
        let stored = try await coordinator.readCredentials { try $0.credential(.refreshToken, key: shown.key) }
        guard let stored, let user = stored.user,
            Array(stored.secret.prefix(32)).isEqualInConstantTime(to: shown.secretDigest)
        else { return }
        try await coordinator.edit(by: nil) { _, draft in
            draft.removedCredentials.append((kind: .refreshToken, key: shown.key))
        }
        // The credentials become invalid by themselves: each is bound to its session.
        verified.forget { $0.user == user && $0.proof == .amazonKey }
    }

    /// Ends all of a user's stored sessions, those of the native API too, and the credentials of the user's identity.
    /// No device receives pushes until it registers again.
    package func signOutEverywhere(_ user: UserNumber, by author: Author?) async throws {
        try await coordinator.edit(by: author) { _, draft in
            let identityKeys = try draft.store.credentials(.awsKey, of: user).filter(\.isIdentityKey)
            let sessions = try draft.store.credentials(.refreshToken, of: user)
            draft.removedCredentials += (sessions + identityKeys).map { (kind: $0.kind, key: $0.key) }
            try draft.removePushDevices(of: user)
        }
        forget(user)
    }

    /// Returns the user to whom the server issued an access token, if the token's session has not ended.
    ///
    /// - Throws: `UserPoolError.expiredToken` for an expired token; `.invalidToken` for any other text, for a token of
    ///   another use, and for a session that has ended; `StoreError`, `CoordinatorError`.
    package func user(ofAccessToken token: String) async throws -> User {
        let claims = try await verifiedClaims(of: token, as: UserPoolClaims.self, expiry: \.exp)
        guard claims.use == .access else { throw UserPoolError.invalidToken }
        return try await userPoolSession(named: claims.session, of: claims.sub).user
    }

    /// Verifies an id token, and returns its user and session.
    ///
    /// - Throws: as `user(ofAccessToken:)`.
    package func proof(ofIDToken token: String) async throws -> UserPoolProof {
        let claims = try await verifiedClaims(of: token, as: UserPoolClaims.self, expiry: \.exp)
        guard claims.use == .id, claims.audience == coordinator.origin.userPoolClientID else {
            throw UserPoolError.invalidToken
        }
        let (user, stored) = try await userPoolSession(named: claims.session, of: claims.sub)
        return UserPoolProof(user: user, session: claims.session, stored: stored)
    }

    /// Authenticates a request by an access token or an id token, as AppSync does.
    ///
    /// - Throws: as `user(ofAccessToken:)`.
    package func principal(ofUserPoolToken token: String) async throws -> Principal {
        let claims = try await verifiedClaims(of: token, as: UserPoolClaims.self, expiry: \.exp)
        guard claims.use == .access || claims.audience == coordinator.origin.userPoolClientID else {
            throw UserPoolError.invalidToken
        }
        let (user, stored) = try await userPoolSession(named: claims.session, of: claims.sub)
        RequestWork.current?.identify(user)
        return Principal(user, proof: .session(key: stored.key))
    }

    /// Returns the user of a session of the user pool that has neither ended nor expired, and the session as it is
    /// stored.
    func userPoolSession(named uuid: String, of subject: String? = nil) async throws -> (
        user: User, stored: Credential
    ) {
        let (stored, password) = try await coordinator.readCredentials { store in
            let stored = try store.credential(.refreshToken, key: StoredUserPoolSession.key(ofUUID: uuid))
            let user = stored?.user
            return (stored, try user.flatMap { try store.credential(.password, key: Credential.passwordKey(of: $0)) })
        }
        guard let stored, stored.isGood(at: now()), stored.label == Self.userPoolLabel,
            let user = stored.user.flatMap({ coordinator.directory.users[$0] }),
            stored.secret.dropFirst(32) == Self.passwordMark(password)[...],
            subject.map({ coordinator.origin.user(ofSubject: $0) == user.number }) ?? true
        else { throw UserPoolError.invalidToken }
        return (user, stored)
    }

    private func tokens(
        of user: User, session: String, refreshToken: String?, signedInAt: Instant, issuer: String
    ) async throws -> UserPoolSession {
        let origin = coordinator.origin
        let issued = now().milliseconds / 1000
        var access = UserPoolClaims(
            sub: origin.subject(of: user.number), iss: issuer, use: .access, session: session,
            signedInAt: signedInAt.milliseconds / 1000, iat: issued, exp: issued + UserPoolTokens.lifetimeSeconds,
            jti: Self.newUUID(), groups: [user.role.rawValue])
        var id = access
        access.client = origin.userPoolClientID
        access.scope = "aws.cognito.signin.user.admin"
        access.username = user.name
        id.use = .id
        id.jti = Self.newUUID()
        id.audience = origin.userPoolClientID
        id.cognitoUsername = user.name
        return UserPoolSession(
            accessToken: try await userPool.sign(access), idToken: try await userPool.sign(id),
            refreshToken: refreshToken, expiresIn: UserPoolTokens.lifetimeSeconds)
    }

    static func newUUID() -> String {
        var bytes = SecretToken.randomBytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return Hexadecimal.uuid(bytes.hexadecimal.utf8)
    }
}
