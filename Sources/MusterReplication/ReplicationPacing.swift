public import MusterCore

/// How long a replication waits, and by which clock: the clock and the dice are given, so that a test needs neither.
public struct ReplicationPacing: Sendable {
    /// Seconds before the second attempt, about.
    public var firstDelaySeconds = 0.5
    /// The longest wait, about.
    public var longestDelaySeconds = 60.0
    /// How often a run is tried without getting on before it fails.
    public var attempts = 8
    /// Whether a continuous run is tried for ever instead.
    public var persists = true
    /// Seconds after which what was done is written down.
    public var logSeconds = 5.0
    /// What time it is.
    public var now: @Sendable () -> Instant
    /// Waits for some seconds.
    public var sleep: @Sendable (Double) async throws -> Void
    /// A number from 0 to 1, without 1.
    public var random: @Sendable () -> Double

    /// The pace of a clock.
    public init(
        now: @escaping @Sendable () -> Instant = Self.systemNow,
        sleep: @escaping @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) },
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.now = now
        self.sleep = sleep
        self.random = random
    }

    /// Seconds to wait before an attempt after so many that failed, from 1: doubled each time, and anything from half
    /// of that to all of it, so that those whom one fault cut off do not come back in one moment.
    package func delaySeconds(afterFailures failures: Int) -> Double {
        var delay = firstDelaySeconds
        for _ in 1..<max(1, min(failures, 32)) where delay < longestDelaySeconds { delay *= 2 }
        return min(delay, longestDelaySeconds) * (0.5 + random() / 2)
    }
}
