public import MusterCore
import MusterMutex
public import MusterReplication

/// Records a person's locations, with or without a network, and sends them to the server when there is one.
///
/// The local store is the outbox: nothing is sent from memory. Recorded locations therefore survive the end of the app,
/// the phone, the network or the server, and the next emission sends those that the server does not have yet.
public final class LocationTracker: Sendable {
    /// The intervals of recording and of sending.
    public struct Pace: Sendable {
        /// Seconds between two transactions that record the monitor's locations.
        public var readSeconds = 5.0
        /// Seconds between two emissions.
        public var emitSeconds = 20.0
        /// Suspends for a number of seconds.
        public var sleep: @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }

        /// Records every 5 seconds and emits every 20.
        public init() {}
    }

    /// An event of a tracker, about recording and sending.
    public enum Event: Hashable, Sendable {
        /// The tracker has started; the store holds `stored` locations.
        case started(stored: Int)
        /// A location is on this device's disk.
        case recorded(Position)
        /// The device entered, left, passed or has dwelt in a region, by this device's own evaluation.
        case crossed(RegionWatch.DeviceCrossing)
        /// The server reports that an incident of the team started; nil when it ended.
        case incident(RegionWatch.Incident?)
        /// Whether the person is safe, by this device's own evaluation; sent during an incident.
        case safety(RegionWatch.DeviceSafety)
        /// The server has every recorded document; this many were new to it.
        case emitted(Int)
        /// An emission failed and its documents are kept for the next; or the disk is full, and recording is tried
        /// again.
        case failed(Failure)
        /// The server's presences differ from this device's; the device has adopted the server's.
        case reconciled(RegionWatch.Difference)
    }

    private let store: LocalStore
    /// The documents that the server failed to store, and when to retry them. It outlives an emission, because each
    /// emission is a replication of its own.
    private let retryMemory = Replication.RetryMemory()
    private let monitor: LocationMonitor
    /// The connection to the person's database, and how often it has been replaced.
    private let server: Mutex<(peer: any ReplicationPeer, replacements: Int)>
    private let user: String
    private let session: String
    private let watch: RegionWatch?
    private let pace: Pace
    private let pending = Mutex(Pending())
    private let listeners = Mutex<[AsyncStream<Event>.Continuation]>([])
    private let emissions: Emissions<Failure?>
    /// The newest recording transaction; the next begins after it.
    private let recording = Mutex<Task<Void, any Error>?>(nil)
    /// Receives every event before the subscribers do, synchronously.
    private let observer: (@Sendable (Event) -> Void)?

    private struct Pending {
        var locations: [LocationMonitor.Location] = []
        var isFinished = false
        /// The number of locations, from the first, whose crossings the watch has decided and that are not on the disk
        /// yet.
        var decided = 0
        /// The events of these locations, which are sent once they are on the disk.
        var news: [RegionWatch.News] = []
    }

    /// The largest number of locations in one transaction.
    private static let batchLimit = 500
    /// The number of waiting locations from which on `append` pauses its caller.
    private static let pendingLimit = 5_000

    /// Makes a tracker that records and sends once it runs.
    ///
    /// - Parameters:
    ///   - store: the outbox.
    ///   - monitor: delivers the locations to record.
    ///   - server: the database that receives them.
    ///   - user: the name of the person whose locations they are.
    ///   - session: the name of this run, part of the ids of its locations.
    ///   - watch: evaluates crossings on this device; nil to record only.
    ///   - pace: the intervals of recording and sending.
    public convenience init(
        store: LocalStore, monitor: LocationMonitor, server: any ReplicationPeer, user: String, session: String,
        watch: RegionWatch? = nil, pace: Pace = Pace()
    ) {
        self.init(
            store: store, monitor: monitor, server: server, user: user, session: session, watch: watch, pace: pace,
            observer: nil)
    }

    /// - Parameter observer: receives every event synchronously, so that it has run when a call that waited for an
    ///   emission returns.
    init(
        store: LocalStore, monitor: LocationMonitor, server: any ReplicationPeer, user: String, session: String,
        watch: RegionWatch?, pace: Pace, observer: (@Sendable (Event) -> Void)?
    ) {
        self.store = store
        self.monitor = monitor
        self.server = Mutex((server, 0))
        self.user = user
        self.session = session
        self.watch = watch
        self.pace = pace
        self.observer = observer
        emissions = Emissions(cancelled: .cancelled) { store.file.lastCommitted }
    }

    /// A stream of every event from now on until `run` ends. A reader that is too slow loses the oldest.
    public func events() -> AsyncStream<Event> {
        AsyncStream(bufferingPolicy: .bufferingNewest(10_000)) { continuation in
            listeners.withLock { $0.append(continuation) }
        }
    }

    /// Records and emits until the monitor's source ends, and then once more. It also ends when its task is cancelled.
    ///
    /// While the disk is full, it tries again for as long as the source goes on. Locations that are not recorded yet
    /// wait in memory: at least the newest 10,000.
    ///
    /// - Throws: `LocalStoreError` if the local store cannot be written for another reason than a full disk.
    public func run() async throws {
        defer {
            watch?.endRefreshing()
            for listener in listeners.withLock({ $0 }) { listener.finish() }
        }
        let locations = monitor.subscribe()
        tell(.started(stored: try await store.count()))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // If the disk is slower than the receiver, the monitor's stream drops its oldest locations.
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
            // Read before the transaction: a location that arrives after it is recorded by the next round.
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

    /// Adds a location to those that wait to be recorded. If too many wait, it pauses for one recording interval.
    func append(_ location: LocationMonitor.Location) async throws {
        let count = pending.withLock { pending in
            pending.locations.append(location)
            return pending.locations.count
        }
        if count >= Self.pendingLimit { try await pace.sleep(pace.readSeconds) }
    }

    /// Records all waiting locations, after the transaction that runs now.
    ///
    /// - Throws: `LocalStoreError`, after which the locations still wait; `CancellationError`.
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

    /// Evaluates the changes that follow from the passing of time alone (dwells, silence) while no location arrives.
    private func watchTheClock() async throws {
        guard let watch else { return }
        let news = watch.follow([], of: session)
        defer { tell(news) }
        if !news.isEmpty || watch.hasBeaconNews { try await watch.storePresences() }
    }

    /// Records the waiting locations, at most `batchLimit`, in one transaction.
    ///
    /// - Returns: whether any location waited.
    private func record() async throws -> Bool {
        let (batch, isDecided) = pending.withLock { pending in
            // A batch whose crossings are decided but that failed to reach the disk is tried again unchanged.
            let count = pending.decided > 0 ? pending.decided : Self.batchLimit
            return (Array(pending.locations.prefix(count)), pending.decided > 0)
        }
        if batch.isEmpty { return false }
        var seen: Set<String> = []
        let values = batch.map { RecordedLocation($0, user: user, session: session) }
            .filter { seen.insert($0.id).inserted }
        // Crossings are decided before the transaction, which stores the device's presences beside its fixes: after a
        // restart no fix is missed and none is evaluated twice.
        if !isDecided {
            let news = watch?.follow(values.compactMap(\.fix), of: session) ?? []
            pending.withLock { pending in
                pending.decided = batch.count
                pending.news = news
            }
        }
        try await store.record(values, beside: watch)
        // Removed only after the transaction: a location that is not on the disk still waits.
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

    /// Sends every recorded document to the server now. A call while an emission runs joins that one, or, if something
    /// was recorded since it began, the next. Only one runs at a time.
    ///
    /// - Returns: why it failed; nil if the server has every recorded document.
    @discardableResult
    public func emit() async -> Failure? { await emissions.emit { await self.replicate() } }

    /// Cancels the emission that runs and the one that waits, and waits for their end. Later ones are cancelled before
    /// they begin.
    func endEmissions() async { await emissions.end() }

    /// Uses new credentials of the same person from the next emission on.
    ///
    /// - Parameters:
    ///   - session: a session of the same person.
    ///   - peer: the connection to their database; nil for the session's own.
    public func reauthenticate(as session: Session, by peer: (any ReplicationPeer)? = nil) {
        precondition(session.user == user, "what one user recorded is brought to nobody else's database")
        let peer = peer ?? session.peer
        server.withLock { $0 = (peer, $0.replacements + 1) }
        watch?.reauthenticate(as: session)
    }

    /// Asks the server how many of the store's documents it does not have: those that it refused, and those that were
    /// not sent yet.
    ///
    /// - Throws: `Failure`.
    /// - Complexity: O(documents), a thousand in a request.
    public func missing() async throws(Failure) -> Int {
        do {
            let server = server.withLock { $0.peer }
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
        let (peer, replacements) = server.withLock { $0 }
        do {
            var replication = Replication(from: store, to: peer, options: options, pacing: pacing)
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
            // The refused credentials have been replaced meanwhile, so the present ones are tried.
            if case .unauthorized = failure, server.withLock({ $0.replacements }) != replacements {
                return await replicate()
            }
            tell(.failed(failure))
            // A server that fails at a document may still report an incident.
            if case ReplicationError.busy = error { tell(await watch?.reconcile() ?? []) }
            return failure
        }
    }

    /// Sends the events of the watch to the subscribers.
    func tell(_ news: [RegionWatch.News]) {
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
    /// Records locations and the device's presences after them in one transaction. Locations that were recorded before
    /// change nothing.
    func record(_ locations: [RecordedLocation], beside watch: RegionWatch?) async throws {
        let drafts = try locations.map { (id: $0.id, json: try Self.json(of: $0)) }
        let told = try await file.write { transaction in
            for draft in drafts { try transaction.record(draft.id, draft.json) }
            // Read inside the transaction: transactions run one after the other, so the last one stores the newest
            // presences.
            if let kept = watch?.kept(besideFixes: !drafts.isEmpty) {
                try transaction.storeNote(try Self.json(of: kept), note: StoredPresence.note)
            }
            return try watch?.storeBeacons(besideSightings: false, in: transaction)
        }
        if !drafts.isEmpty { watch?.noteRecorded() }
        if let told { watch?.noteBeaconsStored(through: told, besideSightings: false) }
    }
}
