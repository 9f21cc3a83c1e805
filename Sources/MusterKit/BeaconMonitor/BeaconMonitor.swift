public import MusterCore
import MusterMutex
public import MusterReplication

/// Listens for beacons, and decides on this device which beacon regions it is in, with the same engine and policy as
/// the server: three sightings within half a minute make the device enter a region (four make it enter a muster
/// region), and 20 to 30 seconds of listening without one make it leave. Two minutes without any news from the source
/// make the state unknown; they are not an exit.
///
/// With a server, one transaction stores both the sightings and the decision that follows from them. So an enter that
/// was decided without a network, or right before the process was killed, reaches the server later, exactly once, and
/// the server decides the same.
///
/// The next `events(from:)` begins with the events that were decided but not delivered before the process ended. An
/// event may be delivered twice if the process ends right after it; both have the same region, kind and time.
public final class BeaconMonitor: Sendable {
    /// The parts that only a monitor of a `Muster` has. A monitor without a server lacks them.
    struct Ties: Sendable {
        /// Sends the sightings; nil for a monitor without a server, which stores none.
        var sender: SightingSender?
        /// Receives the news of the region watch.
        var onNews: @Sendable ([RegionWatch.News]) -> Void = { _ in }
        /// Renews the key after the server refused the present one; returns whether the sender may try again.
        var renew: @Sendable () async -> Bool = { false }
    }

    private struct State {
        var listening: Task<Void, Never>?
        var isStopped = false
        /// Sightings that are not on the disk yet.
        var pending: [SightingBatch] = []
        /// The beacons that the source listens for.
        var choice: [BeaconIdentity]?
    }

    private let watch: RegionWatch
    private let ties: Ties
    private let pace: LocationTracker.Pace
    private let state = Mutex(State())
    private let turns = Turns()
    private let told = Broadcast<Event>()
    private let ranged = Broadcast<[Sighting]>()
    private let wakes = Broadcast<Void>()

    /// The largest number of batches that wait for a transaction.
    private static let pendingLimit = 100

    /// Makes a monitor of regions that the app defines. It decides on this device alone, and sends nothing.
    ///
    /// - Parameters:
    ///   - regions: the regions. Of several with the same id, one is used.
    ///   - store: keeps the evidence over a restart. It serves one such monitor.
    ///   - pace: `readSeconds` is the time between two transactions while nothing is decided.
    ///   - now: the clock of this device.
    /// - Throws: `MusterError.unexpected` for an invalid region, `.storeUnavailable`.
    public convenience init(
        regions: [Region], store: LocalStore, pace: LocationTracker.Pace = .init(),
        now: @escaping @Sendable () -> Instant = ReplicationPacing.systemNow
    ) async throws(MusterError) {
        let watch = try await inWords {
            let watch = try RegionWatch(Region.snapshot(regions), store: store, now: now)
            try await watch.restoreBeacons()
            return watch
        }
        self.init(watch, pace: pace, Ties())
    }

    init(_ watch: RegionWatch, pace: LocationTracker.Pace, _ ties: Ties) {
        self.watch = watch
        self.pace = pace
        self.ties = ties
    }

    // MARK: States

    /// The states of all beacon regions, ordered by name.
    public var states: [RegionState] { watch.beaconStates() }

    /// The state of a region; nil where there is no such beacon region.
    public func state(of region: RegionWatch.Name) -> RegionState? { watch.beaconState(of: region) }

    /// Sends the present state of a region as an event. Other events report changes only.
    public func requestState(of region: RegionWatch.Name) {
        if let state = state(of: region) { told.send(.state(state)) }
    }

    /// The sightings of the regions' beacons from now on, as the source hears them: for each beacon its signal, its
    /// distance and its proximity, unfiltered. A slow reader loses the oldest.
    public var ranging: AsyncStream<[Sighting]> { ranged.subscribe(limit: Muster.waitingLimit) }

    // MARK: Listening

