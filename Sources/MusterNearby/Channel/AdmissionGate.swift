import MusterCore
import Synchronization

/// Bounds the connections that others open: how many at once, and how often one address may begin.
final class AdmissionGate: Sendable {
    /// The bounds.
    struct Limits: Hashable, Sendable {
        /// The most connections at once.
        var connections = 128
        /// The most that one address begins in `seconds`.
        var perAddress = 30
        /// The most that all begin in `seconds`.
        var perPeriod = 200
        /// The time over which is counted.
        var seconds = 10.0
    }

    private struct State {
        var open = 0
        var began = Instant(milliseconds: .min / 2)
        var counts: [String: Int] = [:]
        var total = 0
    }

    private let limits: Limits
    private let state = Mutex(State())

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Whether a connection may begin; then `leave` is owed.
    func enter(from address: String, at now: Instant) -> Bool {
        state.withLock { state in
            if now.seconds(since: state.began) >= limits.seconds {
                (state.began, state.total) = (now, 0)
                state.counts.removeAll(keepingCapacity: true)
            }
            let count = state.counts[address] ?? 0
            guard state.open < limits.connections, state.total < limits.perPeriod, count < limits.perAddress else {
                return false
            }
            state.counts[address] = count + 1
            state.total += 1
            state.open += 1
            return true
        }
    }

    func leave() { state.withLock { $0.open -= 1 } }
}
