import MusterCore
package import MusterStore

/// Sessions while the disk refuses writes.
extension Identity {
    /// Returns the current state of a session, from the store or from memory.
    package func session(_ key: [UInt8]) async throws -> Credential? {
        let stored = try await coordinator.readCredentials { try $0.credential(.refreshToken, key: key) }
        return unstored.session(key, stored: stored)
    }

    /// Changes whenever the user's password changes; empty where there is none.
    func passwordMark(of user: UserNumber) async throws -> [UInt8] {
        try await coordinator.readCredentials { store in
            Identity.passwordMark(try store.credential(.password, key: Credential.passwordKey(of: user)))
        }
    }

    /// Ends a session in memory, if it is the principal's own.
    ///
    /// - Throws: `CoordinatorError.unwritable` when the memory for sessions is full.
    func endInMemory(_ key: [UInt8], by principal: Principal) async throws {
        let stored = try await coordinator.readCredentials { try $0.credential(.refreshToken, key: key) }
        guard unstored.session(key, stored: stored)?.user == principal.user else { return }
        if unstored.refresh(key, stored: stored, by: { _ in nil }) == .full { throw Self.noRoomForSessions }
    }

    static let noRoomForSessions = CoordinatorError.unwritable(reason: "as many sessions are held in memory as may be")

    /// Stores the sessions that were opened, refreshed or ended while the disk refused writes. A session is not stored
    /// when its user has been removed or has a new password.
    ///
    /// - Throws: `CoordinatorError` when the disk still refuses.
    package func storeUnstoredSessions() async throws {
        // A session that changes while it is stored is stored once more.
        for _ in 0..<10 where !unstored.isEmpty {
            let now = now()
            let entries = unstored.all
            try await coordinator.edit(by: nil) { directory, draft in
                for (key, entry) in entries {
                    let mark = try Identity.passwordMark(of: entry.user, in: draft.transaction)
                    guard var credential = entry.session, credential.isGood(at: now),
                        directory.users[entry.user] != nil,
                        SessionSecret(stored: credential.secret).passwordMark == mark
                    else {
                        draft.removedCredentials.append((kind: .refreshToken, key: key))
                        continue
                    }
                    credential.expiresAt = credential.createdAt.advanced(bySeconds: Identity.sessionSeconds)
                    draft.credentials.append(credential)
                }
            }
            unstored.forget(entries)
        }
    }
}
