import MusterMutex

/// Runs emissions one after the other. A caller who asks for one while another runs joins that one, or, if something
/// was recorded after it began, the next. So there are never more than two: one that runs and one that waits.
///
/// A cancelled caller stops waiting at once. An emission is cancelled when its last caller stops waiting for it.
final class Emissions<Outcome: Sendable>: Sendable {
    /// An emission and the callers that wait for it.
    private struct Turn {
        let number: Int
        /// The value of `recorded` when the emission began; nil while it waits.
        var begun: Int64?
        /// The continuations of the callers, by the callers' numbers.
        var callers: [Int: CheckedContinuation<Outcome, Never>]
        let task: Task<Void, Never>
    }

    private struct State {
        /// The emissions that a caller may join: at most one that runs and one that waits.
        var turns: [Turn] = []
        var nextNumber = 0
        var nextCaller = 0
        /// The task of the newest emission, also after it was cancelled: the next one begins when it ends.
        var last: Task<Void, Never>?
        var isEnded = false
    }

    private let cancelled: Outcome
    private let recorded: @Sendable () -> Int64
    private let state = Mutex(State())

    /// - Parameters:
    ///   - cancelled: the outcome for a cancelled caller, and of an emission that was cancelled.
    ///   - recorded: the number of recorded documents, which never shrinks.
    init(cancelled: Outcome, recorded: @escaping @Sendable () -> Int64) {
        self.cancelled = cancelled
        self.recorded = recorded
    }

    /// Runs an emission, or waits for one that covers every document that is recorded now.
    ///
    /// - Parameter emission: sends the documents that are recorded when it is called, and returns the outcome.
    func emit(_ emission: @escaping @Sendable () async -> Outcome) async -> Outcome {
        let caller = state.withLock { state in
            state.nextCaller += 1
            return state.nextCaller
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { join($0, caller, emission) }
        } onCancel: {
            leave(caller)
        }
    }

    /// Cancels all emissions and waits for their end. Later ones are cancelled before they begin.
    func end() async {
        let (turns, last) = state.withLock { state in
            state.isEnded = true
            defer { state.turns = [] }
            return (state.turns, state.last)
        }
        for turn in turns {
            turn.task.cancel()
            for caller in turn.callers.values { caller.resume(returning: cancelled) }
        }
        await last?.value
    }

    /// The number of callers that wait for an emission.
    var waiting: Int { state.withLock { $0.turns.reduce(0) { $0 + $1.callers.count } } }

    private func join(
        _ continuation: CheckedContinuation<Outcome, Never>, _ caller: Int,
        _ emission: @escaping @Sendable () async -> Outcome
    ) {
        let hasJoined = state.withLock { state in
            // Asked under the lock: a caller who is cancelled later is found by `leave`.
            if state.isEnded || Task.isCancelled { return false }
            let wanted = recorded()
            if let last = state.turns.indices.last, state.turns[last].begun.map({ $0 >= wanted }) ?? true {
                state.turns[last].callers[caller] = continuation
                return true
            }
            let number = state.nextNumber
            let before = state.last
            let task = Task {
                await before?.value
                begin(number)
                end(number, Task.isCancelled ? cancelled : await emission())
            }
            state.nextNumber += 1
            state.last = task
            state.turns.append(Turn(number: number, callers: [caller: continuation], task: task))
            return true
        }
        if !hasJoined { continuation.resume(returning: cancelled) }
    }

    private func begin(_ number: Int) {
        state.withLock { state in
            guard let turn = state.turns.firstIndex(where: { $0.number == number }) else { return }
            state.turns[turn].begun = recorded()
        }
    }

    private func end(_ number: Int, _ outcome: Outcome) {
        let ended = state.withLock { state in
            state.turns.firstIndex { $0.number == number }.map { state.turns.remove(at: $0) }
        }
        guard let ended else { return }
        for caller in ended.callers.values { caller.resume(returning: outcome) }
    }

    private func leave(_ caller: Int) {
        let left = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard let turn = state.turns.firstIndex(where: { $0.callers[caller] != nil }) else { return nil }
            let left = state.turns[turn].callers.removeValue(forKey: caller)
            if state.turns[turn].callers.isEmpty {
                // A new caller must not join an emission that is being cancelled; its own begins after that one has
                // ended.
                state.turns[turn].task.cancel()
                state.turns.remove(at: turn)
            }
            return left
        }
        left?.resume(returning: cancelled)
    }
}
