package import MusterCore
import MusterHTTP
package import MusterStore
import MusterWire

/// Whose turn it is to read.
package enum ReadingLane: Hashable, Sendable {
    /// The server itself: feeds of everyone, deliveries, maintenance.
    case server
    case user(UserNumber)
    /// Whoever is at an address and has proved nothing yet.
    case address(String)
}

/// How much reading of the store one request and one user may take.
package enum ReadingLimits {
    /// Seconds that one look at the store lasts at most where it looks through what others wrote.
    package static let seconds: Double = 5
    /// Steps that one look takes at most: conditions of a selector asked of values. A pattern counts as 256.
    package static let steps = 50_000_000
    /// How many of the threads one user may hold at a time.
    static let threadsOfOne = 2
    /// Looks of one user that wait; of a leader or an admin, who may have thousands of feeds.
    static let jobsOfOne = 1_024
    static let jobsOfLeader = 32_768
    /// Looks that wait, of all.
    package static let jobs = 65_536
    /// Threads that look up credentials and nothing else, and how many one address may hold.
    static let credentialThreads = 2
    static let credentialThreadsOfOne = 1
}

extension StoreCoordinator {
    /// Reads the store on a thread where it may block.
    ///
    /// Within a request this is its user's turn among those who read, at most `ReadingLimits.threadsOfOne` at a time,
    /// and `BoundedWork.bound` says how long it may last: not beyond the connection of whoever asked.
    ///
    /// - Throws: `WorkError` when too much waits already; `WorkLimit.Fault` when `body` took more than it may, also
    ///   where `body` itself did not notice; what `body` throws.
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
                // What was cut short is worth nothing, whatever became of it.
                if let fault = limit.fault { throw fault }
                return try result.get()
            }
        }
    }

    /// Reads credentials, on threads that do nothing else: whatever is being read, who asks can be proved.
    ///
    /// - Throws: `WorkError` when too much waits already; what `body` throws.
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

    /// How long the oldest work of each part waits that lacks nothing but its turn: nothing where all goes on.
    package var waits: [(part: String, seconds: Double)] {
        [
            ("readers", readers.oldestWaitSeconds), ("credentials", credentialReaders.oldestWaitSeconds),
            ("writer", queue.oldestWaitSeconds),
        ]
    }
}
