public import MusterCore
public import MusterGeometry
import MusterMutex
public import MusterReplication

/// The regions that a device knows without a network, and its presences in them. The regions and rules are those of the
/// server's last response; the engine that the server uses evaluates the device's fixes against them. So the device
/// decides what the server decides, under the raw and the confident policy, provided that the server receives the
/// device's fixes from the first one on.
///
/// The server's presences take precedence, because the server sees late fixes and other devices. If they differ, the
/// device adopts the server's, sends the difference as an event, and evaluates later fixes from there.
public final class RegionWatch: Sendable {
    struct State {
        var device: WatchedDevice
        var incident: Incident?
        /// The run that recorded the newest fix.
        var session = ""
        /// The safety of the last event.
        var toldSafety: Safety.State?
        /// Decides when the regions are requested.
        var pacing = RefreshPacing()
        /// The task that requests the regions in the background.
        var refreshing: Task<Void, Never>?
        /// The task that stores the server's last response. It continues when the request's task is cancelled.
        var storing: Task<Void, any Error>?
        /// The stored response of the server without the regions themselves.
        var told: RegionSnapshot.Outline?
        /// Whether fixes were decided that are not on the disk yet.
        var isAhead = false
        /// The decisions that followed from the device's sightings of beacons.
        var beacons = BeaconDecisions()
    }

    /// The requests with the credentials of the present session; nil for regions that the app defines.
    private let questions: Mutex<NativeQuestions?>
    let store: LocalStore
    let now: @Sendable () -> Instant
    let state: Mutex<State>
    /// The id of the note that stores the evidence about beacons.
    let beaconNote: String
    /// Sends a value whenever `presences`, `safety` or `incident` may have changed.
    let changes = Broadcast<Void>()

    /// The largest number of regions on a device.
    public static let regionLimit = 50_000
    /// Seconds between two requests for the regions, unless the server names an unknown region.
    public static let refreshSeconds: Double = 900

    /// Makes a watch with the credentials of a session.
    ///
    /// - Parameters:
    ///   - session: the person whose device it is, and the server from which regions are requested.
    ///   - store: stores the regions and the device's presences.
    ///   - now: the clock of this device.
    public init(
        session: Session, store: LocalStore, now: @escaping @Sendable () -> Instant = ReplicationPacing.systemNow
    ) {
        questions = Mutex(NativeQuestions(session))
        self.store = store
        self.now = now
        state = Mutex(State(device: WatchedDevice(of: session.user)))
        beaconNote = StoredBeacons.note
    }

    /// Makes a watch of regions that the app defines, without a server.
    ///
    /// - Throws: `ReplicationError.malformed` for an invalid region.
    init(_ regions: RegionSnapshot, store: LocalStore, now: @escaping @Sendable () -> Instant) throws {
        questions = Mutex(nil)
        self.store = store
        self.now = now
        var device = WatchedDevice(of: "")
        try device.adopt(regions, now: now())
        state = Mutex(State(device: device))
        beaconNote = StoredBeacons.noteByHand
    }

    // MARK: Present state

    /// The device's presences in the regions near it.
    public var presences: [DevicePresence] {
        state.withLock { state in
            state.device.reports.compactMap { report in
                state.device.name(of: report.region).map { DevicePresence(report, of: $0) }
            }
        }
    }

    /// The regions near the device with their titles.
    func nearbyRegions() -> [(presence: DevicePresence, title: String, isMuster: Bool)] {
        state.withLock { state in
            state.device.reports.compactMap { report in
                guard let region = state.device.directory.regions[report.region],
                    let name = state.device.name(of: report.region)
                else { return nil }
                return (DevicePresence(report, of: name), region.name, region.isMuster)
            }
        }
    }

    /// The person's safety by this device's evaluation: safe inside a muster region, unsafe outside all of them, and
    /// unknown while the regions are unknown or the device has no recent position.
    public var safety: DeviceSafety { state.withLock { Self.safety(in: $0) } }

    /// The open incident of the person's team, by the server's last response; nil if there is none.
    public var incident: Incident? { state.withLock { $0.incident } }

