import MusterCore
import MusterServer
import Synchronization

/// Lets only a few operations of one user run at a time; the others wait for their turn. So one person takes no more
/// than a share of the processor and of the memory, however many requests or subscriptions they have.
final class OperationGate: Sendable {
    private struct Lane {
        var running = 0
        var waiting: [UnsafeContinuation<Void, any Error>] = []
    }

    private let lanes = Mutex<[UserNumber: Lane]>([:])
    private let runningLimit: Int
    private let waitingLimit: Int

    /// - Parameters:
    ///   - running: how many operations of one user run at a time.
    ///   - waiting: how many more of them wait.
    init(running: Int, waiting: Int) { (runningLimit, waitingLimit) = (running, waiting) }

    /// Runs work when its user's turn comes.
    ///
    /// - Throws: `Problem.tooManyRequests` when too much of the user waits; the errors of `work`.
    func run<Success: Sendable>(_ user: UserNumber, _ work: () async throws -> Success) async throws -> Success {
        try await enter(user)
        defer { leave(user) }
        return try await work()
    }

    /// How many operations of a user wait for their turn.
    func waitingCount(of user: UserNumber) -> Int { lanes.withLock { $0[user]?.waiting.count ?? 0 } }

    private func enter(_ user: UserNumber) async throws {
        if entersAtOnce(user) { return }
        try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
            let mayRun = lanes.withLock { lanes -> Bool? in
                var lane = lanes[user] ?? Lane()
                if lane.running < runningLimit {
                    lane.running += 1
                } else if lane.waiting.count < waitingLimit {
                    lane.waiting.append(continuation)
                    lanes[user] = lane
                    return false
                } else {
                    return nil
                }
                lanes[user] = lane
                return true
            }
            switch mayRun {
            case true?: continuation.resume()
            case false?: break
            case nil:
                continuation.resume(
                    throwing: Problem.tooManyRequests(
                        retryAfterSeconds: 1, "Too many of your operations wait: send them one after another."))
            }
        }
    }

    private func entersAtOnce(_ user: UserNumber) -> Bool {
        lanes.withLock { lanes in
            guard lanes[user, default: Lane()].running < runningLimit else { return false }
            lanes[user, default: Lane()].running += 1
            return true
        }
    }

    private func leave(_ user: UserNumber) {
        let next = lanes.withLock { lanes -> UnsafeContinuation<Void, any Error>? in
            guard var lane = lanes[user] else { return nil }
            if lane.waiting.isEmpty {
                lane.running -= 1
                lanes[user] = lane.running > 0 ? lane : nil
                return nil
            }
            let next = lane.waiting.removeFirst()
            lanes[user] = lane
            return next
        }
        next?.resume()
    }
}
