package import MusterCore
import MusterHTTP
import MusterStore

/// The tokens that a client receives when its user signs in.
package struct Session: Sendable {
    /// The token to send with every request; valid for a quarter of an hour.
    package let accessToken: String
    /// The lifetime of the access token, in seconds.
    package let expiresIn: Int64
    /// The token to exchange, once, for the next pair of tokens.
    package let refreshToken: String
    /// The user who signed in.
    package let user: User
}

/// How a session is stored: as one credential for its whole life, however often it is refreshed. A refresh token holds
/// the session's name and a secret. When a client shows a known session with a secret that `SessionSecret` no longer
/// admits, two clients hold the session's tokens, and the session ends.
private struct StoredSession {
    private let ticket: SessionTicket

    init() { ticket = SessionTicket() }

    init(continuing name: [UInt8]) { ticket = SessionTicket(continuing: name) }

    init?(refreshToken: String) {
        guard let ticket = SessionTicket(refreshToken, of: .refresh) else { return nil }
        self.ticket = ticket
    }

    var name: [UInt8] { ticket.name }
    var refreshToken: String { ticket.refreshToken(of: .refresh) }
    var key: [UInt8] { TokenDigest(bytes: name).bytes }
    var secretDigest: [UInt8] { ticket.secretDigest }

    /// Returns the credential to store.
    ///
    /// - Parameters:
    ///   - passwordMark: the mark of the password at sign-in.
    ///   - shown: the token that the client exchanges for this one; nil at sign-in.
    ///   - isStored: false for a session held in memory, which lives for an hour.
    func credential(
        of user: UserNumber, passwordMark: [UInt8], exchangedFor shown: StoredSession? = nil, at now: Instant,
        isStored: Bool = true
    ) -> Credential {
        let seconds = isStored ? Identity.sessionSeconds : UnstoredSessions.lifetimeSeconds
        let secret = SessionSecret(
            newest: secretDigest, passwordMark: passwordMark, exchanged: shown?.secretDigest)
        return Credential(
            kind: .refreshToken, key: key, user: user, secret: secret.bytes, createdAt: now,
            expiresAt: now.advanced(bySeconds: seconds))
    }
}

extension Identity {
    /// Signs a user in by name and password.
    ///
    /// - Parameters:
    ///   - address: the address the request comes from, to slow down guessing.
    ///   - proof: the proof that the client signed in before (`KnownClient`); nil where it shows none.
    /// - Returns: a stored session; or one held in memory while the disk refuses writes.
    /// - Throws: `IdentityError.refused` for an unknown name and for a wrong password alike, after the same time;
    ///   `.tooManyTries`; `.busy`; `CoordinatorError` and `StoreError` when the session can neither be stored nor held.
    package func signIn(
        name: String, password: String, from address: String, knownBy proof: String? = nil
    ) async throws -> Session {
        let (user, mark) = try await provePassword(password, ofUserNamed: name, from: address, knownBy: proof)
        return try await openSession(for: user, provenBy: mark)
    }

    /// Signs a user in by a code from `issueCode`.
    ///
    /// - Throws: the same as `signIn(name:password:from:)`.
    package func signIn(code: String, from address: String) async throws -> Session {
        let now = now()
        try attempts.spendAttempt(name: "code from \(address)", address: address, at: now)
        guard let number = codes.redeem(code, at: now), let user = coordinator.directory.users[number] else {
            logFailedSignIn(of: nil, from: address)
            throw IdentityError.refused
        }
        attempts.giveBack(name: "code from \(address)", address: address, at: now)
        return try await openSession(for: user)
    }

    /// Makes a code that signs this user in once, within ten minutes, without a password.
    package func issueCode(for user: UserNumber) -> String { codes.issue(for: user, at: now()) }

    /// Exchanges a refresh token for the next tokens of the session. The answer may be lost, so a client may exchange
    /// the same token again until it has shown the refresh token that it got for it last.
    ///
    /// - Throws: `IdentityError.refused` for an unknown, expired or revoked token. Also for a token that is older than
    ///   that; then the whole session ends, because one of the two clients that hold its tokens must be a thief.
    package func refresh(_ refreshToken: String) async throws -> Session {
        guard let shown = StoredSession(refreshToken: refreshToken) else { throw IdentityError.refused }
        // Tokens of no session are refused here, so that they cost the writer nothing.
        guard try await session(shown.key) != nil else { throw IdentityError.refused }
        let next = StoredSession(continuing: shown.name)
        let now = now()
        let user = try await refresh(shown, by: next, at: now)
        guard let user else {
            forgetSession(shown.key)
            throw IdentityError.refused
        }
        if let request = RequestWork.current { recentSignIns.record(user.number, from: request.address, at: now) }
        return try await session(next, of: user, at: now)
    }

    /// Replaces a session's secret by the next: in the store, or in memory while the disk refuses writes.
    ///
    /// - Returns: the session's user; nil for an unknown session, or for an invalid one, which then has ended.
    private func refresh(_ shown: StoredSession, by next: StoredSession, at now: Instant) async throws -> User? {
        guard !unstored.holds(shown.key) else { return try await refreshInMemory(shown, by: next, at: now) }
        do {
            return try await refreshInStore(shown, by: next, at: now)
        } catch CoordinatorError.unwritable {
            return try await refreshInMemory(shown, by: next, at: now)
        }
    }

