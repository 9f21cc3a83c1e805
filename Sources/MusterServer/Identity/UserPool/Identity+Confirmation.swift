import MusterCore
import MusterStore

/// Accounts and passwords that a code confirms.
extension Identity {
    /// Begins an account, which is made once its code is confirmed.
    ///
    /// - Throws: `UserPoolError.nameTaken`; `IdentityError.unusablePassword`, `.busy`, `.tooMany`, `.tooManyTries`.
    package func beginSignUp(name: String, password: String, from address: String) async throws {
        try attempts.spendAttempt(name: "sign-up", address: address, at: now())
        guard coordinator.directory.releasing(name) != nil else { throw UserPoolError.nameTaken }
        let stored = try await prepare(password, ofUserNamed: name)
        try confirmations.issue(.signUp, for: name, password: stored, at: now())
    }

    /// Makes a new code for an account that waits, and for any other name does nothing.
    package func renewSignUp(name: String, from address: String) throws {
        try attempts.spendAttempt(name: "sign-up", address: address, at: now())
        guard let entry = confirmations.remove(.signUp, of: name, at: now()) else { return }
        try confirmations.issue(.signUp, for: name, password: entry.password, at: now())
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
        if code != nil { try attempts.spendAttempt(name: bucket(of: name), address: address, at: now) }
        let entry =
            code.map { confirmations.redeem(.signUp, $0, of: name, at: now) }
            ?? confirmations.remove(.signUp, of: name, at: now)
        guard let entry, let password = entry.password else { throw UserPoolError.wrongCode }
        if code != nil { attempts.giveBack(name: bucket(of: name), address: address, at: now) }
        try await coordinator.edit(by: admin) { directory, draft in
            guard let released = directory.releasing(name) else { throw UserPoolError.nameTaken }
            let number = try draft.transaction.nextUserNumber()
            if admin == nil { draft.author = Author(user: number) }
            draft.edits += released + [.putUser(User(number: number, name: name, role: .member, team: nil))]
            draft.credentials += self.credentials(for: password, of: number, at: now)
        }
    }

    /// Makes a code for a new password; for a name that nobody has, nothing.
    package func beginPasswordReset(name: String, from address: String) throws {
        let now = now()
        try attempts.spendAttempt(name: bucket(of: name), address: address, at: now)
        guard coordinator.directory.users[name] != nil else { return }
        try confirmations.issue(.password, for: name, at: now)
    }

    /// Sets the password of a user who shows the code for it.
    ///
    /// - Throws: `UserPoolError.wrongCode`; `IdentityError.unusablePassword`, which leaves the code valid,
    ///   `.tooManyTries`, `.busy`; `CoordinatorError`, `StoreError`.
    package func finishPasswordReset(
        name: String, code: String, password: String, from address: String
    ) async throws {
        try Self.check(password)
        let now = now()
        try attempts.spendAttempt(name: bucket(of: name), address: address, at: now)
        guard confirmations.redeem(.password, code, of: name, at: now) != nil,
            let user = coordinator.directory.users[name]
        else { throw UserPoolError.wrongCode }
        attempts.giveBack(name: bucket(of: name), address: address, at: now)
        try await setPassword(
            password, of: user.number, by: Author(user: user.number), ending: Set(EndedCredentials.allCases))
    }

    /// All invalid names share one bucket, so that they do not fill the memory.
    private func bucket(of name: String) -> String { EntityName.isValid(name) ? name : "" }
}
