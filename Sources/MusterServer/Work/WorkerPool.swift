import NIOPosix
import Synchronization

/// A few threads for work that blocks, and the queue before them (`FairQueue`).
package final class WorkerPool<Lane: Hashable & Sendable>: Sendable {
    typealias Share = FairQueue<Lane, Job>.Share

    /// Work that waits: done when it is given nothing, refused when it is given a reason.
    typealias Job = @Sendable ((any Error)?) -> Void

    private let threads: NIOThreadPool
    private let queue: Mutex<FairQueue<Lane, Job>>
    private let threadCount: Int
    private let refused = Mutex(0)
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - jobs: how many may be there at a time, done or waiting.
    ///   - now: the clock that tells how long work waits.
    init(threads count: Int, jobs: Int, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        threadCount = count
        self.now = now
        threads = NIOThreadPool(numberOfThreads: count)
        queue = Mutex(FairQueue(.init(threads: count, jobs: jobs)))
        threads.start()
    }

    /// Does work on one of the threads, when it is its lane's turn.
    ///
    /// - Parameters:
    ///   - urgency: 0 is done first.
    ///   - isAbandoned: whether nobody waits for the result any more: then the work is not begun.
    /// - Throws: `WorkError`; `CancellationError` when nobody waits any more or the pool has ended; what `work` throws.
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

    /// Seconds that the oldest work waits that lacks nothing but a free thread; 0 when there is none.
    var oldestWaitSeconds: Double {
        let oldest = queue.withLock { $0.oldestReady }
        return oldest.map { (now() - $0) / .seconds(1) } ?? 0
    }

    /// What waits and is done now, and what was turned away since the start.
    var counts: WorkCounts {
        let refused = refused.withLock { $0 }
        return queue.withLock { WorkCounts(waiting: $0.waiting, running: $0.running, refused: refused) }
    }

    /// Refuses what comes from now on, and waits for what is being done.
    func shutDown() async throws { try await threads.shutdownGracefully() }

    /// As `shutDown`, without waiting.
    func shutDownSoon() { threads.shutdownGracefully { _ in } }
}

/// How much work there is, in jobs.
struct WorkCounts: Hashable, Sendable {
    var waiting: Int
    var running: Int
    var refused: Int
}

/// Why work was not taken.
package enum WorkError: Error, Hashable, Sendable {
    /// Whoever asks has as much work waiting as one may have.
    case shareIsFull
    /// As much work is waiting as may wait.
    case isFull
}
