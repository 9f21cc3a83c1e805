import Dispatch
import Synchronization

/// The bounded queue of work for the writer's thread. Many threads add jobs; the writer takes all of them at once. A
/// full queue refuses jobs (backpressure), and the server answers 503 with `Retry-After`.
package final class WriterQueue: Sendable {
    /// Work for the writer, in order of arrival.
    enum Job: Sendable {
        /// The observations or documents of one request, and the function that answers its sender.
        case ingest(CommitRequest, answer: @Sendable (Result<Receipt, CoordinatorError>) -> Void)
        /// Any other work between two commits: an edit, a read of the engine, maintenance.
        case run(@Sendable (inout Writer) -> Void)
    }

    /// The number of observations that may wait.
    static let observationLimit = 100_000
    /// The number of other jobs that may wait.
    static let runLimit = 4_096
    /// The number of observations after which the writer commits, so that a sender's wait stays bounded.
    static let batchLimit = 20_000

    private struct State {
        var jobs: [Job] = []
        var observations = 0
        var runs = 0
        var writerSleeps = false
        var isClosed = false
        /// Jobs refused because the queue was full.
        var refused = 0
        /// The time since which the oldest job waits, and the time since which the oldest job taken has waited.
        var waitingSince: ContinuousClock.Instant?
        var workingSince: ContinuousClock.Instant?
    }

    private let state = Mutex(State())
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let wake = DispatchSemaphore(value: 0)

    /// - Parameter clock: measures how long jobs wait.
    init(clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.clock = clock }

    /// The age in seconds of the oldest unfinished job; 0 when there is none.
    var oldestWaitSeconds: Double {
        let oldest = state.withLock { $0.workingSince ?? $0.waitingSince }
        return oldest.map { (clock() - $0) / .seconds(1) } ?? 0
    }

    /// Adds a job.
    ///
    /// - Throws: `.full` when the queue has reached its limit, `.closed` after `close`.
    func put(_ job: Job) throws(CoordinatorError) {
        let now = clock()
        let outcome = state.withLock { state -> Result<Bool, CoordinatorError> in
            if state.isClosed { return .failure(.closed) }
            switch job {
            case .ingest(let request, _):
                let weight = request.weight
                guard state.observations == 0 || state.observations + weight <= Self.observationLimit else {
                    state.refused += 1
                    return .failure(.full)
                }
                state.observations += weight
            case .run:
                guard state.runs < Self.runLimit else {
                    state.refused += 1
                    return .failure(.full)
                }
                state.runs += 1
            }
            state.jobs.append(job)
            if state.waitingSince == nil { state.waitingSince = now }
            defer { state.writerSleeps = false }
            return .success(state.writerSleeps)
        }
        if try outcome.get() { wake.signal() }
    }

    /// The number of observations that wait now.
    var depth: Int { state.withLock { $0.observations } }

    /// The number of jobs refused since the start because the queue was full.
    var refused: Int { state.withLock { $0.refused } }

    /// Swaps the waiting jobs into `jobs`, which must be empty. If none wait, waits for one, at most
    /// `waitingMilliseconds`.
    ///
    /// - Returns: false once the queue is closed and empty.
    func takeJobs(into jobs: inout [Job], waitingMilliseconds: Int) -> Bool {
        if swapJobs(into: &jobs, sleeping: true) { return true }
        if state.withLock({ $0.isClosed }) { return false }
        if wake.wait(timeout: .now() + .milliseconds(waitingMilliseconds)) == .timedOut {
            let isSignalled = state.withLock { state in
                defer { state.writerSleeps = false }
                return !state.writerSleeps
            }
            if isSignalled { wake.wait() }
        }
        if swapJobs(into: &jobs, sleeping: false) { return true }
        return !state.withLock { $0.isClosed }
    }

    /// Refuses further jobs. The writer still serves those that wait.
    func close() {
        let sleeps = state.withLock { state in
            state.isClosed = true
            defer { state.writerSleeps = false }
            return state.writerSleeps
        }
        if sleeps { wake.signal() }
    }

    private func swapJobs(into jobs: inout [Job], sleeping: Bool) -> Bool {
        state.withLock { state in
            state.workingSince = state.waitingSince
            state.waitingSince = nil
            guard !state.jobs.isEmpty else {
                state.writerSleeps = sleeping && !state.isClosed
                return false
            }
            swap(&state.jobs, &jobs)
            state.observations = 0
            state.runs = 0
            return true
        }
    }
}