    private func refreshInStore(_ shown: StoredSession, by next: StoredSession, at now: Instant) async throws -> User? {
        try await coordinator.edit(by: nil) { directory, draft -> User? in
            guard let stored = try draft.transaction.credential(.refreshToken, key: shown.key) else { return nil }
            let mark = try stored.user.map { try Identity.passwordMark(of: $0, in: draft.transaction) } ?? []
            guard let number = stored.user, let user = directory.users[number], stored.isGood(at: now),
                SessionSecret(stored: stored.secret).admits(shown.secretDigest, passwordMark: mark)
            else {
                draft.removedCredentials.append((kind: .refreshToken, key: shown.key))
                return nil
            }
            draft.credentials.append(
                next.credential(of: number, passwordMark: mark, exchangedFor: shown, at: now))
            return user
        }
    }

    private func refreshInMemory(
        _ shown: StoredSession, by next: StoredSession, at now: Instant
    ) async throws -> User? {
        let stored = try await coordinator.readCredentials { try $0.credential(.refreshToken, key: shown.key) }
        guard let number = unstored.session(shown.key, stored: stored)?.user else { return nil }
        let mark = try await passwordMark(of: number)
        let user = coordinator.directory.users[number]
        let refreshed = unstored.refresh(shown.key, stored: stored) { current in
            let isGood =
                user != nil && current.isGood(at: now)
                && SessionSecret(stored: current.secret).admits(shown.secretDigest, passwordMark: mark)
            guard isGood else { return nil }
            return next.credential(of: number, passwordMark: mark, exchangedFor: shown, at: now, isStored: false)
        }
        switch refreshed {
        case .open: return user
        case .over: return nil
        case .full: throw Self.noRoomForSessions
        }
    }

    /// Ends a session. Its refresh token and all its access tokens become invalid at once.
    ///
    /// Only the session's own user can end it. For any other principal, or an unknown token, nothing happens.
    package func signOut(_ refreshToken: String, by principal: Principal) async throws {
        guard let shown = StoredSession(refreshToken: refreshToken) else { return }
        do {
            try await coordinator.edit(by: nil) { _, draft in
                let stored = try draft.transaction.credential(.refreshToken, key: shown.key)
                guard stored?.user == principal.user else { return }
                draft.removedCredentials.append((kind: .refreshToken, key: shown.key))
            }
        } catch CoordinatorError.unwritable {
            try await endInMemory(shown.key, by: principal)
        }
        // A session held in memory overrides the stored one, so it is ended too.
        if unstored.holds(shown.key) { try await endInMemory(shown.key, by: principal) }
        forgetSession(shown.key)
    }

    /// Removes expired sessions, links and device tokens, and temporary AWS keys a day after they expired. During that
    /// day a request with such a key gets the error that the key has expired. The server calls this regularly.
    ///
    /// - Returns: how many credentials were removed.
    @discardableResult
    package func removeExpiredCredentials() async throws -> Int {
        try await storeUnstoredSessions()
        let now = now()
        let expired = try await coordinator.read { store in
            try store.credentials(.refreshToken).filter { !$0.isGood(at: now) }
                + store.credentials(.messagingSession).filter { !$0.isGood(at: now) }
                + store.credentials(.link).filter { !$0.isGood(at: now) }
                + store.credentials(.deviceToken).filter { !$0.isGood(at: now) }
                + store.credentials(.linkVisit).filter { !$0.isGood(at: now) }
                + store.credentials(.awsKey).filter { !$0.isGood(at: now.advanced(bySeconds: -86_400)) }
        }
        guard !expired.isEmpty else { return 0 }
        try await coordinator.edit(by: nil) { _, draft in
            draft.removedCredentials += expired.map { (kind: $0.kind, key: $0.key) }
        }
        return expired.count
    }

    /// - Parameter proven: the mark of the password that the user proved; nil where a code stood for it.
    func openSession(for user: User, provenBy proven: [UInt8]? = nil) async throws -> Session {
        let session = StoredSession()
        let now = now()
        do {
            try await coordinator.edit(by: nil) { directory, draft in
                guard directory.users[user.number] != nil else { throw IdentityError.refused }
                try Self.require(proven, of: user.number, in: draft.transaction)
                let mark = try Identity.passwordMark(of: user.number, in: draft.transaction)
                draft.credentials.append(session.credential(of: user.number, passwordMark: mark, at: now))
            }
        } catch let error as CoordinatorError {
            guard case .unwritable = error else { throw error }
            let mark = if let proven { proven } else { try await passwordMark(of: user.number) }
            let held = session.credential(of: user.number, passwordMark: mark, at: now, isStored: false)
            guard unstored.begin(held, of: user.number, at: now) else { throw error }
        }
        return try await self.session(session, of: user, at: now)
    }

    private func session(_ session: StoredSession, of user: User, at now: Instant) async throws -> Session {
        Session(
            accessToken: try await tokens.sign(user, session: session.key, at: now),
            expiresIn: AccessTokens.lifetimeSeconds, refreshToken: session.refreshToken, user: user)
    }

    private func forgetSession(_ key: [UInt8]) {
        verified.forget { $0.proof == .session(key: key) }
    }
}

extension Credential {
    /// Whether the credential has neither expired nor been used up.
    func isGood(at now: Instant) -> Bool {
        usedAt == nil && expiresAt.map { now < $0 } ?? true
    }
}
