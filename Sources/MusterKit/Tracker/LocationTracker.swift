public import MusterCore
public import MusterReplication
import Synchronization

/// Records where someone is, with or without a network, and tells the server when there is one.
///
/// What was recorded is in the local store, which is the outbox: nothing is sent from memory. So whatever dies, the
/// app, the phone, the network or the server, what was recorded is recorded, and the next emission brings what the
/// server does not have yet.
public final class LocationTracker: Sendable {
    /// How often.
    public struct Pace: Sendable {
        /// Seconds between two looks at what the monitor told: what is recorded together.
        public var readSeconds = 5.0
        /// Seconds between two emissions.
        public var emitSeconds = 20.0
        /// Waits for some seconds.
        public var sleep: @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }

        /// Every 5 and 20 seconds.
        public init() {}
    }

    /// What a tracker tells of.
    public enum Event: Hashable, Sendable {
        /// It has begun; so many locations are in the store.
        case started(stored: Int)
        /// A location is on this device's disk.
        case recorded(Position)
        /// It crossed the boundary of a region, or has stayed in one for long, as this device sees it.
        case crossed(RegionWatch.DeviceCrossing)
        /// An incident of the team was started or, where there is none, ended: so says the server.
        case incident(RegionWatch.Incident?)
        /// During an incident: whether the person is safe, as this device sees it.
        case safety(RegionWatch.DeviceSafety)
        /// All that was recorded since the last emission is at the server; so many were new there.
        case emitted(Int)
        /// An emission did not come through, and everything is kept for the next; or nothing can be recorded for want
        /// of room, and it is tried again.
        case failed(Failure)
        /// What the server says about regions is another thing than this device had thought, and is taken over.
        case reconciled(RegionWatch.Difference)
    }

    private let store: LocalStore
    /// What its emissions learn of what the server fails at, each of which is a run of its own.
    private let retryMemory = Replication.RetryMemory()
    private let monitor: LocationMonitor
    private let server: Mutex<any ReplicationPeer>
    private let user: String
    private let session: String
    private let watch: RegionWatch?
    private let pace: Pace
    private let pending = Mutex(Pending())
    private let listeners = Mutex<[AsyncStream<Event>.Continuation]>([])
    private let emissions: Emissions<Failure?>
    /// The recording that was asked for last: the next begins after it.
    private let recording = Mutex<Task<Void, any Error>?>(nil)
    /// Is told of every event before the listeners, in the call that the event comes of.
    private let observer: (@Sendable (Event) -> Void)?

    private struct Pending {
        var locations: [LocationMonitor.Location] = []
        var isFinished = false
        /// The first so many were decided by the watch, and are not on the disk yet.
        var decided = 0
        /// What there is to tell of these once they are.
        var news: [RegionWatch.News] = []
    }

    /// Locations recorded in one transaction at most.
    private static let batchLimit = 500
    /// Locations that wait to be recorded, before no more are taken for a while.
    private static let pendingLimit = 5_000

    /// A tracker.
    ///
    /// - Parameters:
    ///   - store: the outbox.
    ///   - monitor: tells of locations.
    ///   - server: the database that they go to.
    ///   - user: whose they are.
    ///   - session: what tells this run from others; recorded locations of one run are known by it.
    ///   - watch: what is known of regions on this device.
    public convenience init(
        store: LocalStore, monitor: LocationMonitor, server: any ReplicationPeer, user: String, session: String,
        watch: RegionWatch? = nil, pace: Pace = Pace()
    ) {
        self.init(
            store: store, monitor: monitor, server: server, user: user, session: session, watch: watch, pace: pace,
            observer: nil)
    }

    /// - Parameter observer: is told of every event in the call that the event comes of, so that whoever waited for an
    ///   emission has been told what it brought.
    init(
        store: LocalStore, monitor: LocationMonitor, server: any ReplicationPeer, user: String, session: String,
        watch: RegionWatch?, pace: Pace, observer: (@Sendable (Event) -> Void)?
    ) {
        self.store = store
        self.monitor = monitor
        self.server = Mutex(server)
        self.user = user
        self.session = session
        self.watch = watch
        self.pace = pace
        self.observer = observer
        emissions = Emissions(cancelled: .cancelled) { store.file.lastCommitted }
    }

    /// What happens, from now on until `run` ends; a slow listener misses the oldest.
    public func events() -> AsyncStream<Event> {
        AsyncStream(bufferingPolicy: .bufferingNewest(10_000)) { continuation in
            listeners.withLock { $0.append(continuation) }
        }
    }

    /// Records and emits until the monitor's source ends, and then once more; or until the task is cancelled.
    ///
    /// A disk that is full is waited for as long as the source goes on: what was not recorded yet is in memory, the
    /// newest 10,000 locations at least.
    ///
    /// - Throws: what keeps the local store from being written: without it nothing is safe.
    public func run() async throws {
        defer {
            watch?.endRefreshing()
            for listener in listeners.withLock({ $0 }) { listener.finish() }
        }
        let locations = monitor.subscribe()
        tell(.started(stored: try await store.count()))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // While the disk is slower than the receiver, the monitor's stream keeps the newest.
                for await location in locations { try await self.append(location) }
                self.pending.withLock { $0.isFinished = true }
            }
            group.addTask { try await self.recordRegularly() }
            group.addTask { try await self.emitRegularly() }
            while try await group.next() != nil {}
        }
        try Task.checkCancellation()
        await emit()
    }

    // MARK: Recording

    private func recordRegularly() async throws {
        while true {
            // Asked before: what comes between the two is recorded the next time.
            let isFinished = pending.withLock { $0.isFinished }
            do {
                try await recordPending()
                try await watchTheClock()
            } catch LocalStoreError.full where !isFinished {
                tell(.failed(.storeFull))
            }
            if isFinished { return }
            try await pace.sleep(pace.readSeconds)
        }
    }

    /// Adds a location to those that wait to be recorded. Where too many wait it pauses for one reading interval.
    func append(_ location: LocationMonitor.Location) async throws {
        let count = pending.withLock { pending in
            pending.locations.append(location)
            return pending.locations.count
        }
        if count >= Self.pendingLimit { try await pace.sleep(pace.readSeconds) }
    }

    /// Records all locations that wait, after the recording that was asked for before.
    ///
    /// - Throws: `LocalStoreError`; then the locations still wait. `CancellationError`.
    func recordPending() async throws {
        let task = recording.withLock { last in
            let before = last
            let task = Task {
                _ = await before?.result
                while try await self.record() {}
            }
            last = task
            return task
        }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Decides what time alone changes.
    private func watchTheClock() async throws {
        guard let watch else { return }
        let news = watch.follow([], of: session)
        defer { tell(news) }
        if !news.isEmpty { try await watch.keep() }
    }

    /// Records what waits, in one transaction.
    ///
    /// - Returns: whether there was anything.
    private func record() async throws -> Bool {
        let (batch, isDecided) = pending.withLock { pending in
            // What was decided and did not come to the disk is tried again as it was.
            let count = pending.decided > 0 ? pending.decided : Self.batchLimit
            return (Array(pending.locations.prefix(count)), pending.decided > 0)
        }
        if batch.isEmpty { return false }
        var seen: Set<String> = []
        let values = batch.map { RecordedLocation($0, user: user, session: session) }
            .filter { seen.insert($0.id).inserted }
        // What they cross is decided before, so that where the device stands is kept in the same transaction: whoever
        // goes on after a restart has neither missed a fix nor takes one twice.
        if !isDecided {
            let news = watch?.follow(values.compactMap(\.fix), of: session) ?? []
            pending.withLock { pending in
                pending.decided = batch.count
                pending.news = news
            }
        }
        try await store.record(values, beside: watch)
        // Only now: what is not on the disk is still waiting.
        let news = pending.withLock { pending in
            pending.locations.removeFirst(batch.count)
            pending.decided = 0
            defer { pending.news = [] }
            return pending.news
        }
        for location in batch { tell(.recorded(location.fix)) }
        tell(news)
        return true
    }

    // MARK: Emitting

    private func emitRegularly() async throws {
        while !pending.withLock({ $0.isFinished && $0.locations.isEmpty }) {
            try await pace.sleep(pace.emitSeconds)
            await emit()
        }
    }

    /// Brings everything that was recorded to the server, now. Who asks while an emission runs waits for that one, or,
    /// where something was recorded since it began, for the one after it: there is never more than one at a time.
    ///
    /// - Returns: why it did not come through; nil where all that was recorded since the last one is at the server.
    @discardableResult
    public func emit() async -> Failure? { await emissions.emit { await self.replicate() } }

    /// Goes on with a session that was signed in anew, from the next emission on.
    ///
    /// - Parameters:
    ///   - session: the same user's.
    ///   - peer: the way to their database; nil: the session's own.
    public func reauthenticate(as session: Session, by peer: (any ReplicationPeer)? = nil) {
        precondition(session.user == user, "what one user recorded is brought to nobody else's database")
        server.withLock { $0 = peer ?? session.peer }
        watch?.reauthenticate(as: session)
    }

    /// How many of the store's documents the server does not have, by its own word: those that it would not have, and
    /// those that were not emitted yet.
    ///
    /// - Throws: `Failure`.
    /// - Complexity: O(documents), a thousand to a question.
    public func missing() async throws(Failure) -> Int {
        do {
            let server = server.withLock { $0 }
            var since = PeerSequence.start
            var count = 0
            while true {
                let page = try await store.changes(ChangesRequest(since: since, limit: 1_000))
                if page.changes.isEmpty { return count }
                count += try await server.missing(page.changes).count(where: { !$0.revisions.isEmpty })
                since = page.last
            }
        } catch {
            throw Failure(error)
        }
    }

    private func replicate() async -> Failure? {
        var pacing = ReplicationPacing()
        pacing.attempts = 1
        var options = Replication.Options()
        options.takesSnapshot = false
        let server = server.withLock { $0 }
        do {
            var replication = Replication(from: store, to: server, options: options, pacing: pacing)
            replication.retryMemory = retryMemory
            let done = try await replication.run()
            let refused = done.refusals.first.map {
                Failure.refusesDocuments(count: Int(done.counts.refused), reason: $0.reason)
            }
            tell(refused.map { .failed($0) } ?? .emitted(Int(done.counts.written)))
            tell(await watch?.reconcile() ?? [])
            return refused
        } catch {
            if Task.isCancelled { return .cancelled }
            let failure = Failure(error)
            tell(.failed(failure))
            // Whoever fails at a document may still know of an evacuation.
            if case ReplicationError.busy = error { tell(await watch?.reconcile() ?? []) }
            return failure
        }
    }

    private func tell(_ news: [RegionWatch.News]) {
        for item in news {
            switch item {
            case .crossed(let crossing): tell(.crossed(crossing))
            case .reconciled(let difference): tell(.reconciled(difference))
            case .safety(let safety): tell(.safety(safety))
            case .incident(let incident): tell(.incident(incident))
            }
        }
    }

    private func tell(_ event: Event) {
        observer?(event)
        for listener in listeners.withLock({ $0 }) { listener.yield(event) }
    }
}

extension LocalStore {
    /// Records locations in one transaction, with where the device stands after them; those that were recorded before
    /// change nothing.
    func record(_ locations: [RecordedLocation], beside watch: RegionWatch?) async throws {
        let drafts = try locations.map { (id: $0.id, json: try Self.json(of: $0)) }
        try await file.write { transaction in
            for draft in drafts { try transaction.record(draft.id, draft.json) }
            // Asked for in here: transactions come one after the other, and the last keeps the newest.
            if let kept = watch?.kept(besideFixes: !drafts.isEmpty) {
                try transaction.keep(try Self.json(of: kept), note: StoredPresence.note)
            }
        }
        if !drafts.isEmpty { watch?.noteRecorded() }
    }
}
