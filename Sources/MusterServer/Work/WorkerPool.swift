import NIOPosix
import Synchronization

/// A pool of a few threads for blocking work, with a `FairQueue` of waiting jobs.
package final class WorkerPool<Lane: Hashable & Sendable>: Sendable {
    typealias Share = FairQueue<Lane, Job>.Share

    /// A waiting job. Called with nil it runs; called with an error it fails with that error instead.
    typealias Job = @Sendable ((any Error)?) -> Void

    private let threads: NIOThreadPool
    private let queue: Mutex<FairQueue<Lane, Job>>
    private let refused = Mutex(0)
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - jobs: the largest number of jobs that run or wait.
    ///   - now: the clock that measures how long jobs wait.
    init(threads count: Int, jobs: Int, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
        threads = NIOThreadPool(numberOfThreads: count)
        queue = Mutex(FairQueue(.init(threads: count, jobs: jobs)))
        threads.start()
    }

    /// Runs `work` on one of the threads when its lane's turn comes.
    ///
    /// - Parameters:
    ///   - urgency: 0 starts first.
    ///   - share: the limits of the lane.
    ///   - isAbandoned: whether the client no longer waits for the result; if so, `work` does not start.
    /// - Throws: `WorkError`; `CancellationError` when the job was abandoned or the pool has shut down; the errors of
    ///   `work`.
    func run<Success: Sendable>(
        _ lane: Lane, urgency: Int = 0, share: Share, isAbandoned: @escaping @Sendable () -> Bool = { false },
        _ work: @escaping @Sendable () throws -> Success
    ) async throws -> Success {
        try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Success, any Error>) in
            let job: Job = { refusal in
                if let refusal { return continuation.resume(throwing: refusal) }
                if isAbandoned() { return continuation.resume(throwing: CancellationError()) }
                continuation.resume(with: Result { try work() })
            }
            addJob(job, lane, urgency, share)
        }
    }

    private func addJob(_ job: @escaping Job, _ lane: Lane, _ urgency: Int, _ share: Share) {
        let moment = now()
        let outcome = queue.withLock { queue -> Result<Job?, FairQueue<Lane, Job>.Refusal> in
            do throws(FairQueue<Lane, Job>.Refusal) {
                return .success(try queue.add(job, of: lane, urgency: urgency, share: share, at: moment))
            } catch {
                return .failure(error)
            }
        }
        switch outcome {
        case .success(let displaced):
            if let displaced { refuse(displaced, .isFull) }
            startJobs()
        case .failure(.laneIsFull): refuse(job, .shareIsFull)
        case .failure(.isFull): refuse(job, .isFull)
        }
    }

    private func refuse(_ job: Job, _ fault: WorkError) {
        refused.withLock { $0 += 1 }
        job(fault)
    }

    private func startJobs() {
        while let (job, lane) = queue.withLock({ $0.start() }) {
            threads.submit { [self] state in
                job(state == .active ? nil : CancellationError())
                queue.withLock { $0.finish(lane) }
                startJobs()
            }
        }
    }

    /// How many seconds the oldest job that lacks only a free thread has waited; 0 when there is none.
    var oldestWaitSeconds: Double {
        let oldest = queue.withLock { $0.oldestReady }
        return oldest.map { (now() - $0) / .seconds(1) } ?? 0
    }

    /// The numbers of jobs that wait, that run, and that the pool has refused since it started.
    var counts: WorkCounts {
        let refused = refused.withLock { $0 }
        return queue.withLock { WorkCounts(waiting: $0.waiting, running: $0.running, refused: refused) }
    }

    /// Fails the jobs that still wait, and returns once the running ones have finished.
    func shutDown() async throws { try await threads.shutdownGracefully() }

    /// Shuts the pool down like `shutDown`, but returns at once.
    func shutDownSoon() { threads.shutdownGracefully { _ in } }
}

/// Numbers of jobs of a pool.
struct WorkCounts: Hashable, Sendable {
    var waiting: Int
    var running: Int
    var refused: Int
}

/// Why a pool refused work.
package enum WorkError: Error, Hashable, Sendable {
    /// The client has reached the limit of its lane.
    case shareIsFull
    /// The pool has reached its limit.
    case isFull
}
