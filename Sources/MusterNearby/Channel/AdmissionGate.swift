import MusterCore
import MusterMutex

/// Limits the connections of other devices that are no peers yet: how many at once, in all and from one address, and
/// how many begin in a period. Peers have a limit of their own, and many may share an address.
final class AdmissionGate: Sendable {
    /// The bounds.
    struct Limits: Hashable, Sendable {
        /// The most such connections at once.
        var connections = 128
        /// The most such connections of one address at once.
        var openPerAddress = 16
        /// The most that one address begins in `seconds`.
        var perAddress = 30
        /// The most that all begin in `seconds`.
        var perPeriod = 200
        /// The length of the period, seconds.
        var seconds = 10.0
    }

    private struct State {
        var open = 0
        var openOf: [String: Int] = [:]
        var began = Instant(milliseconds: .min / 2)
        var counts: [String: Int] = [:]
        var total = 0
    }

    private let limits: Limits
    private let state = Mutex(State())

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// A counted connection.
    final class Entry: Sendable {
        private let gate: AdmissionGate
        private let address: String
        private let isCounted = Mutex(true)

        fileprivate init(_ gate: AdmissionGate, _ address: String) {
            self.gate = gate
            self.address = address
        }

        /// Stops counting the connection, because it has ended or its device is a peer now. A second call does nothing.
        func leave() {
            let wasCounted = isCounted.withLock { isCounted in
                defer { isCounted = false }
                return isCounted
            }
            if wasCounted { gate.leave(address) }
        }
    }

    /// Returns the entry of a connection; nil if a limit forbids the connection.
    func enter(from address: String, at now: Instant) -> Entry? {
        count(address, at: now) ? Entry(self, address) : nil
    }

    private func count(_ address: String, at now: Instant) -> Bool {
        state.withLock { state in
            if now.seconds(since: state.began) >= limits.seconds {
                (state.began, state.total) = (now, 0)
                state.counts.removeAll(keepingCapacity: true)
            }
            let count = state.counts[address] ?? 0
            guard state.open < limits.connections, state.total < limits.perPeriod, count < limits.perAddress,
                state.openOf[address, default: 0] < limits.openPerAddress
            else { return false }
            state.counts[address] = count + 1
            state.total += 1
            state.open += 1
            state.openOf[address, default: 0] += 1
            return true
        }
    }

    private func leave(_ address: String) {
        state.withLock { state in
            state.open -= 1
            let left = state.openOf[address, default: 1] - 1
            state.openOf[address] = left > 0 ? left : nil
        }
    }
}
