import MusterCore

/// One timer of a task that waits for signals: it fires once, at the earliest moment that was asked for.
struct WakeTimer {
    private var pending: (at: Instant, task: Task<Void, Never>)?

    /// Lets the timer fire at this moment, unless it does earlier.
    ///
    /// - Parameter fire: sends the signal. It must not block.
    mutating func set(_ moment: Instant, now: Instant, _ fire: @escaping @Sendable () -> Void) {
        if let pending, pending.at <= moment, now <= pending.at { return }
        pending?.task.cancel()
        let milliseconds = max(1, moment.milliseconds - now.milliseconds)
        let task = Task {
            guard (try? await Task.sleep(for: .milliseconds(milliseconds))) != nil else { return }
            fire()
        }
        pending = (moment, task)
    }

    /// Records that the timer's signal has come.
    mutating func noteFired() { pending = nil }

    /// Keeps the timer from firing.
    func cancel() { pending?.task.cancel() }
}
