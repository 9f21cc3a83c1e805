import MusterCore
import MusterHTTP
import MusterReplication
import MusterServer
import ServiceLifecycle
import Synchronization

/// Runs the replications that admins order. Orders of `_replicate` run until the server stops; orders in documents of
/// `_replicator` begin again after each start, until they end. The checkpoints of both databases record where each
/// continues.
final class Replicator: Service {
    let coordinator: StoreCoordinator
    let feeds: LogFeeds
    /// Makes the connections to peers.
    let client: CheckedHTTPClient
    /// Seals and opens the credentials that orders contain.
    let seal: ReplicationSeal
    let pacing: ReplicationPacing
    private let roster = Mutex(Roster())

    /// The most replications that run at a time, including those of clients that wait for the response.
    static let jobLimit = 100

    private struct Roster: Sendable {
        var jobs: [Int: ReplicationJob] = [:]
        /// A number is never used again, so that late progress of a removed job does not reach another one.
        var lastNumber = 0
        /// Finishes when a job is removed.
        var waiter: AsyncStream<Void>.Continuation?

        /// Removes a job, and wakes the task that waits for its place.
        mutating func remove(_ number: Int) {
            guard jobs.removeValue(forKey: number) != nil else { return }
            waiter?.finish()
            waiter = nil
        }
    }

    /// - Parameters:
    ///   - vault: seals the credentials in orders.
    ///   - client: makes the connections to peers, if its policy allows their addresses.
    init(
        coordinator: StoreCoordinator, feeds: LogFeeds, vault: SecretVault = SecretVault(),
        client: CheckedHTTPClient, pacing: ReplicationPacing? = nil
    ) {
        self.pacing = pacing ?? ReplicationPacing(now: coordinator.now)
        self.coordinator = coordinator
        self.feeds = feeds
        self.client = client
        seal = ReplicationSeal(vault: vault)
    }

    // MARK: Orders

    /// Carries out an order, and returns when it has ended.
    ///
    /// - Throws: `CouchError` if `jobLimit` replications run already; `ReplicationError`; `CancellationError` if the
    ///   order was cancelled.
    func runOrder(_ order: ReplicationOrder, by user: UserNumber) async throws -> Done {
        let task = try enlist(order, document: nil, by: user) { [self] number in
            try await replicate(order, by: user) { self.recordProgress($0, of: number) }
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Begins an order that runs in the background. An order that runs already is not begun again.
    ///
    /// - Throws: `CouchError` if `jobLimit` replications run already.
    func begin(_ order: ReplicationOrder, by user: UserNumber) throws {
        guard !jobs.contains(where: { $0.document == nil && $0.order.id == order.id }) else { return }
        _ = try enlist(order, document: nil, by: user) { [self] number in
            try await persist(in: order, by: user) { self.recordProgress($0, of: number) }
        }
    }

    /// Cancels orders of `_replicate`.
    ///
    /// - Returns: whether there were any.
    func cancel(_ id: String) -> Bool { end { $0.document == nil && $0.order.id == id } > 0 }

    /// The running jobs in the order of their beginning.
    var jobs: [ReplicationJob] {
        roster.withLock { roster in roster.jobs.sorted { $0.key < $1.key }.map(\.value) }
    }

    private static let tooMany = CouchError.unavailable("\(jobLimit) replications are running, the limit.")

    /// Begins a job. It is on the roster until it ends.
    ///
    /// - Throws: `CouchError` if `jobLimit` replications run already.
    func enlist<Success: Sendable>(
        _ order: ReplicationOrder, document: ReplicationJob.DocumentName?, by user: UserNumber,
        _ work: @escaping @Sendable (_ number: Int) async throws -> Success
    ) throws -> Task<Success, any Error> {
        let moment = coordinator.now()
        return try roster.withLock { roster in
            guard roster.jobs.count < Self.jobLimit else { throw Self.tooMany }
            roster.lastNumber += 1
            let number = roster.lastNumber
            let task = Task {
                defer { self.roster.withLock { $0.remove(number) } }
                return try await work(number)
            }
            roster.jobs[number] = ReplicationJob(order, document: document, by: user, startedAt: moment) {
                task.cancel()
            }
            return task
        }
    }

    /// Records the progress of a job.
    func recordProgress(_ progress: ReplicationProgress, of number: Int) {
        let moment = coordinator.now()
        roster.withLock { $0.jobs[number]?.recordProgress(progress, at: moment) }
    }

    /// Cancels jobs, and removes them from the roster at once.
    ///
    /// - Returns: the number of cancelled jobs.
    @discardableResult
    func end(where isWanted: (ReplicationJob) -> Bool) -> Int {
        let ended = roster.withLock { roster in
            let ended = roster.jobs.filter { isWanted($0.value) }
            for number in ended.keys { roster.remove(number) }
            return ended
        }
        for job in ended.values { job.cancel() }
        return ended.count
    }

    /// Returns when one more job may run. Only one task may wait at a time.
    func waitForRoom() async {
        let (left, waiter) = AsyncStream.makeStream(of: Void.self)
        let isFull = roster.withLock { roster in
            guard roster.jobs.count >= Self.jobLimit else { return false }
            roster.waiter = waiter
            return true
        }
        if isFull { for await _ in left {} }
    }

    /// Returns the description of an error for clients. The descriptions of our own errors contain no secrets.
    static func sentence(_ error: any Error) -> String {
        (error as? ReplicationError)?.description ?? (error as? CouchError)?.reason ?? "it failed"
    }

    /// Carries out the orders of `_replicator`, and ends those whose givers have lost the right, until graceful
    /// shutdown.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup { group in
                group.addTask {
                    while !Task.isCancelled {
                        do {
                            try await self.follow()
                        } catch {
                            try? await Task.sleep(for: .seconds(Self.lookSeconds))
                        }
                    }
                }
                group.addTask {
                    while !Task.isCancelled {
                        await self.endUnfounded()
                        try? await Task.sleep(for: .seconds(Self.lookSeconds))
                    }
                }
            }
        }
        end { _ in true }
    }
}
