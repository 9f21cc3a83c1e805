package import MusterCore
import MusterStore

/// The keys that sign tokens, and their successors.
extension Identity {
    /// The kind of token that a key signs.
    package enum SigningUse: String, CaseIterable, Hashable, Sendable {
        /// The tokens of the user pool, for Cognito's clients: RS256.
        case userPool = "user-pool"
        /// The access tokens of the native API: ES256.
        case accessTokens = "access-tokens"
    }

    /// A key that signs from now on.
    package struct NewSigningKey: Hashable, Sendable {
        /// The `kid` of its tokens.
        package let id: String
        /// The time until which tokens of the previous key are accepted; nil where they are refused from now on.
        package let formerGoodUntil: Instant?
    }

    /// Starts signing with a new key.
    ///
    /// - Parameters:
    ///   - endsTokens: whether to refuse, from now on, every token that was signed before: for a key that was stolen.
    ///   - author: the admin who asks for it, for the audit log.
    /// - Throws: `IdentityError.busy`; `CoordinatorError`, `StoreError`.
    package func rotateSigningKey(
        for use: SigningUse, endsTokens: Bool = false, by author: Author? = nil
    ) async throws -> NewSigningKey {
        switch use {
        case .userPool: try await rotateUserPoolKey(endsTokens: endsTokens, by: author)
        case .accessTokens: try await rotateAccessTokenKey(endsTokens: endsTokens, by: author)
        }
    }

    // MARK: Access tokens

    /// Tokens of the previous key stay valid while they last; older keys are dropped.
    func rotateAccessTokenKey(endsTokens: Bool = false, by author: Author? = nil) async throws -> NewSigningKey {
        let now = now()
        let fresh = AccessTokens.makeKey(at: now)
        let outdated = try await coordinator.edit(by: author) { _, draft in
            let stored = try draft.store.credentials(.signingKey).sorted { $0.createdAt > $1.createdAt }
            let outdated = Array(endsTokens ? stored[...] : stored.dropFirst())
            draft.credentials.append(fresh)
            draft.removedCredentials += outdated.map { (kind: .signingKey, key: $0.key) }
            if author != nil { draft.addAction(.signingKeyRotated, label: SigningUse.accessTokens.rawValue) }
            return outdated
        }
        try await tokens.use(fresh)
        for key in outdated { await tokens.drop(key) }
        verified.forget { if case .session = $0.proof { true } else { false } }
        let end = now.advanced(bySeconds: Double(AccessTokens.lifetimeSeconds))
        return NewSigningKey(
            id: String(decoding: fresh.key, as: UTF8.self), formerGoodUntil: endsTokens ? nil : end)
    }

    // MARK: The user pool

    /// Reads the keys that sign tokens of the user pool.
    ///
    /// - Returns: whether there is one. Anyone may ask for the keys, so this makes none; it reads the store until there
    ///   is one.
    func loadUserPoolKey() async throws -> Bool {
        if userPool.isReady { return true }
        let stored = try await coordinator.readCredentials { try $0.credentials(.userPoolKey) }
        let now = now()
        for (key, next) in Self.byAge(stored).reversed() {
            if let next, UserPoolTokens.isOutdated(keyBefore: next.createdAt, at: now) { continue }
            guard let der = try? vault.open(key.secret, for: Self.userPoolPurpose) else { continue }
            try await userPool.use(der, madeAt: key.createdAt)
        }
        return userPool.isReady
    }

    /// Stored keys, newest first, each with the one that was made next.
    private static func byAge(_ keys: [Credential]) -> [(key: Credential, next: Credential?)] {
        let sorted = keys.sorted { $0.createdAt > $1.createdAt }
        return zip(sorted, [nil] + sorted.map { Optional($0) }).map { (key: $0, next: $1) }
    }

    /// Reads the key that signs tokens of the user pool, and makes one when there is none that can be opened. Call it
    /// for a user who has signed in, or a guest where guests are allowed: making a key takes up to a second.
    func prepareUserPool() async throws {
        guard try await !loadUserPoolKey() else { return }
        try await userPool.makeOnce { try await self.makeUserPoolKey() }
    }

    private func makeUserPoolKey() async throws {
        let vault = vault
        let fresh = try await hasher.run("", .unknown) { try UserPoolTokens.makeKey() }
        let now = now()
        let (der, madeAt) = try await coordinator.edit(by: nil) { _, draft in
            // Another process may have made one; the first that is stored counts.
            if let other = try draft.transaction.credential(.userPoolKey, key: Self.userPoolKey),
                let der = try? vault.open(other.secret, for: Self.userPoolPurpose)
            {
                return (der, other.createdAt)
            }
            draft.credentials.append(
                Credential(
                    kind: .userPoolKey, key: Self.userPoolKey, secret: vault.seal(fresh, for: Self.userPoolPurpose),
                    createdAt: now))
            return (fresh, now)
        }
        try await userPool.use(der, madeAt: madeAt)
    }

    /// The first key is stored under this name, and each successor under the name with the time at which it was made.
    private static let userPoolKey = Array("rs256".utf8)
    private static let userPoolPurpose = "user pool key"

    /// A token names the key that signed it, and the key before the newest is published until its tokens have expired.
    private func rotateUserPoolKey(endsTokens: Bool, by author: Author?) async throws -> NewSigningKey {
        // The previous key must be loaded, so that its tokens stay valid.
        _ = try await loadUserPoolKey()
        let fresh = try await hasher.run("", .unknown) { try UserPoolTokens.makeKey() }
        let (secret, now) = (vault.seal(fresh, for: Self.userPoolPurpose), now())
        let (madeAt, hadKey) = try await coordinator.edit(by: author) { _, draft in
            let stored = Self.byAge(try draft.store.credentials(.userPoolKey))
            // The newest signs, also after the clock was set back.
            let madeAt = stored.first.map { max(now, $0.key.createdAt.advanced(bySeconds: 0.001)) } ?? now
            let ended = stored.filter { entry in
                endsTokens || entry.next.map { UserPoolTokens.isOutdated(keyBefore: $0.createdAt, at: now) } ?? false
            }
            draft.removedCredentials += ended.map { (kind: .userPoolKey, key: $0.key.key) }
            draft.credentials.append(
                Credential(
                    kind: .userPoolKey, key: Self.userPoolKey + Array(" \(madeAt.milliseconds)".utf8), secret: secret,
                    createdAt: madeAt))
            if author != nil { draft.addAction(.signingKeyRotated, label: SigningUse.userPool.rawValue) }
            return (madeAt, !stored.isEmpty)
        }
        let id = try await userPool.use(fresh, madeAt: madeAt)
        if endsTokens { await userPool.dropKeys(madeBefore: madeAt) }
        let end = madeAt.advanced(bySeconds: UserPoolTokens.formerKeySeconds)
        return NewSigningKey(id: id, formerGoodUntil: hadKey && !endsTokens ? end : nil)
    }
}