    /// Listens to a source until it ends, or until the caller stops reading the events. One source is listened to at a
    /// time: the next call ends the one before.
    public func events(from source: any BeaconSource) -> AsyncStream<Event> {
        AsyncStream(bufferingPolicy: .bufferingNewest(Muster.waitingLimit)) { continuation in
            guard let subscription = told.add(continuation) else { return continuation.finish() }
            let task = state.withLock { state -> Task<Void, Never>? in
                guard !state.isStopped else { return nil }
                let before = state.listening
                before?.cancel()
                let task = Task {
                    await before?.value
                    await self.listen(to: source)
                    self.told.remove(subscription)
                    continuation.finish()
                }
                state.listening = task
                return task
            }
            guard let task else { return continuation.finish() }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Stops listening, stores the sightings that are not on the disk yet, and ends all streams.
    func stop() async {
        let task = state.withLock { state in
            state.isStopped = true
            return state.listening
        }
        task?.cancel()
        await task?.value
        told.finish()
        ranged.finish()
        wakes.finish()
    }

    private func listen(to source: any BeaconSource) async {
        if watch.takeUnreadable() { told.send(.forgotten) }
        tellStored()
        let wakes = wakes.subscribe(limit: 1, beginningWith: ())
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await self.decideSightings(of: source)
                return true
            }
            if let sender = ties.sender {
                group.addTask {
                    await self.send(by: sender, wakes)
                    return false
                }
            }
            // The sending task never ends by itself. The source's task ends once everything that was heard is stored.
            while let isHeard = await group.next(), !isHeard {}
            group.cancelAll()
        }
        if let sender = ties.sender, !Task.isCancelled { _ = await sendOnce(by: sender) }
    }

    private func decideSightings(of source: any BeaconSource) async {
        let (choices, choosing) = AsyncStream<[BeaconIdentity]>.makeStream(bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.choice = nil }
        choose(for: source, choosing)
        let clock = Task {
            while !Task.isCancelled {
                do { try await pace.sleep(pace.readSeconds) } catch { return }
                choose(for: source, choosing)
                try? await turns.enqueue { try await self.watchTheClock() }
            }
        }
        do {
            for try await news in source.listen(for: choices) {
                switch news {
                case .heard(let sightings, let until):
                    try await turns.enqueue { try await self.decide(sightings, until) }
                case .unavailable(let reason): told.send(.unavailable(reason: reason))
                }
            }
        } catch {
            if !Task.isCancelled { told.send(.failed(MusterError(error))) }
        }
        clock.cancel()
        await clock.value
        choosing.finish()
        // In a task of its own, because this one may be cancelled.
        await Task { try? await turns.enqueue { try await self.flush() } }.value
    }

    private func choose(for source: any BeaconSource, _ choosing: AsyncStream<[BeaconIdentity]>.Continuation) {
        let choice = watch.beaconChoice(limit: source.identityLimit)
        let isNew = state.withLock { state in
            defer { state.choice = choice }
            return state.choice != choice
        }
        if isNew { choosing.yield(choice) }
    }

    // MARK: Deciding

    /// Evaluates sightings. A change of a standing is on the disk before the app receives it; other sightings are
    /// stored with the next transaction.
    private func decide(_ sightings: [Sighting], _ until: Instant) async throws {
        let heard = sightings.filter { watch.hasRegion(of: $0.beacon) }
        if !heard.isEmpty { ranged.send(heard) }
        let (news, decides) = watch.evaluateSightings(heard, until: until)
        let isDue = state.withLock { state in
            state.pending.append(SightingBatch(until: until, sightings: heard))
            let seconds = until.seconds(since: state.pending.first?.until ?? until)
            return decides || !(0..<pace.readSeconds).contains(seconds) || state.pending.count >= Self.pendingLimit
        }
        if isDue { try await flush(decides: decides) }
        ties.onNews(news)
    }

    /// Makes the decisions that depend on the passing of time alone.
    private func watchTheClock() async throws {
        let news = watch.follow([], of: "")
        if watch.hasBeaconNews { try await flush() } else { tellStored() }
        ties.onNews(news)
    }

