import MusterCore

/// How often, how long and how many at once a delivery is tried.
package struct DeliveryPolicy: Hashable, Sendable {
    /// Seconds after which a delivery is given up.
    package var lifetimeSeconds: Double = 86_400
    /// Seconds that the first repetition waits at most; each further one at most twice as long.
    package var firstDelaySeconds: Double = 1
    /// The longest that a repetition waits.
    package var longestDelaySeconds: Double = 900
    /// The longest that a target's `Retry-After` is obeyed.
    package var longestRetryAfterSeconds: Double = 3600
    /// Attempts under way at one target.
    package var attemptsPerTarget = 16
    /// Attempts under way in all. A target that has none under way may always begin one: nobody waits for others.
    package var attemptsInAll = 512
    /// Failures in a row after which a target is only probed, one attempt at a time.
    package var failuresBeforeProbing = 5
    /// The longest that a probe waits.
    package var longestProbeDelaySeconds: Double = 60

    /// What a server does.
    package init() {}

    /// How long to wait after so many failed attempts: any time up to a bound that doubles, so that those who failed
    /// together do not come back together.
    ///
    /// - Parameter jitter: in [0, 1).
    func delaySeconds(afterAttempts attempts: Int, jitter: Double) -> Double {
        let bound = firstDelaySeconds * Double(1 << min(max(0, attempts - 1), 20))
        return min(bound, longestDelaySeconds) * jitter
    }

    /// How long a target is left alone before the next probe, after so many that failed.
    ///
    /// - Parameter jitter: in [0, 1).
    func probeDelaySeconds(afterProbes probes: Int, jitter: Double) -> Double {
        let bound = min(firstDelaySeconds * Double(1 << min(max(0, probes), 20)), longestProbeDelaySeconds)
        return bound * (0.5 + jitter / 2)
    }
}

/// What became of an attempt.
enum DeliveryOutcome: Hashable, Sendable {
    /// The target took it.
    case delivered
    /// No answer: refused, unreachable, timed out.
    case unreachable(String)
    /// An answer that may be another one next time.
    case failed(String, retryAfterSeconds: Double?)
    /// An answer that stays the same: the event is given up.
    case rejected(String)
    /// The target wants nothing any more.
    case gone(String)
    /// The delivery was removed meanwhile.
    case vanished

    /// Why it failed, for people.
    var reason: String? {
        switch self {
        case .delivered, .vanished: nil
        case .unreachable(let reason), .failed(let reason, _), .rejected(let reason), .gone(let reason): reason
        }
    }
}

/// Whether a target is sent to freely, or only probed because it fails.
struct TargetCircuit: Hashable, Sendable {
    private enum State: Hashable {
        case closed
        case open(until: Instant)
    }

    private var state = State.closed
    private var failures = 0
    private var probes = 0
    private var lastFailed: Int64?

    /// nil while it is sent to freely; else when the next probe may be made.
    var probeAt: Instant? {
        guard case .open(let until) = state else { return nil }
        return until
    }

    /// Notes an answer that speaks for the target's health.
    mutating func succeed() { self = TargetCircuit() }

    /// Notes a failure.
    ///
    /// - Parameters:
    ///   - lane: whose delivery failed, where that may be the delivery's own fault: one lane alone opens nothing.
    ///   - isProbe: whether the circuit was open when the attempt began.
    mutating func fail(lane: Int64?, isProbe: Bool, at now: Instant, _ policy: DeliveryPolicy, jitter: Double) {
        switch state {
        case .closed:
            if let lane, lane == lastFailed { return }
            lastFailed = lane
            failures += 1
            guard failures >= policy.failuresBeforeProbing else { return }
            state = .open(until: now.advanced(bySeconds: policy.probeDelaySeconds(afterProbes: 0, jitter: jitter)))
        case .open:
            // Those that were under way when it opened say nothing new.
            guard isProbe else { return }
            probes += 1
            let delay = policy.probeDelaySeconds(afterProbes: probes, jitter: jitter)
            state = .open(until: now.advanced(bySeconds: delay))
        }
    }
}
