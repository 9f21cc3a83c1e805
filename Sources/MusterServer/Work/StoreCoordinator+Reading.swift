package import MusterCore
import MusterHTTP
package import MusterStore
import MusterWire

/// The lane of the reading threads in which a read waits.
package enum ReadingLane: Hashable, Sendable {
    /// The server's own reads: feeds, deliveries, maintenance.
    case server
    case user(UserNumber)
    /// The address prefix of a client that has not been authenticated yet.
    case address(String)
}

/// The limits of reads of the store, for one request and for one user.
package enum ReadingLimits {
    /// The duration in seconds after which the server ends a read that examines other users' data.
    package static let seconds: Double = 5
    /// The number of steps after which the server ends a read. A step tests one condition of a selector against one
    /// value; a pattern counts as 256 steps.
    package static let steps = 50_000_000
    /// The number of reading threads that one user may use at the same time.
    static let threadsOfOne = 2
    /// The number of reads that one user may have running or waiting. Leaders and admins, who may have thousands of
    /// feeds, get `jobsOfLeader`.
    static let jobsOfOne = 1_024
    static let jobsOfLeader = 32_768
    /// The number of reads, of all users, that may run or wait.
    package static let jobs = 65_536
    /// The number of threads that only look up credentials, and the number of them that one address may use.
    static let credentialThreads = 2
    static let credentialThreadsOfOne = 1
}

extension StoreCoordinator {
    /// Reads the store on a thread that may block.
    ///
    /// A request's read waits in the lane of its user, or of its address before the user is authenticated. The lane
    /// uses at most `ReadingLimits.threadsOfOne` threads. `BoundedWork.bound` is set while `body` runs: it ends the
    /// read at `ReadingLimits.seconds` or `.steps`, and when the client closes the connection. The server's own reads
    /// have neither limit.
    ///
    /// - Throws: `WorkError` when too many reads wait; `CancellationError` when the client closed the connection while
    ///   the read waited; `WorkLimit.InterruptionError` when `body` exceeded a limit, even if `body` did not check it;
    ///   the errors of `body`.
    package func read<Success: Sendable>(
        _ body: @escaping @Sendable (any Store) throws -> Success
    ) async throws -> Success {
        guard let request = RequestWork.current else {
            let share = WorkerPool<ReadingLane>.Share(threads: Self.readerCount, jobs: ReadingLimits.jobs)
            return try await readers.run(.server, share: share) { [store] in try body(store) }
        }
        let client = request.client
        let share = WorkerPool<ReadingLane>.Share(
            threads: ReadingLimits.threadsOfOne,
            jobs: client?.hasPriority == true ? ReadingLimits.jobsOfLeader : ReadingLimits.jobsOfOne)
        let lane = client.map { ReadingLane.user(UserNumber($0.number)) } ?? .address(AddressPrefix.of(request.address))
        return try await readers.run(lane, share: share, isAbandoned: { request.isAbandoned }) { [store, reads] in
            let start = ContinuousClock.now
            let limit = WorkLimit(
                seconds: ReadingLimits.seconds, steps: ReadingLimits.steps, isAbandoned: { request.isAbandoned })
            return try BoundedWork.$bound.withValue(limit) {
                let result = Result { try body(store) }
                let end = ContinuousClock.now
                reads.record(seconds: (end - start) / .seconds(1), of: request, fault: limit.fault, at: end)
                // The result of an interrupted read is incomplete, even where `body` returned one.
                if let fault = limit.fault { throw fault }
                return try result.get()
            }
        }
    }

    /// Reads credentials, on threads that do nothing else. The server can so authenticate callers while all reading
    /// threads are busy.
    ///
    /// - Throws: `WorkError` when too many reads wait; `CancellationError` when the client closed the connection; the
    ///   errors of `body`.
    func readCredentials<Success: Sendable>(
        _ body: @escaping @Sendable (any Store) throws -> Success
    ) async throws -> Success {
        let request = RequestWork.current
        let lane = request.map { ReadingLane.address(AddressPrefix.of($0.address)) } ?? .server
        let share = WorkerPool<ReadingLane>.Share(
            threads: ReadingLimits.credentialThreadsOfOne, jobs: ReadingLimits.jobsOfLeader)
        return try await credentialReaders.run(lane, share: share, isAbandoned: { request?.isAbandoned ?? false }) {
            [store] in try body(store)
        }
    }

    /// For each queue, how many seconds the oldest job that lacks only a free thread has waited; 0 where none waits.
    package var waits: [(part: String, seconds: Double)] {
        [
            ("readers", readers.oldestWaitSeconds), ("credentials", credentialReaders.oldestWaitSeconds),
            ("writer", queue.oldestWaitSeconds),
        ]
    }
}
