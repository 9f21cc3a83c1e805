import Synchronization

/// What reaches a stand-in, and how long after it was sent: each thing is known by a key.
final class Arrivals<Key: Hashable & Sendable>: Sendable {
    private struct State {
        var count = 0
        var sent: [Key: ContinuousClock.Instant] = [:]
        var latencies: [Double] = []
    }

    private let state = Mutex(State())

    /// The number of arrivals.
    var count: Int { state.withLock { $0.count } }
    /// The number of things that were noted and did not arrive.
    var missing: Int { state.withLock { $0.sent.count } }
    /// Milliseconds from `note` to the arrival, sorted.
    var latencies: [Double] { state.withLock { $0.latencies }.sorted() }

    /// Notes that something is sent now.
    func note(_ key: Key) { state.withLock { $0.sent[key] = .now } }

    /// Counts an arrival.
    ///
    /// - Parameter key: nil for something that was not noted.
    func arrive(_ key: Key?) {
        let now = ContinuousClock.now
        state.withLock { state in
            state.count += 1
            guard let sent = key.flatMap({ state.sent.removeValue(forKey: $0) }) else { return }
            state.latencies.append(sent.duration(to: now) / .milliseconds(1))
        }
    }

    /// Waits until nothing comes any more.
    func settle() async throws {
        var last = -1
        while last != count {
            last = count
            try await Task.sleep(for: .seconds(1))
        }
    }
}
