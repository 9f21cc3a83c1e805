import MusterCoding
package import MusterCore
import Synchronization

/// The codes by which a person confirms a new account or a new password. Muster sends no mail: an admin reads the codes
/// and gives each to the person. They are held in memory and end with the process.
package final class ConfirmationCodes: Sendable {
    /// What a code is for.
    package enum Purpose: String, Sendable {
        case signUp = "sign-up"
        case password
    }

    /// An open code.
    package struct Entry: Sendable {
        package let purpose: Purpose
        /// The name of the user.
        package let user: String
        package let code: String
        package let expiresAt: Instant
        /// The password of an account to be made.
        let password: StoredPassword?
        /// How many wrong codes may still be tried.
        fileprivate var triesLeft = ConfirmationCodes.triesPerCode
    }

    private struct Key: Hashable {
        let purpose: Purpose
        let user: String
    }

    private let entries = Mutex<[Key: Entry]>([:])

    /// The lifetime of a code, in seconds: a day, because a person hands it over.
    static let lifetimeSeconds: Double = 86_400
    /// The largest number of open codes of both kinds.
    static let capacity = 10_000
    /// How many wrong codes may be tried. Then a new one is needed.
    static let triesPerCode = 5
    private static let digits = 8

    /// Makes a code, in place of an earlier one of the same user and purpose.
    ///
    /// - Throws: `IdentityError.tooMany` where too many codes are open.
    func issue(
        _ purpose: Purpose, for user: String, password: StoredPassword? = nil, at now: Instant
    ) throws(IdentityError) {
        let digits = SecretToken.randomBytes(Self.digits).map { Hexadecimal.digit($0 % 10) }
        let entry = Entry(
            purpose: purpose, user: user, code: String(decoding: digits, as: UTF8.self),
            expiresAt: now.advanced(bySeconds: Self.lifetimeSeconds), password: password)
        let hasRoom = entries.withLock { entries in
            entries = entries.filter { now < $0.value.expiresAt }
            guard entries.count < Self.capacity else { return false }
            entries[Key(purpose: purpose, user: user)] = entry
            return true
        }
        guard hasRoom else { throw .tooMany(limit: Self.capacity) }
    }

    /// Returns and removes a code that was shown rightly; nil otherwise.
    func redeem(_ purpose: Purpose, _ code: String, of user: String, at now: Instant) -> Entry? {
        let key = Key(purpose: purpose, user: user)
        return entries.withLock { entries in
            guard var entry = entries[key], now < entry.expiresAt else { return nil }
            if Array(entry.code.utf8).isEqualInConstantTime(to: Array(code.utf8)) {
                entries[key] = nil
                return entry
            }
            entry.triesLeft -= 1
            entries[key] = entry.triesLeft > 0 ? entry : nil
            return nil
        }
    }

    /// Returns and removes the code of a user without being shown it; nil where there is none.
    func remove(_ purpose: Purpose, of user: String, at now: Instant) -> Entry? {
        entries.withLock { entries in
            guard let entry = entries.removeValue(forKey: Key(purpose: purpose, user: user)), now < entry.expiresAt
            else { return nil }
            return entry
        }
    }

    /// All open codes, by purpose and user.
    package func all(at now: Instant) -> [Entry] {
        entries.withLock { entries in
            entries.values.filter { now < $0.expiresAt }
                .sorted { ($0.purpose.rawValue, $0.user) < ($1.purpose.rawValue, $1.user) }
        }
    }
}