    /// Returns the muster regions, the nearest first.
    ///
    /// - Complexity: O(muster regions).
    public func musterRegions(near place: Coordinate, limit: Int = 10) -> [MusterRegion] {
        let device = state.withLock { $0.device }
        let regions = device.directory.regions.all.filter(\.isMuster).compactMap { region -> MusterRegion? in
            let index = device.engine.regionIndex(of: region.collection)
            guard let name = device.name(of: region.number),
                let inward = index.signedDistance(from: place, to: region.number.rawValue)
            else { return nil }
            return MusterRegion(region: name, title: region.name, distance: Metres(max(0, -inward.value)))
        }
        return Array(regions.sorted { $0.distance < $1.distance }.prefix(limit))
    }

    // MARK: Requests to the server

    /// Uses the credentials of another session of the same person from now on.
    func reauthenticate(as session: Session) { questions.withLock { $0 = NativeQuestions(session) } }

    /// Restores the server's last response and the device's last presences from the store.
    public func restore() async throws {
        let told = try await store.cachedValue(of: RegionSnapshot.note, as: RegionSnapshot.self)
        let kept = try await store.cachedValue(of: StoredPresence.note, as: StoredPresence.self)
        let recorded = try await kept?.trail(in: store) ?? []
        let now = now()
        if let told { try adopt(told, isStored: true) }
        state.withLock { state in
            guard let kept else { return }
            state.incident = kept.incident
            state.session = kept.session
            kept.restore(&state.device, trail: recorded, now: now)
            // Subscribers of this run have received no safety yet.
            state.toldSafety = nil
        }
        try await restoreBeacons()
        rebuild()
        changes.send(())
    }

    /// Requests the regions and their policies from the server, and stores them for times without a network.
    ///
    /// - Throws: `ReplicationError`, after which the known regions stay; `LocalStoreError` if they cannot be stored.
    public func refresh() async throws {
        let start = now()
        state.withLock { $0.pacing.begin(at: start) }
        do {
            guard let questions = questions.withLock({ $0 }) else { return }
            let told = try await RegionSnapshot.request(from: questions)
            try adopt(told, isStored: false)
            rebuild()
            state.withLock { $0.pacing.succeed(at: now()) }
            changes.send(())
            try await finishStoring()
        } catch {
            state.withLock { state in
                state.pacing.fail(error)
                // Storing may have failed: then the next response is stored even if it is equal.
                state.told = nil
            }
            throw error
        }
    }

    /// Adopts a response of the server. The long parts run without holding the state's lock.
    ///
    /// - Parameter isStored: whether the store already has this response.
    private func adopt(_ told: RegionSnapshot, isStored: Bool) throws {
        while true {
            let (known, version) = state.withLock { ($0.device.known, $0.device.knownVersion) }
            let regions = try told.collections.map { try RegionDiff(of: $0, knowing: known[$0.name] ?? [:]) }
            let isAdopted = state.withLock { state in
                // Another response may have been adopted meanwhile.
                guard state.device.knownVersion == version else { return false }
                let before = state.told
                state.told = RegionSnapshot.Outline(told)
                state.device.adopt(told, regions, now: now())
                let isAsBefore = state.told == before && regions.allSatisfy(\.areAsBefore)
                // An unchanged response, which may be tens of megabytes, is not written again.
                if !isStored, !isAsBefore {
                    let former = state.storing
                    state.storing = Task {
                        _ = await former?.result
                        try await store.storeValue(told, note: RegionSnapshot.note)
                    }
                }
                return true
            }
            if isAdopted { return }
        }
    }

    /// Rebuilds the index of regions if many of them changed. Fixes are evaluated meanwhile.
    private func rebuild() {
        while let rebuild = state.withLock({ $0.device.rebuild }) {
            let built = rebuild.build()
            state.withLock { $0.device.adopt(built) }
        }
    }

