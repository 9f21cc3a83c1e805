import MusterCore
import MusterHTTP
import MusterReplication
import MusterServer
import MusterStore
import ServiceLifecycle
import Synchronization

/// Runs the replications that admins ordered: those of `_replicate` until the server stops, those of the documents in
/// `_replicator` again after every start, until they have ended. Where each goes on is in the logs at its two sides.
final class Replicator: Service {
    let coordinator: StoreCoordinator
    let feeds: LogFeeds
    /// Connects to peers.
    let client: CheckedHTTPClient
    /// Seals and opens what orders prove themselves to peers with.
    let seal: ReplicationSeal
    let pacing: ReplicationPacing
    private let roster = Mutex(Roster())

    /// Replications that run at a time, those that somebody waits for among them.
    static let jobLimit = 100

    private struct Roster: Sendable {
        var jobs: [Int: ReplicationJob] = [:]
        /// Numbers are given once: what is heard late of a job that is gone concerns no other.
        var lastNumber = 0
        /// Woken when a job has left.
        var waiter: AsyncStream<Void>.Continuation?

        /// Takes a job off, and wakes who waits for its place.
        mutating func remove(_ number: Int) {
            guard jobs.removeValue(forKey: number) != nil else { return }
            waiter?.finish()
            waiter = nil
        }
    }

    /// - Parameters:
    ///   - vault: seals what orders prove themselves to peers with.
    ///   - client: connects to peers, where its policy allows them.
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

    /// Carries an order out while its sender waits.
    ///
    /// - Throws: `CouchError` when as many run as may; `ReplicationError`, `CancellationError` when it was ended.
    func carryOut(_ order: ReplicationOrder, by user: UserNumber) async throws -> Done {
        let task = try enlist(order, document: nil, by: user) { [self] number in
            try await replicate(order, by: user) { self.note($0, of: number) }
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Begins an order that goes on by itself; one that runs already is left as it is.
    ///
    /// - Throws: `CouchError` when as many run as may.
    func begin(_ order: ReplicationOrder, by user: UserNumber) throws {
        guard !jobs.contains(where: { $0.document == nil && $0.order.id == order.id }) else { return }
        _ = try enlist(order, document: nil, by: user) { [self] number in
            try await persist(in: order, by: user) { self.note($0, of: number) }
        }
    }

    /// Ends orders of `_replicate`.
    ///
    /// - Returns: false when none such runs.
    func cancel(_ id: String) -> Bool { end { $0.document == nil && $0.order.id == id } > 0 }

    /// All that runs, in the order it began.
    var jobs: [ReplicationJob] {
        roster.withLock { roster in roster.jobs.sorted { $0.key < $1.key }.map(\.value) }
    }

    private static let tooMany = CouchError.unavailable("\(jobLimit) replications run already.")

    /// Begins a job; it is on the roster until it has ended.
    ///
    /// - Throws: `CouchError` when as many run as may.
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

    /// Notes how a job goes.
    func note(_ progress: ReplicationProgress, of number: Int) {
        let moment = coordinator.now()
        roster.withLock { $0.jobs[number]?.note(progress, at: moment) }
    }

    /// Ends jobs; they are off the roster at once.
    ///
    /// - Returns: how many.
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

    /// Returns when there is room for one more job. One task at a time waits for that.
    func waitForRoom() async {
        let (left, waiter) = AsyncStream.makeStream(of: Void.self)
        let isFull = roster.withLock { roster in
            guard roster.jobs.count >= Self.jobLimit else { return false }
            roster.waiter = waiter
            return true
        }
        if isFull { for await _ in left {} }
    }

    /// What may be told of an error: ours are written so that they hold no secret.
    static func sentence(_ error: any Error) -> String {
        (error as? ReplicationError)?.description ?? (error as? CouchError)?.reason ?? "it failed"
    }

    /// Follows the documents of `_replicator`, and ends what nobody may order any more, until graceful shutdown.
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
