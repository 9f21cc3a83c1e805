import Synchronization

/// Runs emissions one after the other: who asks for one while one runs waits for that, or, where something was recorded
/// after that began, for the one after it. So there are never more than two, one of which runs.
///
/// An emission for which nobody waits any more is cancelled.
final class Emissions<Outcome: Sendable>: Sendable {
    /// One emission.
    private struct Turn {
        let number: Int
        /// What was recorded when it began; nil while it waits.
        var begun: Int64?
        var waiters = 0
        let task: Task<Outcome, Never>
    }

    private struct State {
        /// Those that may be joined: one that runs and one that waits, at most.
        var turns: [Turn] = []
        var nextNumber = 0
        /// The last that was made, whatever became of it: the next waits for it.
        var last: Task<Outcome, Never>?
    }

    private let cancelled: Outcome
    private let recorded: @Sendable () -> Int64
    private let state = Mutex(State())

    /// Emissions.
    ///
    /// - Parameters:
    ///   - cancelled: what becomes of an emission that was cancelled before it began.
    ///   - recorded: how much is recorded: a number that grows.
    init(cancelled: Outcome, recorded: @escaping @Sendable () -> Int64) {
        self.cancelled = cancelled
        self.recorded = recorded
    }

    /// Runs an emission, or waits for one that begins after all that is recorded now.
    ///
    /// - Parameter emission: brings what is recorded when it is called, and says what came of it.
    func emit(_ emission: @escaping @Sendable () async -> Outcome) async -> Outcome {
        let (number, task) = join(emission)
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            leave(number)
        }
    }

    /// How many wait.
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
            // Who comes now must not join what is being cancelled, and waits until it has ended.
            state.turns[turn].task.cancel()
            state.turns.remove(at: turn)
        }
    }
}
