import MusterCoding
package import MusterCore
import MusterStore

/// Accounts and passwords that a code confirms.
extension Identity {
    /// Begins an account, which is made once its code is confirmed. The user gets a number now. No other user ever gets
    /// that number, even if the account is never confirmed.
    ///
    /// - Parameter contact: where the person wishes to get the code.
    /// - Returns: the code.
    /// - Throws: `UserPoolError.nameTaken`; `IdentityError.unusablePassword`, `.busy`, `.tooMany`, `.tooManyTries`;
    ///   `CoordinatorError`, `StoreError`.
    package func beginSignUp(
        name: String, password: String, contact: ConfirmationCodes.Contact?, from address: String
    ) async throws -> ConfirmationCodes.Entry {
        try attempts.spendAttempt(name: Self.signUpBucket, address: address, at: now())
        guard coordinator.directory.releasing(name) != nil, confirmations.signUp(named: name, at: now()) == nil else {
            throw UserPoolError.nameTaken
        }
        let stored = try await prepare(password, ofUserNamed: name)
        let wait = signUpNumberRates.spendRequest("", at: now())
        guard wait == 0 else { throw IdentityError.tooManyTries(retryAfterSeconds: wait) }
        let number = try await coordinator.edit(by: nil) { _, draft in try draft.transaction.nextUserNumber() }
        return try confirmations.issueSignUp(
            for: name, number: number, password: stored, contact: contact, from: address, at: now())
    }

    /// Counts a request for another code of an account that waits. The code stays the same: otherwise anyone could
    /// invalidate a code that an admin has handed over.
    ///
    /// - Returns: the code; nil where no account of that name waits.
    package func renewSignUp(name: String, from address: String) throws -> ConfirmationCodes.Entry? {
        try attempts.spendAttempt(name: Self.signUpBucket, address: address, at: now())
        return confirmations.signUp(named: name, at: now())
    }

    /// Makes the account that waits under a name: a member without a team.
    ///
    /// - Parameters:
    ///   - code: the code that the person shows; nil where an admin confirms without it.
    ///   - admin: the admin who confirms; nil for the person.
    /// - Throws: `UserPoolError.wrongCode`, `.nameTaken`; `IdentityError.tooManyTries`; `CoordinatorError`,
    ///   `StoreError`.
    package func confirmSignUp(
        name: String, code: String?, by admin: Author?, from address: String
    ) async throws {
        let now = now()
        if code != nil { try attempts.spendAttempt(name: codeBucket(of: name), address: address, at: now) }
        guard let entry = confirmations.signUp(named: name, code: code, at: now),
            case .account(let password, let number) = entry.subject
        else { throw UserPoolError.wrongCode }
        if code != nil { attempts.giveBack(name: codeBucket(of: name), address: address, at: now) }
        // Of two simultaneous requests with the code, the second finds the name taken.
        try await coordinator.edit(by: admin) { directory, draft in
            guard let released = directory.releasing(name), directory.users[number] == nil else {
                throw UserPoolError.nameTaken
            }
            if admin == nil { draft.author = Author(user: number) }
            draft.edits += released + [.putUser(User(number: number, name: name, role: .member, team: nil))]
            draft.credentials += self.credentials(for: password, of: number, at: now)
        }
        confirmations.removeSignUp(entry)
    }

    /// Makes a code for a new password. A code that waits stays the same.
    ///
    /// - Returns: the code; nil when no user has the name.
    package func beginPasswordReset(
        name: String, from address: String
    ) async throws -> ConfirmationCodes.Entry? {
        let now = now()
        try attempts.spendAttempt(name: codeBucket(of: name), address: address, at: now)
        let user = coordinator.directory.users[name]
        // Reads the store for an unknown name, too, so that the time does not reveal whether the user exists.
        let stored = try await coordinator.readCredentials { store in
            try store.credential(.password, key: user.map { Credential.passwordKey(of: $0.number) } ?? [])
        }
        return user.map { confirmations.issueReset(for: $0, mark: Self.passwordMark(stored), at: now) }
    }

    /// Invalidates a user's password and all of the user's credentials, and makes the code by which the person sets a
    /// new password. Until then the user has a random password that nobody knows.
    ///
    /// - Parameter admin: the admin who asks for it.
    /// - Returns: the code.
    /// - Throws: `IdentityError.unknown` when the user no longer exists, `.busy`; `CoordinatorError`, `StoreError`.
    package func requirePasswordReset(of user: User, by admin: Author) async throws -> ConfirmationCodes.Entry {
        let unknown = Base64.encodeUnpadded(SecretToken.randomBytes(32), .forURLs)
        try await setPassword(unknown, of: user.number, by: admin, ending: Set(EndedCredentials.allCases))
        let stored = try await coordinator.readCredentials { store in
            try store.credential(.password, key: Credential.passwordKey(of: user.number))
        }
        return confirmations.issueReset(for: user, mark: Self.passwordMark(stored), isRequired: true, at: now())
    }

    /// Whether an admin ended the password of a user, who has not set another yet. A restart forgets it: the user then
    /// asks for a code again.
    package func isPasswordResetRequired(of user: UserNumber) -> Bool {
        confirmations.isResetRequired(of: user, at: now())
    }

    /// Sets the password of a user who shows the code for it. The code is no longer valid once the password that it
    /// replaces has changed in any way.
    ///
    /// - Throws: `UserPoolError.wrongCode`; `IdentityError.unusablePassword` and `.busy`, which leave the code valid,
    ///   `.tooManyTries`; `CoordinatorError`, `StoreError`.
    package func finishPasswordReset(
        name: String, code: String, password: String, from address: String
    ) async throws {
        try Self.check(password)
        let now = now()
        try attempts.spendAttempt(name: codeBucket(of: name), address: address, at: now)
        guard let user = coordinator.directory.users[name],
            let mark = confirmations.resetMark(of: user.number, code: code, at: now)
        else { throw UserPoolError.wrongCode }
        attempts.giveBack(name: codeBucket(of: name), address: address, at: now)
        do {
            try await setPassword(
                password, of: user.number, by: Author(user: user.number), ending: Set(EndedCredentials.allCases),
                replacing: mark)
        } catch IdentityError.refused, IdentityError.unknown {
            throw UserPoolError.wrongCode
        }
    }

    /// Returns the open codes, for an admin to hand over. The audit log has an entry for each code that this admin has
    /// not read before, because everyone who reads a code can use it.
    ///
    /// - Throws: `CoordinatorError`, `StoreError`; then nothing is shown.
    package func readConfirmationCodes(by admin: Author) async throws -> [ConfirmationCodes.Entry] {
        let entries = confirmations.all(at: now())
        let fresh = entries.filter { !$0.isRead(by: admin.user) }
        guard !fresh.isEmpty else { return entries }
        try await coordinator.edit(by: admin) { _, draft in
            draft.actions += fresh.map { entry in
                Action(
                    .codeRead, by: admin.user, user: entry.account,
                    label: entry.account == nil ? "\(entry.purpose.rawValue) \(entry.user)" : entry.purpose.rawValue)
            }
        }
        confirmations.recordReading(of: fresh, by: admin.user)
        return entries
    }

    // No user's name has a space, so these buckets do not slow down any sign-in.
    private static let signUpBucket = "sign up"

    /// All invalid names share one bucket, so that they do not fill the memory.
    private func codeBucket(of name: String) -> String { "code of \(EntityName.isValid(name) ? name : "")" }
}
