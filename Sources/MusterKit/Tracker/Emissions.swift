import Synchronization

/// Runs emissions one after the other. A caller who asks for one while another runs joins that one, or, if something
/// was recorded after it began, the next. So there are never more than two: one that runs and one that waits.
///
/// An emission is cancelled when its last caller stops waiting for it.
final class Emissions<Outcome: Sendable>: Sendable {
    /// An emission and the callers that wait for it.
    private struct Turn {
        let number: Int
        /// The value of `recorded` when the emission began; nil while it waits.
        var begun: Int64?
        var waiters = 0
        let task: Task<Outcome, Never>
    }

    private struct State {
        /// The emissions that a caller may join: at most one that runs and one that waits.
        var turns: [Turn] = []
        var nextNumber = 0
        /// The task of the newest emission, also after it was cancelled: the next one begins when it ends.
        var last: Task<Outcome, Never>?
    }

    private let cancelled: Outcome
    private let recorded: @Sendable () -> Int64
    private let state = Mutex(State())

    /// Emissions.
    ///
    /// - Parameters:
    ///   - cancelled: the outcome of an emission that was cancelled before it began.
    ///   - recorded: the number of recorded documents, which never shrinks.
    init(cancelled: Outcome, recorded: @escaping @Sendable () -> Int64) {
        self.cancelled = cancelled
        self.recorded = recorded
    }

    /// Runs an emission, or waits for one that begins after all that is recorded now.
    ///
    /// - Parameter emission: sends the documents that are recorded when it is called, and returns the outcome.
    func emit(_ emission: @escaping @Sendable () async -> Outcome) async -> Outcome {
        let (number, task) = join(emission)
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            leave(number)
        }
    }

    /// The number of callers that wait for an emission.
    var waiting: Int { state.withLock { $0.turns.reduce(0) { $0 + $1.waiters } } }

    private func join(
        _ emission: @escaping @Sendable () async -> Outcome
    ) -> (number: Int, task: Task<Outcome, Never>) {
        state.withLock { state in
            let wanted = recorded()
            if let last = state.turns.indices.last, state.turns[last].begun.map({ $0 >= wanted }) ?? true {
                state.turns[last].waiters += 1
                return (state.turns[last].number, state.turns[last].task)
            }
            let number = state.nextNumber
            let before = state.last
            let task = Task {
                _ = await before?.value
                begin(number)
                let outcome = Task.isCancelled ? cancelled : await emission()
                end(number)
                return outcome
            }
            state.nextNumber += 1
            state.last = task
            state.turns.append(Turn(number: number, waiters: 1, task: task))
            return (number, task)
        }
    }

    private func begin(_ number: Int) {
        state.withLock { state in
            guard let turn = state.turns.firstIndex(where: { $0.number == number }) else { return }
            state.turns[turn].begun = recorded()
        }
    }

    private func end(_ number: Int) { state.withLock { $0.turns.removeAll { $0.number == number } } }

    private func leave(_ number: Int) {
        state.withLock { state in
            guard let turn = state.turns.firstIndex(where: { $0.number == number }) else { return }
            state.turns[turn].waiters -= 1
            guard state.turns[turn].waiters == 0 else { return }
            // A new caller must not join an emission that is being cancelled; its own begins after that one has ended.
            state.turns[turn].task.cancel()
            state.turns.remove(at: turn)
        }
    }
}
