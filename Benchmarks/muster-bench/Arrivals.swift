import Synchronization

/// Measures how long messages take to reach a stand-in server. A key identifies each message.
final class Arrivals<Key: Hashable & Sendable>: Sendable {
    private struct State {
        var count = 0
        var sent: [Key: ContinuousClock.Instant] = [:]
        var latencies: [Double] = []
    }

    private let state = Mutex(State())

    /// The number of messages that arrived.
    var count: Int { state.withLock { $0.count } }
    /// The number of messages that were sent and have not arrived.
    var missing: Int { state.withLock { $0.sent.count } }
    /// Milliseconds from `recordSending(of:)` to the arrival of each message, sorted.
    var latencies: [Double] { state.withLock { $0.latencies }.sorted() }

    /// Records that the message with this key is sent now.
    func recordSending(of key: Key) { state.withLock { $0.sent[key] = .now } }

    /// Counts a message that arrived.
    ///
    /// - Parameter key: the key passed to `recordSending(of:)`; nil for a message that was not recorded there.
    func arrive(_ key: Key?) {
        let now = ContinuousClock.now
        state.withLock { state in
            state.count += 1
            guard let sent = key.flatMap({ state.sent.removeValue(forKey: $0) }) else { return }
            state.latencies.append(sent.duration(to: now) / .milliseconds(1))
        }
    }

    /// Waits until a second passes in which no message arrives.
    func waitForQuiet() async throws {
        var last = -1
        while last != count {
            last = count
            try await Task.sleep(for: .seconds(1))
        }
    }
}
