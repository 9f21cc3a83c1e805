public import MusterCore

/// The delays of a replication. The clock and the randomness are parameters, so that a test controls both.
public struct ReplicationPacing: Sendable {
    /// The approximate delay before the second attempt, seconds.
    public var firstDelaySeconds = 0.5
    /// The approximate longest delay, seconds.
    public var longestDelaySeconds = 60.0
    /// The number of consecutive attempts without progress before a run fails.
    public var attempts = 8
    /// Whether a continuous run is repeated without end instead.
    public var persists = true
    /// Seconds between two checkpoints.
    public var logSeconds = 5.0
    /// The clock.
    public var now: @Sendable () -> Instant
    /// Suspends for a number of seconds.
    public var sleep: @Sendable (Double) async throws -> Void
    /// A random number from 0 up to and not including 1.
    public var random: @Sendable () -> Double

    /// Makes a pacing of a clock, a sleep and a source of randomness.
    public init(
        now: @escaping @Sendable () -> Instant = Self.systemNow,
        sleep: @escaping @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) },
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.now = now
        self.sleep = sleep
        self.random = random
    }

    /// The delay before an attempt after a number of failures, from 1. It doubles with each failure, and is random
    /// between half of that and all of it, so that clients that one fault disconnected do not return at the same
    /// moment.
    package func delaySeconds(afterFailures failures: Int) -> Double {
        var delay = firstDelaySeconds
        for _ in 1..<max(1, min(failures, 32)) where delay < longestDelaySeconds { delay *= 2 }
        return min(delay, longestDelaySeconds) * (0.5 + random() / 2)
    }
}