    /// Stores sightings and the decisions that follow from them, and then sends the events to the app. Tries again
    /// while the disk is full.
    ///
    /// - Parameter decides: whether the newest batch changed a standing.
    private func flush(decides: Bool = false) async throws {
        let pending = state.withLock { $0.pending }
        while true {
            do {
                let dropped = try await watch.store.record(
                    pending, decides: decides, keepsSightings: ties.sender != nil, beside: watch)
                if dropped > 0 { told.send(.dropped(sightings: dropped)) }
                break
            } catch LocalStoreError.full {
                told.send(.failed(.deviceFull))
                try await pace.sleep(pace.readSeconds)
            }
        }
        state.withLock { $0.pending.removeFirst(pending.count) }
        tellStored()
        if !pending.isEmpty { wakes.send(()) }
    }

    private func tellStored() {
        for event in watch.takeBeaconEvents() {
            guard var state = watch.beaconState(of: event.region) else { continue }
            state.time = Instant(milliseconds: event.time).date
            switch event.kind {
            case .entered: told.send(.entered(state))
            case .left: told.send(.left(state))
            case .stayed: told.send(.stayed(state))
            case .unknown: told.send(.unknown(state))
            case .found: told.send(.state(state))
            }
        }
    }

    // MARK: Sending

    private func send(by sender: SightingSender, _ wakes: AsyncStream<Void>) async {
        for await _ in wakes {
            while await !sendOnce(by: sender) {
                do { try await pace.sleep(pace.emitSeconds) } catch { return }
            }
        }
    }

    /// Sends all sightings that wait.
    ///
    /// - Returns: whether the server has all of them, or refuses the rest for good.
    private func sendOnce(by sender: SightingSender) async -> Bool {
        var mayRenew = true
        while true {
            let count = Mutex(0)
            defer {
                let sent = count.withLock { $0 }
                if sent > 0 { told.send(.sent(count: sent)) }
            }
            do throws(SightingSender.Failure) {
                try await sender.sendAll { progress in count.withLock { $0 += progress.sent } }
                return true
            } catch {
                if Task.isCancelled { return true }
                if case .unauthorized = error, mayRenew, await ties.renew() {
                    mayRenew = false
                    continue
                }
                told.send(.failed(MusterError(error)))
                return !error.isPassing
            }
        }
    }
}

extension BeaconMonitor {
    /// Runs one body after the other, in the order of the calls.
    private actor Turns {
        private var last: Task<Void, any Error>?

        func enqueue(_ body: @escaping @Sendable () async throws -> Void) async throws {
            let before = last
            let task = Task {
                _ = await before?.result
                try await body()
            }
            last = task
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }
}

extension MusterError {
    /// Converts a failure to send into the error that the app receives.
    fileprivate init(_ failure: SightingSender.Failure) {
        switch failure {
        case .unreachable, .busy, .ahead, .clocksDiffer, .refusing: self = .away(reason: failure.description)
        case .unauthorized(let reason): self = .signInNeeded(reason: reason)
        case .outbox(.full): self = .deviceFull
        case .outbox(let error): self = .storeUnavailable(reason: error.description)
        case .noToken: self = .signedOut
        case .noDevice: self = .unexpected(reason: "the server made no device for this person")
        }
    }
}

extension LocalStore {
    /// Stores sightings and the decisions of the watch that follow from them, in one transaction.
    ///
    /// - Parameters:
    ///   - batches: the sightings, which the watch has already evaluated.
    ///   - decides: whether the last batch changed a standing.
    ///   - keepsSightings: whether a server is to have the sightings.
    /// - Returns: the number of the oldest sightings that were removed because the outbox was full.
    func record(
        _ batches: [SightingBatch], decides: Bool, keepsSightings: Bool, beside watch: RegionWatch
    ) async throws -> Int {
        let (told, dropped) = try await file.write(announces: false) { transaction in
            var dropped = 0
            if keepsSightings {
                let rows = transaction.sightings
                for (index, batch) in batches.enumerated() {
                    try rows.insert(batch, decides: decides && index == batches.count - 1)
                }
                dropped = try rows.makeRoom(limitRows: LocalSightings.rowLimit)
            }
            if decides, watch.storesPresences, let kept = watch.kept(besideFixes: false) {
                try transaction.storeNote(try Self.json(of: kept), note: StoredPresence.note)
            }
            return (try watch.storeBeacons(besideSightings: true, in: transaction), dropped)
        }
        if let told { watch.noteBeaconsStored(through: told, besideSightings: true) }
        return dropped
    }
}
