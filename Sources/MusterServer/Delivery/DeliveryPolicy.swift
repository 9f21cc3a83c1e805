import MusterCore

/// The limits of delivery attempts: how often, for how long and how many at once. Retries have exponential backoff with
/// full jitter.
package struct DeliveryPolicy: Hashable, Sendable {
    /// Seconds after which the dispatcher gives a delivery up.
    package var lifetimeSeconds: Double = 86_400
    /// The longest delay before the first retry, in seconds. The bound doubles with each further retry.
    package var firstDelaySeconds: Double = 1
    /// The longest delay before any retry, in seconds.
    package var longestDelaySeconds: Double = 900
    /// The longest `Retry-After` of a target, in seconds. The dispatcher shortens a longer one to this.
    package var longestRetryAfterSeconds: Double = 3600
    /// The largest number of simultaneous attempts at one target.
    package var attemptsPerTarget = 16
    /// The largest number of simultaneous attempts in total. A target with no attempt under way may always begin one,
    /// so no target waits for others.
    package var attemptsInAll = 512
    /// The number of failures in a row after which a target is only probed, one attempt at a time.
    package var failuresBeforeProbing = 5
    /// The longest delay before a probe, in seconds.
    package var longestProbeDelaySeconds: Double = 60

    package init() {}

    /// The delay in seconds after a number of failed attempts: a random time up to a bound that doubles. Deliveries
    /// that failed together are then not retried together.
    ///
    /// - Parameter jitter: a random number in [0, 1).
    func delaySeconds(afterAttempts attempts: Int, jitter: Double) -> Double {
        let bound = firstDelaySeconds * Double(1 << min(max(0, attempts - 1), 20))
        return min(bound, longestDelaySeconds) * jitter
    }

    /// The delay in seconds before the next probe of a target, after a number of failed probes.
    ///
    /// - Parameter jitter: a random number in [0, 1).
    func probeDelaySeconds(afterProbes probes: Int, jitter: Double) -> Double {
        let bound = min(firstDelaySeconds * Double(1 << min(max(0, probes), 20)), longestProbeDelaySeconds)
        return bound * (0.5 + jitter / 2)
    }
}

/// The outcome of an attempt.
package enum DeliveryOutcome: Hashable, Sendable {
    /// The target accepted the event.
    case delivered
    /// The target gave no answer: it refused the connection, was unreachable, or timed out.
    case unreachable(String)
    /// The target gave an answer that may differ the next time.
    case failed(String, retryAfterSeconds: Double?)
    /// The target gave an answer that will not change, so the dispatcher gives the event up.
    case rejected(String)
    /// The dispatcher gives the event up without having asked the target.
    case withheld(String)
    /// The target wants no more events.
    case gone(String)
    /// The delivery has been removed meanwhile.
    case vanished

    /// Why the attempt failed, for people; nil where it did not.
    var reason: String? {
        switch self {
        case .delivered, .vanished: nil
        case .unreachable(let reason), .failed(let reason, _), .rejected(let reason), .withheld(let reason),
            .gone(let reason):
            reason
        }
    }
}

/// A circuit breaker: whether a target receives deliveries freely, or only probes because it fails.
struct TargetCircuit: Hashable, Sendable {
    private enum State: Hashable {
        case closed
        case open(until: Instant)
    }

    private var state = State.closed
    private var failures = 0
    private var probes = 0
    private var lastFailed: Int64?

    /// The time of the next probe; nil while the target receives deliveries freely.
    var probeAt: Instant? {
        guard case .open(let until) = state else { return nil }
        return until
    }

    /// Records an answer that shows the target to be healthy.
    mutating func succeed() { self = TargetCircuit() }

    /// Records a failure.
    ///
    /// - Parameters:
    ///   - lane: the lane of the failed delivery, where the delivery itself may be the cause. Failures of one lane
    ///     alone do not open the circuit. nil where the target is the cause.
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
            // Attempts that were under way when the circuit opened add nothing.
            guard isProbe else { return }
            probes += 1
            let delay = policy.probeDelaySeconds(afterProbes: probes, jitter: jitter)
            state = .open(until: now.advanced(bySeconds: delay))
        }
    }
}
