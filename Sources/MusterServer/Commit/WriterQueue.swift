import Dispatch
import MusterCore
import Synchronization

/// What waits for the writer's thread: bounded, many put in, one takes all out.
final class WriterQueue: Sendable {
    /// Work for the writer, in the order it came.
    enum Job: Sendable {
        /// Observations or documents of one request and who waits for them.
        case ingest(CommitRequest, answer: @Sendable (Result<Receipt, CoordinatorError>) -> Void)
        /// Anything else that must run between two commits: an edit, a look at the engine, maintenance.
        case run(@Sendable (inout Writer) -> Void)
    }

    /// Observations that may wait.
    static let observationLimit = 100_000
    /// Other jobs that may wait.
    static let runLimit = 4_096
    /// Observations that go into one transaction, so that a sender's wait stays bounded.
    static let batchLimit = 20_000

    private struct State {
        var jobs: [Job] = []
        var observations = 0
        var runs = 0
        var writerSleeps = false
        var isClosed = false
        /// Jobs that were turned away because as much waited as may.
        var refused = 0
        /// Since when the oldest job waits, and since when the writer is at what it took.
        var waitingSince: ContinuousClock.Instant?
        var workingSince: ContinuousClock.Instant?
    }

    private let state = Mutex(State())
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let wake = DispatchSemaphore(value: 0)

    /// - Parameter clock: tells how long jobs wait.
    init(clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.clock = clock }

    /// Seconds that the oldest job waits that is not done; 0 when there is none.
    var oldestWaitSeconds: Double {
        let oldest = state.withLock { $0.workingSince ?? $0.waitingSince }
        return oldest.map { (clock() - $0) / .seconds(1) } ?? 0
    }

    /// Puts a job in.
    ///
    /// - Throws: `.full` when as much is waiting as may wait, `.closed` after `close`.
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

    /// Observations that wait now.
    var depth: Int { state.withLock { $0.observations } }

    /// Jobs that were turned away since the start because as much waited as may.
    var refused: Int { state.withLock { $0.refused } }

    /// Swaps what waits into `jobs`, which must be empty; waits for something to come, but not longer than told.
    ///
    /// - Returns: false once the queue is closed and empty.
    func take(into jobs: inout [Job], waitingMilliseconds: Int) -> Bool {
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

    /// Refuses whatever comes from now on; what waits already is still served.
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
