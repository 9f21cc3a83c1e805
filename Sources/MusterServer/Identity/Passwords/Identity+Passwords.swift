import Logging
package import MusterCore
import MusterHTTP
import MusterStore

/// Password hashing: sets, changes and verifies users' passwords.
extension Identity {
    /// The smallest number of characters in a password.
    package static let shortestPassword = 8
    /// The largest number of UTF-8 bytes in a password.
    package static let longestPasswordBytes = 1024

    /// Sets a user's password and ends all the user's sessions, in one step.
    ///
    /// - Parameters:
    ///   - author: the author, for the audit log.
    ///   - ending: the other credentials to revoke with the sessions.
    ///   - mark: the mark of the password to replace; nil for whichever there is.
    ///   - check: adds to the edit, and throws to refuse it.
    /// - Throws: `IdentityError.unusablePassword`, `.unknown` when the user no longer exists, `.busy`, `.refused` when
    ///   the password to replace is no longer the present one; the errors of `check`; `CoordinatorError`.
    package func setPassword(
        _ password: String, of user: UserNumber, by author: Author?, ending: Set<EndedCredentials> = [],
        replacing mark: [UInt8]? = nil,
        ifAllowedBy check: @escaping @Sendable (Directory, inout Draft) throws -> Void = { _, _ in }
    ) async throws {
        guard let name = coordinator.directory.users[user]?.name else { throw IdentityError.unknown }
        let stored = try await prepare(password, ofUserNamed: name)
        let now = now()
        try await coordinator.edit(by: author) { directory, draft in
            guard var user = directory.users[user] else { throw IdentityError.unknown }
            try check(directory, &draft)
            try Self.require(mark, of: user.number, in: draft.transaction)
            draft.credentials += self.credentials(for: stored, of: user.number, at: now)
            try draft.end(ending, of: user.number)
            try draft.endIdentityKeys(of: user.number)
            // A user who can sign in is a person, and is not removed with the tracker that first reported them.
            guard user.isImplicit else { return }
            user.isImplicit = false
            draft.edits.append(.putUser(user))
        }
        // The sessions become invalid by themselves: each carries the mark of the password it was opened with.
        forget(user)
    }

    /// Sets the password of a user who knows the present one, and ends all the user's sessions.
    ///
    /// - Throws: `IdentityError.refused` for a wrong present password, `.tooManyTries`, and as `setPassword`.
    package func changePassword(
        _ current: String, to password: String, of user: User, by author: Author?, from address: String
    ) async throws {
        let (proven, mark) = try await provePassword(current, ofUserNamed: user.name, from: address)
        guard proven.number == user.number else { throw IdentityError.refused }
        try await setPassword(password, of: user.number, by: author, replacing: mark)
    }

    /// Returns the hash of a usable password.
    ///
    /// - Throws: `IdentityError.unusablePassword`, `.busy`.
    package func passwordHash(of password: String) async throws -> String {
        try Self.check(password)
        return try await hasher.hash(password)
    }

    /// Verifies a name and a password.
    ///
    /// - Throws: `IdentityError.refused`, `.tooManyTries`, `.busy`; `StoreError`, `CoordinatorError`.
    package func verifyPassword(
        _ password: String, ofUserNamed name: String, from address: String
    ) async throws -> User {
        try await provePassword(password, ofUserNamed: name, from: address).user
    }

    /// Verifies a name and a password, as `verifyPassword`.
    ///
    /// - Returns: the user, and the mark of the password that was verified. An edit that relies on this must require
    ///   that mark (`require`), because the password may change in between.
    func provePassword(
        _ password: String, ofUserNamed name: String, from address: String, knownBy proof: String? = nil
    ) async throws -> (user: User, mark: [UInt8]) {
        do {
            let proven = try await verifyAllowedPassword(password, ofUserNamed: name, from: address, knownBy: proof)
            signIns.count(.succeeded)
            return proven
        } catch let fault as IdentityError {
            switch fault {
            case .refused: signIns.count(.failed)
            case .tooManyTries: signIns.count(.throttled)
            case .busy: signIns.count(.busy)
            default: break
            }
            throw fault
        }
    }

    private func verifyAllowedPassword(
        _ password: String, ofUserNamed name: String, from address: String, knownBy proof: String?
    ) async throws -> (user: User, mark: [UInt8]) {
        let now = now()
        // All invalid names share one bucket, so that they do not fill the memory.
        let bucket = EntityName.isValid(name) ? name : ""
        let isSuspected = try attempts.spendAttempt(name: bucket, address: address, at: now)
        let user = coordinator.directory.users[name]
        let stored = try await coordinator.readCredentials { store in
            try user.flatMap { try store.credential(.password, key: Credential.passwordKey(of: $0.number)) }
        }
        let isUsable = password.utf8.count <= Self.longestPasswordBytes
        let isKnown = isKnownClient(proof, of: user, mark: Self.passwordMark(stored), at: now)
        let isRight = try await hasher.verify(
            isUsable ? password : "", against: stored.map { String(decoding: $0.secret, as: UTF8.self) },
            from: AddressPrefix.of(address),
            isKnown ? .known : urgency(of: user, from: address, isSuspected: isSuspected, at: now))
        guard isRight, isUsable, let user else {
            logFailedSignIn(of: user, from: address)
            throw IdentityError.refused
        }
        attempts.giveBack(name: bucket, address: address, at: now)
        recentSignIns.record(user.number, from: address, at: now)
        if let stored { await addVerifier(of: password, to: user, hash: stored) }
        return (user, Self.passwordMark(stored))
    }

    /// Logs a failed sign-in: the address, and the user it was for. Names that no user has are not logged, because
    /// people type passwords into the wrong field.
    func logFailedSignIn(of user: User?, from address: String) {
        logger.info(
            "A sign-in failed", metadata: ["address": "\(address)", "user": "\(user?.name ?? "(nobody of that name)")"])
    }

    /// Returns how urgent the check of a password, or of a proof of one, is.
    func urgency(
        of user: User?, from address: String, isSuspected: Bool, at now: Instant
    ) -> PasswordHasher.Urgency {
        if let user, recentSignIns.knows(user.number, from: address, at: now) { return .known }
        if isSuspected { return .suspected }
        return recentSignIns.knows(nil, from: address, at: now) ? .knownAddress : .unknown
    }

    /// Drops cached verifications of a user, and the code for a new password. Call it after a commit that changes the
    /// user's credentials.
    package func forget(_ user: UserNumber) {
        verified.forget { $0.user == user || $0.maker == user }
        confirmations.forgetReset(of: user)
    }

    package static func check(_ password: String) throws(IdentityError) {
        guard password.count >= shortestPassword, password.utf8.count <= longestPasswordBytes else {
            throw .unusablePassword
        }
    }

    /// Changes whenever the user's password changes: a digest of its salted hash. Empty where the user has no password.
    static func passwordMark(of user: UserNumber, in transaction: any StoreTransaction) throws -> [UInt8] {
        passwordMark(try transaction.credential(.password, key: Credential.passwordKey(of: user)))
    }

    /// Requires that a password is still the one that was proved.
    ///
    /// - Parameter mark: nil where no password was proved; then every password will do.
    /// - Throws: `IdentityError.refused`; `StoreError`.
    static func require(_ mark: [UInt8]?, of user: UserNumber, in transaction: any StoreTransaction) throws {
        if let mark, try passwordMark(of: user, in: transaction) != mark { throw IdentityError.refused }
    }

    static func passwordMark(_ password: Credential?) -> [UInt8] {
        password.map { TokenDigest(bytes: $0.secret).bytes } ?? []
    }
}
