import Logging
package import MusterCore
import MusterHTTP
import MusterStore

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
    /// - Throws: `IdentityError.unusablePassword`, `.unknown` when the user no longer exists, `.busy`;
    ///   `CoordinatorError`.
    package func setPassword(
        _ password: String, of user: UserNumber, by author: Author?, ending: Set<EndedCredentials> = []
    ) async throws {
        guard let name = coordinator.directory.users[user]?.name else { throw IdentityError.unknown }
        let stored = try await prepare(password, ofUserNamed: name)
        let now = now()
        try await coordinator.edit(by: author) { directory, draft in
            guard var user = directory.users[user] else { throw IdentityError.unknown }
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
        do {
            let user = try await verifyAllowedPassword(password, ofUserNamed: name, from: address)
            signIns.count(.succeeded)
            return user
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
        _ password: String, ofUserNamed name: String, from address: String
    ) async throws -> User {
        let now = now()
        // All invalid names share one bucket, so that they do not fill the memory.
        let bucket = EntityName.isValid(name) ? name : ""
        let isSuspected = try attempts.spendAttempt(name: bucket, address: address, at: now)
        let user = coordinator.directory.users[name]
        let stored = try await coordinator.readCredentials { store in
            try user.flatMap { try store.credential(.password, key: Credential.passwordKey(of: $0.number)) }
        }
        let isUsable = password.utf8.count <= Self.longestPasswordBytes
        let isRight = try await hasher.verify(
            isUsable ? password : "", against: stored.map { String(decoding: $0.secret, as: UTF8.self) },
            from: AddressPrefix.of(address), urgency(of: user, from: address, isSuspected: isSuspected, at: now))
        guard isRight, isUsable, let user else {
            logFailedSignIn(of: user, from: address)
            throw IdentityError.refused
        }
        attempts.giveBack(name: bucket, address: address, at: now)
        recentSignIns.record(user.number, from: address, at: now)
        if let stored { await addVerifier(of: password, to: user, hash: stored) }
        return user
    }

    /// Logs a failed sign-in: the address, and the user it was for. Names that no user has are not logged, because
    /// people type passwords into the wrong field.
    func logFailedSignIn(of user: User?, from address: String) {
        logger.info(
            "A sign-in failed", metadata: ["address": "\(address)", "user": "\(user?.name ?? "(nobody of that name)")"])
    }

    private func urgency(
        of user: User?, from address: String, isSuspected: Bool, at now: Instant
    ) -> PasswordHasher.Urgency {
        if let user, recentSignIns.knows(user.number, from: address, at: now) { return .known }
        if isSuspected { return .suspected }
        return recentSignIns.knows(nil, from: address, at: now) ? .knownAddress : .unknown
    }

    /// Drops cached verifications of a user. Call it after a commit that changes the user's credentials.
    package func forget(_ user: UserNumber) {
        verified.forget { $0.user == user || $0.maker == user }
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

    static func passwordMark(_ password: Credential?) -> [UInt8] {
        password.map { TokenDigest(bytes: $0.secret).bytes } ?? []
    }
}
