import MusterMutex

/// Sends values to any number of subscribers. A subscriber that reads slowly loses its oldest values.
final class Broadcast<Value: Sendable>: Sendable {
    typealias Continuation = AsyncStream<Value>.Continuation

    private struct State {
        var subscribers: [UInt64: Continuation] = [:]
        var lastNumber: UInt64 = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Returns a new subscriber's stream, which ends with `finish()`.
    ///
    /// - Parameters:
    ///   - limit: the largest number of values that wait for the subscriber; beyond it the oldest are dropped.
    ///   - first: the value that the stream begins with; nil to begin with the next value that is sent.
    func subscribe(limit: Int, beginningWith first: Value? = nil) -> AsyncStream<Value> {
        AsyncStream(bufferingPolicy: .bufferingNewest(limit)) { continuation in
            if let first { continuation.yield(first) }
            guard let number = add(continuation) else { return continuation.finish() }
            continuation.onTermination = { [weak self] _ in self?.remove(number) }
        }
    }

    /// Adds a subscriber's continuation.
    ///
    /// - Returns: the number to remove it by; nil after `finish()`.
    func add(_ continuation: Continuation) -> UInt64? {
        state.withLock { state in
            guard !state.isFinished else { return nil }
            state.lastNumber += 1
            state.subscribers[state.lastNumber] = continuation
            return state.lastNumber
        }
    }

    /// Sends nothing more to a subscriber.
    func remove(_ number: UInt64) { state.withLock { _ = $0.subscribers.removeValue(forKey: number) } }

    /// Sends a value to all subscribers, in one order for all of them. It waits for none of them.
    func send(_ value: Value) {
        state.withLock { state in
            for subscriber in state.subscribers.values { subscriber.yield(value) }
        }
    }

    /// Ends all streams, and those of later subscribers at once.
    func finish() {
        let subscribers = state.withLock { state in
            state.isFinished = true
            defer { state.subscribers = [:] }
            return state.subscribers
        }
        // Outside of the lock: ending a stream removes its subscriber.
        for subscriber in subscribers.values { subscriber.finish() }
    }
}

/// A value with its changes as streams, each of which begins with the present value.
final class ObservedValue<Value: Equatable & Sendable>: Sendable {
    private let current: Mutex<Value>
    private let changes = Broadcast<Value>()

    init(_ value: Value) { current = Mutex(value) }

    /// The present value. Setting an equal one sends nothing.
    var value: Value {
        get { current.withLock { $0 } }
        set {
            current.withLock { current in
                guard current != newValue else { return }
                current = newValue
                changes.send(newValue)
            }
        }
    }

    /// The present value and then each change. A slow reader receives the newest.
    func values() -> AsyncStream<Value> {
        current.withLock { changes.subscribe(limit: 1, beginningWith: $0) }
    }

    /// Ends all streams.
    func finish() { changes.finish() }
}
