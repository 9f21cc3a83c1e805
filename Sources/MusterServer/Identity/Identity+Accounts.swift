package import MusterCore
import MusterStore

/// Accounts are added and removed here, whichever endpoint is asked.
extension Identity {
    /// Adds a user.
    ///
    /// - Parameters:
    ///   - name: a name that `EntityName.isFreeForUsers`.
    ///   - password: the user's password; nil for none yet.
    ///   - complete: sets what else is known of the user, in the directory of the transaction.
    /// - Throws: `Problem.conflict` when the name is taken; the errors of `complete`; `CoordinatorError`, `StoreError`.
    package func addUser(
        named name: String, role: Role, password: StoredPassword? = nil, by author: Author?,
        completing complete: @escaping @Sendable (inout User, Directory) throws -> Void = { _, _ in }
    ) async throws -> User {
        let now = now()
        return try await coordinator.edit(by: author) { directory, draft in
            guard let released = directory.releasing(name) else {
                throw Problem.conflict("The user \(name) already exists.")
            }
            var user = User(number: try draft.transaction.nextUserNumber(), name: name, role: role, team: nil)
            try complete(&user, directory)
            draft.edits += released + [.putUser(user)]
            if let password { draft.credentials += self.credentials(for: password, of: user.number, at: now) }
            return user
        }
    }

    /// Removes a user with the user's devices and everything they reported.
    ///
    /// - Parameters:
    ///   - principal: who asks.
    ///   - find: finds the user by the rights of the principal, in the directory of the transaction.
    /// - Throws: `Problem.conflict` for the principal themselves, and for the last admin; the errors of `find`;
    ///   `CoordinatorError`, `StoreError`.
    @discardableResult
    package func removeUser(
        by principal: Principal, as author: Author?, _ find: @escaping @Sendable (Access) throws -> User
    ) async throws -> User {
        let removed = try await coordinator.edit(by: author) { directory, draft in
            let user = try find(Access(principal, in: directory))
            guard user.number != principal.user else {
                throw Problem.conflict("You cannot remove yourself. Another admin can.")
            }
            guard directory.hasAnotherAdmin(than: user.number) else {
                throw Problem.conflict("This is the last admin.")
            }
            draft.edits = directory.removal(of: user.number)
            return user
        }
        forget(removed.number)
        return removed
    }
}
