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
        case crossed(RegionWatch.Crossing)
        /// An incident of the team was started or, where there is none, ended: so says the server.
        case incident(RegionWatch.Incident?)
        /// During an incident: whether the person is safe, as this device sees it.
        case safety(RegionWatch.Safety)
        /// Everything that was recorded is at the server; so many were new there.
        case emitted(Int)
        /// An emission did not come through; everything is kept for the next.
        case failed(reason: String)
        /// What the server says about regions is another thing than this device had thought, and is taken over.
        case reconciled(RegionWatch.Difference)
    }

    private let store: LocalStore
    private let monitor: LocationMonitor
    private let server: any ReplicationPeer
    private let user: String
    private let session: String
    private let watch: RegionWatch?
    private let pace: Pace
    private let pending = Mutex(Pending())
    private let listeners = Mutex<[AsyncStream<Event>.Continuation]>([])
    private let emissions: Emissions

    private struct Pending {
        var locations: [LocationMonitor.Location] = []
        var isFinished = false
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
    public init(
        store: LocalStore, monitor: LocationMonitor, server: any ReplicationPeer, user: String, session: String,
        watch: RegionWatch? = nil, pace: Pace = Pace()
    ) {
        self.store = store
        self.monitor = monitor
        self.server = server
        self.user = user
        self.session = session
        self.watch = watch
        self.pace = pace
        emissions = Emissions { store.file.lastCommitted }
    }

    /// What happens, from now on until `run` ends; a slow listener misses the oldest.
    public func events() -> AsyncStream<Event> {
        AsyncStream(bufferingPolicy: .bufferingNewest(10_000)) { continuation in
            listeners.withLock { $0.append(continuation) }
        }
    }

    /// Records and emits until the monitor's source ends, and then once more; or until the task is cancelled.
    ///
    /// - Throws: what keeps the local store from being written: without it nothing is safe.
    public func run() async throws {
        defer { for listener in listeners.withLock({ $0 }) { listener.finish() } }
        let locations = monitor.subscribe()
        tell(.started(stored: try await store.count()))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await location in locations {
                    let count = self.pending.withLock { pending in
                        pending.locations.append(location)
                        return pending.locations.count
                    }
                    // While the disk is slower than the receiver, the monitor's stream keeps the newest.
                    if count >= Self.pendingLimit { try await self.pace.sleep(self.pace.readSeconds) }
                }
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
            while try await record() {}
            if let watch {
                let news = watch.follow([], of: session)
                if !news.isEmpty { try await watch.keep() }
                tell(news)
            }
            if isFinished { return }
            try await pace.sleep(pace.readSeconds)
        }
    }

    /// Records what waits, in one transaction.
    ///
    /// - Returns: whether there was anything.
    private func record() async throws -> Bool {
        let batch = pending.withLock { Array($0.locations.prefix(Self.batchLimit)) }
        if batch.isEmpty { return false }
        var seen: Set<String> = []
        let values = batch.map { RecordedLocation($0, user: user, session: session) }
            .filter { seen.insert($0.id).inserted }
        // What they cross is decided before, so that where the device stands is kept in the same transaction: whoever
        // goes on after a restart has neither missed a fix nor takes one twice.
        let news = watch?.follow(values.compactMap(\.fix), of: session) ?? []
        try await store.record(values, beside: watch)
        // Only now: what is not on the disk is still waiting.
        pending.withLock { $0.locations.removeFirst(batch.count) }
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
    /// - Returns: whether it came through.
    @discardableResult
    public func emit() async -> Bool { await emissions.emit { await self.replicate() } }

    private func replicate() async -> Bool {
        var pacing = ReplicationPacing()
        pacing.attempts = 1
        var options = Replication.Options()
        options.takesSnapshot = false
        do {
            let done = try await Replication(from: store, to: server, options: options, pacing: pacing).run()
            if let refusal = done.refusals.first, done.counts.refused > 0 {
                tell(.failed(reason: "the server will not have \(done.counts.refused): \(refusal.reason)"))
            } else {
                tell(.emitted(Int(done.counts.written)))
            }
            tell(await watch?.reconcile() ?? [])
            return true
        } catch {
            if !Task.isCancelled { tell(.failed(reason: "\(error)")) }
            return false
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
                try transaction.keep(try Self.json(of: kept), note: KeptStanding.note)
            }
        }
        if !drafts.isEmpty { watch?.noteRecorded() }
    }
}
