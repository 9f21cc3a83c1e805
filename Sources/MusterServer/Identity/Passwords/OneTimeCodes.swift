import MusterCore
import Synchronization

/// Codes that can each be exchanged once for a session. They are held in memory and do not survive a restart.
final class OneTimeCodes: Sendable {
    private let issued = Mutex<[TokenDigest: (user: UserNumber, expiresAt: Instant)]>([:])

    static let lifetimeSeconds: Double = 600
    /// The largest number of open codes. A further code replaces the one that would expire first.
    static let capacity = 1000

    func issue(for user: UserNumber, at now: Instant) -> String {
        let code = SecretToken(.code)
        issued.withLock { issued in
            issued = issued.filter { now < $0.value.expiresAt }
            if issued.count >= Self.capacity, let oldest = issued.min(by: { $0.value.expiresAt < $1.value.expiresAt }) {
                issued[oldest.key] = nil
            }
            issued[code.digest] = (user, now.advanced(bySeconds: Self.lifetimeSeconds))
        }
        return code.text
    }

    /// Returns the user of a code the first time it is asked; nil afterwards, after expiry, and for any other text.
    func redeem(_ code: String, at now: Instant) -> UserNumber? {
        let digest = TokenDigest(of: code)
        return issued.withLock { issued in
            guard let (user, expiresAt) = issued.removeValue(forKey: digest), now < expiresAt else { return nil }
            return user
        }
    }
}
