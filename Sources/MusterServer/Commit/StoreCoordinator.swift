import Foundation
package import MusterCore
import MusterDocuments
package import MusterStore
package import MusterWire
import Synchronization

/// The only way into the log. Requests and edits wait in its queue. One writer thread gathers the waiting requests into
/// one transaction and answers the senders once it is on disk.
package final class StoreCoordinator: Sendable {
    package let queue: WriterQueue
    private let shared: CoordinatorState
    package let store: any Store
    package let storage: StorageHealth
    /// Measures the reads of requests.
    let reads: ReadStatistics
    package let readers: WorkerPool<ReadingLane>
    /// Separate from `readers`, so that the server can authenticate callers however busy the readers are.
    let credentialReaders: WorkerPool<ReadingLane>
    /// The number of threads that read the store at the same time.
    static let readerCount = 4
    private let hasEnded = DispatchSemaphore(value: 0)
    /// The server's clock.
    package let now: @Sendable () -> Instant
    /// The account, region and store that events name as their source.
    package let origin: EventOrigin
    package let quotas: Quotas
    /// The store's UUID.
    package let storeID: String

    /// Opens the coordinator over a store and starts its thread.
    ///
    /// - Parameters:
    ///   - storage: the health that the store reports its writes to; nil for a store that reports none.
    ///   - amazon: the account and region that events and ARNs name.
    ///   - quotas: the quotas of users.
    ///   - reads: counts how long requests read the store.
    ///   - now: the server's clock.
    ///   - waitClock: the clock that measures how long work waits.
    ///   - announce: called with the newest sequence after every commit, on the writer's thread; must not block.
    /// - Throws: the store's errors while its state is read.
    package init(
        store: any Store, storage: StorageHealth? = nil, amazon: Configuration.Amazon = Configuration.Amazon(),
        quotas: Quotas = Quotas(), reads: ReadStatistics = ReadStatistics(), now: @escaping @Sendable () -> Instant,
        waitClock: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        announce: @escaping @Sendable (LogSequence) -> Void = { _ in }
    ) throws {
        queue = WriterQueue(clock: waitClock)
        readers = WorkerPool(threads: Self.readerCount, jobs: ReadingLimits.jobs, now: waitClock)
        credentialReaders = WorkerPool(
            threads: ReadingLimits.credentialThreads, jobs: ReadingLimits.jobs, now: waitClock)
        let storage = storage ?? StorageHealth(now: now)
        let shared = CoordinatorState(
            directory: Directory(try store.directory(), regions: try store.regions()), storage: storage, quotas: quotas,
            announce: announce)
        storeID = try store.uuid()
        origin = EventOrigin(account: amazon.account, region: amazon.region, store: storeID)
        let rules = RuleBook(origin: origin) { shared.directory.withLock { $0 } }
        shared.directory.withLock { $0.musterRegionsByRule = rules.musterRegions }
        let directory = shared.directory.withLock { $0 }
        self.store = store
        self.reads = reads
        self.storage = storage
        self.now = now
        self.shared = shared
        self.quotas = quotas
        quotas.adopt(try store.usage(), in: directory)
        let streams = DatasetStreams(
            origin: origin, directory: { shared.directory.withLock { $0 } },
            refer: { reference in shared.addressesOfRecords.withLock { $0 }(reference) })
        let pipeline = try CommitPipeline(
            opening: store, directory: directory, rules: rules, quotas: quotas, streams: streams, now: now())
        quotas.adopt(teamsInIncident: pipeline.engine.teamsInIncident)
        startThread(Writer(pipeline: pipeline, shared: shared, now: now))
    }

    private func startThread(_ writer: consuming Writer) {
        // The writer moves to its thread, and nothing else uses it afterwards.
        nonisolated(unsafe) var writer = writer
        let thread = Thread { [queue, hasEnded] in
            writer.serve(queue)
            hasEnded.signal()
        }
        thread.name = "muster-writer"
        thread.stackSize = 4 << 20
        thread.start()
    }

    /// Returns the address where the records of a large update are read; nil where the server knows no address of its
    /// own.
    package func address(of reference: StreamReference) -> String? {
        shared.addressesOfRecords.withLock { $0 }(reference)
    }

    /// Sets the function that returns the address of the records of a large update. It is called on the writer's
    /// thread, and must not block.
    package func setAddressesOfRecords(_ make: @escaping @Sendable (StreamReference) -> String?) {
        shared.addressesOfRecords.withLock { $0 = make }
    }

    /// The directory as of the last commit.
    package var directory: Directory { shared.directory.withLock { $0 } }

    /// How many edits, since the coordinator was opened, have ended a user's right to tokens that the user made, or a
    /// link. Caches of verified tokens from before the last of them are invalid.
    package var endedRights: Int { shared.endedRights.withLock { $0 } }

    /// The parts of the store known to be damaged; reads return nothing from them.
    package var knownDamage: [String] { store.knownDamage }

    /// Counts of the coordinator's work since it was opened.
    package var statistics: CommitStatistics {
        var statistics = shared.statistics.withLock { $0 }
        statistics.waitingObservations = queue.depth
        return statistics
    }

    /// The number of the newest delivery.
    package var lastDelivery: DeliveryNumber { store.lastDelivery }

    /// The number of the newest change.
    package var lastSequence: LogSequence { store.lastSequence }

    /// The newest change whose edits `directory` has. For a moment within a commit it lags behind `lastSequence`.
    package var adoptedSequence: LogSequence { shared.adopted.withLock { $0 } }

    /// Stores a request in the next transaction and returns its receipt once it is on disk.
    func enqueue(_ request: CommitRequest) async throws(CoordinatorError) -> Receipt {
        let result = await withUnsafeContinuation {
            (continuation: UnsafeContinuation<Result<Receipt, CoordinatorError>, Never>) in
            do throws(CoordinatorError) {
                try queue.put(.ingest(request, answer: { continuation.resume(returning: $0) }))
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        return try result.get()
    }

    /// Changes the directory, regions or credentials. `body` runs on the writer's thread, receives the directory as it
    /// is at that moment, and fills a draft. When `body` throws, nothing changes.
    ///
    /// - Parameters:
    ///   - author: the author for the audit log; nil for the server itself.
    ///   - check: looks at the engine as it is at that moment, and throws to refuse the edit.
    /// - Returns: the result of `body`, once everything is on disk.
    /// - Throws: the errors of `check` and of `body`, or `CoordinatorError`.
    package func edit<Success: Sendable>(
        by author: Author?, ifAllowedBy check: @escaping @Sendable (Engine) throws -> Void = { _ in },
        _ body: @escaping @Sendable (Directory, inout Draft) throws -> Success
    ) async throws -> Success {
        return try await run { writer in
            do {
                try writer.inspect(check)
                return .success(try writer.edit(by: author, body))
            } catch let error as StoreError {
                return .failure(CoordinatorError(error))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Does everything that an edit does, up to the commit, shows what it would change for people, and undoes it:
    /// nothing is stored, announced or left to review.
    ///
    /// - Parameter body: as for `edit`; returns the region whose people matter.
    /// - Throws: what `edit` would throw.
    package func rehearse(
        by author: Author?, _ body: @escaping @Sendable (Directory, inout Draft) throws -> RegionNumber
    ) async throws -> EditOutlook {
        do {
            try quotas.claimDryRun(by: author, in: directory)
        } catch {
            throw CoordinatorError.overQuota(error)
        }
        return try await run { writer in
            do {
                return .success(try writer.rehearse(by: author, body))
            } catch let error as StoreError {
                return .failure(CoordinatorError(error))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Lets the engine decide something that is neither an observation nor an edit, such as the start of an incident.
    /// `body` runs on the writer's thread, in a transaction, and adds to the decision. When `body` throws, nothing
    /// changes.
    ///
    /// - Parameter author: who asks for it; nil for the server itself.
    /// - Returns: the result of `body`, once everything is on disk.
    /// - Throws: the errors of `body`, or `CoordinatorError`.
    package func withDecision<Success: Sendable>(
        by author: Author?,
        _ body: @escaping @Sendable (Engine, any StoreTransaction, inout Decision, Instant) throws -> Success
    ) async throws -> Success {
        try await run { writer in
            do {
                return .success(try writer.withDecision(by: author, body))
            } catch let error as StoreError {
                return .failure(CoordinatorError(error))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Stores state that no change of the log describes, such as the outcome of deliveries. `body` runs on the writer's
    /// thread in a transaction of its own and receives the current time.
    ///
    /// - Returns: the result of `body`, once it is on disk.
    /// - Throws: the errors of `body`, `CoordinatorError`, `StoreError`.
    @discardableResult
    package func storeState<Success: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction, Instant) throws -> Success
    ) async throws -> Success {
        try await run { writer in
            let moment = writer.now()
            return Result { try writer.store.write(at: moment) { try body($0, moment) } }
        }
    }

    /// Stores events that a client posted. Rules send them on to targets.
    ///
    /// - Returns: the logged changes that hold the events, once they are on disk.
    /// - Throws: `CoordinatorError`.
    package func post(_ events: [PostedEvent], by author: Author?) async throws -> [LoggedChange] {
        try await run { writer in
            do {
                return .success(try writer.post(events, by: author))
            } catch {
                return .failure(CoordinatorError(error))
            }
        }
    }

    /// Reads the engine's state (latest positions, presences, safety) at one moment between two commits.
    ///
    /// - Throws: `CoordinatorError`.
    package func inspect<Success: Sendable>(
        _ body: @escaping @Sendable (Engine, Directory, LogSequence) -> Success
    ) async throws -> Success {
        try await run { [shared] writer in
            .success(body(writer.pipeline.engine, shared.directory.withLock { $0 }, writer.store.lastSequence))
        }
    }

    /// Deletes data that is older than the horizon, a slice at a time, between commits.
    ///
    /// - Returns: the number of deleted positions.
    package func forget(before horizon: Instant) async throws -> Int {
        var total = 0
        while true {
            let count = try await run { writer in
                Result {
                    try writer.recordAll()
                    return try writer.store.forget(before: horizon, limit: 10_000)
                }
            }
            total += count
            if count == 0 { return total }
        }
    }

    /// Deletes the position history of devices and nothing else. Current positions, presences and the safety of people
    /// stay as they are.
    ///
    /// - Parameter author: the author for the audit log; nil for the server itself.
    /// - Returns: once every position from before the call is gone from the histories.
    /// - Throws: `CoordinatorError`, `StoreError`.
    package func forgetPositions(of devices: [DeviceNumber], by author: Author?) async throws {
        guard !devices.isEmpty else { return }
        if let author {
            try await edit(by: author) { directory, draft in
                draft.actions += devices.map { device in
                    Action(.historyDeleted, by: author.user, user: directory.devices[device]?.user, device: device)
                }
            }
        }
        try await withDecision(by: author) { engine, transaction, decision, _ in
            for device in devices {
                // The log no longer holds these positions, so a restart must resume from the record.
                try transaction.setRecord(engine.record(of: device, after: decision), of: device)
                try transaction.forgetPositions(of: device)
            }
        }
        for device in devices {
            while try await run({ writer in
                Result { try writer.store.erasePositions(of: device, limit: 10_000) }
            }) {}
        }
    }

    /// Makes a write that changes nothing, to test whether the disk accepts writes.
    ///
    /// - Throws: `CoordinatorError`, `StoreError`.
    func testWriting() async throws { try await run { writer in Result { try writer.store.testWriting() } } }

    /// Deletes the bytes of attachments that no document has referred to for an hour, about 100 pieces a transaction,
    /// until none are left.
    ///
    /// - Throws: `CoordinatorError`, `StoreError`.
    package func dropUnusedBlobs(at moment: Instant) async throws {
        while try await run({ writer in
            Result {
                try writer.store.write(at: moment) { try $0.documents.dropUnusedBlobs(at: moment, limit: 100) }
            }
        }) {}
    }

    /// Refuses new work, finishes the work that waits, flushes the store and closes it.
    package func close() async throws {
        queue.close()
        let share = WorkerPool<ReadingLane>.Share(threads: Self.readerCount, jobs: ReadingLimits.jobs)
        try await readers.run(.server, share: share) { [hasEnded, store] in
            hasEnded.wait()
            hasEnded.signal()
            try store.close()
        }
        try await credentialReaders.shutDown()
        try await readers.shutDown()
    }

    private func run<Success: Sendable>(
        _ body: @escaping @Sendable (inout Writer) -> Result<Success, any Error>
    ) async throws -> Success {
        try await withUnsafeThrowingContinuation { continuation in
            do {
                try queue.put(.run { writer in continuation.resume(with: body(&writer)) })
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