    /// Requests the server's presences of this device and adopts them, if the server has evaluated the device's last
    /// fix; older presences are out of date. If the regions are due, a background task requests them, and presences in
    /// new regions follow with a later emission.
    ///
    /// - Returns: the events that follow; an empty list if the server does not answer.
    func reconcile() async -> [News] {
        guard let questions = questions.withLock({ $0 }),
            let verdict = try? await ServerVerdict.request(from: questions)
        else {
            return []
        }
        let now = now()
        let news = state.withLock { state in
            if verdict.inside.contains(where: { state.device.region($0) == nil }) { state.pacing.isOutdated = true }
            var news: [News] = []
            if state.incident != verdict.incident {
                if state.incident?.number != verdict.incident?.number { state.toldSafety = nil }
                state.incident = verdict.incident
                news.append(.incident(verdict.incident))
            }
            if let difference = verdict.difference(to: state.device) {
                state.device.replacePresences(verdict.presences(replacing: state.device, where: difference), now: now)
                news.append(.reconciled(difference))
            }
            return news + Self.newSafety(&state)
        }
        if !news.isEmpty { try? await storePresences() }
        changes.send(())
        refreshAside(at: now)
        return news
    }

    /// Requests the regions in the background, if they are due and no request is under way. On a slow network tens of
    /// thousands of regions take minutes, and neither an incident nor a location waits for them.
    private func refreshAside(at now: Instant) {
        state.withLock { state in
            guard state.refreshing == nil, state.pacing.isDue(at: now) else { return }
            state.refreshing = Task {
                // A request that fails is repeated after a later emission.
                try? await self.refresh()
                // Another request may have begun since this one was cancelled.
                if !Task.isCancelled { self.state.withLock { $0.refreshing = nil } }
            }
        }
    }

    /// Waits until the server's last response is in the store.
    func finishStoring() async throws { try await state.withLock { $0.storing }?.value }

    /// Cancels the background request for the regions.
    func endRefreshing() {
        state.withLock { state in
            defer { state.refreshing = nil }
            return state.refreshing
        }?.cancel()
    }

    // MARK: Deciding

    /// Evaluates fixes of one run in order, and then the changes that follow from the passing of time alone.
    ///
    /// - Returns: the events that follow, in order.
    package func follow(_ fixes: [Position], of session: String) -> [News] {
        let now = now()
        defer { changes.send(()) }
        return state.withLock { state in
            if !fixes.isEmpty {
                state.session = session
                state.isAhead = true
            }
            let before = state.device.beaconStandings
            let crossings = state.device.follow(fixes, now: now)
            state.beacons.add(crossings, on: state.device, before: before, at: now)
            return Self.news(of: crossings, on: &state)
        }
    }

    /// Returns the device's presences, to be stored in one transaction with the fixes that they follow from; nil if
    /// fixes were evaluated that are neither on the disk nor part of this transaction, because a restart from these
    /// presences would skip those fixes.
    func kept(besideFixes: Bool) -> StoredPresence? {
        state.withLock { state in
            besideFixes || !state.isAhead
                ? StoredPresence(state.device, incident: state.incident, session: state.session) : nil
        }
    }

    /// Records that all evaluated fixes are on the disk.
    func noteRecorded() { state.withLock { $0.isAhead = false } }

    /// Stores the device's presences, unless the fixes that they follow from are about to be recorded together with
    /// them.
    func storePresences() async throws { try await store.record([], beside: self) }

    // MARK: Pieces

    /// Returns the events that crossings cause, including changes of the person's safety.
    static func news(of crossings: [Crossing], on state: inout State) -> [News] {
        let crossed = crossings.compactMap { crossing in
            state.device.name(of: crossing.region).map { News.crossed(DeviceCrossing(crossing, of: $0)) }
        }
        return crossed + newSafety(&state)
    }

    /// The person's safety as an event, if an incident is open and it differs from the last event.
    private static func newSafety(_ state: inout State) -> [News] {
        let safety = safety(in: state)
        guard state.incident != nil, safety.state != state.toldSafety else { return [] }
        state.toldSafety = safety.state
        return [.safety(safety)]
    }

    private static func safety(in state: State) -> DeviceSafety {
        let safety = state.device.safety
        // A device that knows no regions cannot know that the person is outside the muster regions.
        guard state.device.knowsRegions else { return DeviceSafety(state: .unknown, since: safety.since) }
        return DeviceSafety(
            state: safety.state, since: safety.since, region: safety.region.flatMap { state.device.name(of: $0) })
    }
}
