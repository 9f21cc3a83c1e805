package import MusterCore
import MusterStore

/// A name and a password that open one user's location database and nothing else. A phone app stores it instead of the
/// user's own password.
package struct LocationKey: Hashable, Sendable {
    /// The name to use with Basic authentication.
    package let name: String
    /// The password, which cannot be read again.
    package let password: String
}

/// The name of a location key: `lt-USER-PLACE`, where USER is the user's number and PLACE the number of the key among
/// the user's keys.
package struct LocationKeyName: Hashable, Sendable {
    let user: UserNumber
    let place: UInt8

    init(user: UserNumber, place: UInt8) {
        self.user = user
        self.place = place
    }

    /// Parses a name; nil where the text is not one.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "lt", let user = Int32(parts[1]), user > 0, let place = UInt8(parts[2])
        else { return nil }
        self.init(user: UserNumber(user), place: place)
        guard self.text == text else { return nil }
    }

    var text: String { "lt-\(user.rawValue)-\(place)" }
    var key: [UInt8] { Credential.passwordKey(of: user) + [place] }
}

extension Identity {
    /// The largest number of location keys of one user, and so of phones that stay signed in. A further key replaces
    /// the oldest.
    package static let locationKeyLimit = 16

    /// Makes a key to a user's location database. It lasts until the user's password changes or a newer key replaces
    /// it.
    ///
    /// - Throws: `IdentityError.unknown` when the user no longer exists; `CoordinatorError`, `StoreError`.
    package func makeLocationKey(for user: UserNumber) async throws -> LocationKey {
        let secret = SecretToken(.location)
        let now = now()
        let name = try await coordinator.edit(by: nil) { directory, draft in
            guard directory.users[user] != nil else { throw IdentityError.unknown }
            let names = (0..<UInt8(Self.locationKeyLimit)).map { LocationKeyName(user: user, place: $0) }
            let made = try names.map { try draft.transaction.credential(.locationKey, key: $0.key)?.createdAt }
            let free = made.firstIndex { $0 == nil }
            let oldest = made.indices.min { left, right in
                (made[left]?.milliseconds ?? 0) < (made[right]?.milliseconds ?? 0)
            }
            let name = names[free ?? oldest ?? 0]
            let mark = try Self.passwordMark(of: user, in: draft.transaction)
            draft.credentials.append(
                Credential(
                    kind: .locationKey, key: name.key, user: user, secret: secret.digest.bytes + mark, createdAt: now))
            return name
        }
        // The key that this one replaced is no longer valid.
        verified.forget { $0.user == user && $0.proof == .locationKey }
        return LocationKey(name: name.text, password: secret.text)
    }

    /// Verifies a location key and returns the cache entry for it.
    ///
    /// - Throws: `IdentityError.refused`; `StoreError`, `CoordinatorError`.
    package func locationKey(_ name: LocationKeyName, password: String) async throws -> CredentialCache.Entry {
        let (stored, userPassword) = try await coordinator.readCredentials { store in
            (
                try store.credential(.locationKey, key: name.key),
                try store.credential(.password, key: Credential.passwordKey(of: name.user))
            )
        }
        let expected = TokenDigest(of: password).bytes + Self.passwordMark(userPassword)
        guard let stored, stored.user == name.user, Self.areSame(stored.secret, expected) else {
            throw IdentityError.refused
        }
        return .init(user: name.user, device: nil, proof: .locationKey, expiresAt: nil)
    }

    /// Compares in a time that does not depend on where the two differ.
    private static func areSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
