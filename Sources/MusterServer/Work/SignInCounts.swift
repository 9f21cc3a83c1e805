import MusterHTTP
import Synchronization

/// How sign-ins with a name and a password ended, counted since the start.
package final class SignInCounts: Sendable {
    /// How one ended.
    enum Outcome: String, CaseIterable {
        case succeeded
        /// The name or the password was wrong.
        case failed
        /// Too many were tried before: nothing was checked.
        case throttled
        /// Too many waited to be checked.
        case busy
    }

    private let counts = Mutex<[Outcome: Int]>([:])

    func count(_ outcome: Outcome) { counts.withLock { $0[outcome, default: 0] += 1 } }

    var family: MetricFamily {
        let counts = counts.withLock { $0 }
        return MetricFamily(
            "muster_logins_total", .counter, "Sign-ins by name and password, by outcome.", by: "outcome",
            Outcome.allCases.map { ($0.rawValue, Double(counts[$0] ?? 0)) })
    }
}
