import MusterHTTP
import Synchronization

/// Counts the sign-ins with a name and a password since the server started, by outcome.
package final class SignInCounts: Sendable {
    enum Outcome: String, CaseIterable {
        case succeeded
        /// The name or the password was wrong.
        case failed
        /// The client had made too many attempts before, so the server did not check the password.
        case throttled
        /// Too many other sign-ins waited, so the server did not check the password.
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
