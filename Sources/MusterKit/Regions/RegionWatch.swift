public import MusterCore
public import MusterGeometry
public import MusterReplication
import Synchronization

/// What a device knows of the regions around it, without a network: the regions and rules as the server told them
/// last, and how it stands to them, decided by the server's own engine over the same fixes. So a device that was heard
/// from its first fix on decides what the server decides, by the raw policy and by the confident one.
///
/// The server's verdict counts: it sees late fixes and other devices. So what was decided here is taken back where the
/// server says otherwise, told as a difference, and deciding goes on from there.
public final class RegionWatch: Sendable {
    private struct State {
        var device: WatchedDevice
        var incident: Incident?
        /// The run that recorded the newest fix.
        var session = ""
        /// What was told last of how the person is.
        var toldSafety: Safety.State?
        /// When the regions are asked for.
        var pacing = RefreshPacing()
        /// Asks for them, while nobody waits for that.
        var refreshing: Task<Void, Never>?
        /// Stores what the server told last: this goes on where asking was cancelled.
        var storing: Task<Void, any Error>?
        /// What is kept in the store of what the server told, but for the regions themselves.
        var told: Surroundings.Outline?
        /// Whether fixes were decided that are not on the disk yet.
        var isAhead = false
    }

    /// Asked as whoever signed in last.
    private let questions: Mutex<NativeQuestions>
    private let store: LocalStore
    private let now: @Sendable () -> Instant
    private let state: Mutex<State>
    /// Tells whenever `presences`, `safety` or `incident` may have become others.
    let changes = Broadcast<Void>()

    /// Regions that are kept at most.
    public static let regionLimit = 50_000
    /// Seconds after which the regions are asked for again.
    public static let refreshSeconds: Double = 900

    /// A watch for whoever is signed in.
    ///
    /// - Parameter now: this device's time.
    public init(
        session: Session, store: LocalStore, now: @escaping @Sendable () -> Instant = ReplicationPacing.systemNow
    ) {
        questions = Mutex(NativeQuestions(session))
        self.store = store
        self.now = now
        state = Mutex(State(device: WatchedDevice(of: session.user)))
    }

    // MARK: What it knows

    /// How the device stands to the regions near it.
    public var presences: [DevicePresence] {
        state.withLock { state in
            state.device.reports.compactMap { report in
                state.device.name(of: report.region).map { DevicePresence(report, of: $0) }
            }
        }
    }

    /// The regions near the device with what a person reads of them.
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

    /// How the person is, as far as this device alone can tell: safe inside of a muster region, unsafe outside of all;
    /// unknown until the regions are.
    public var safety: DeviceSafety { state.withLock { Self.safety(in: $0) } }

    /// The incident of the person's team that is open, as far as is known.
    public var incident: Incident? { state.withLock { $0.incident } }

    /// The muster regions, the nearest first: where it is safe.
    ///
    /// - Complexity: O(muster regions).
    public func musterRegions(near place: Coordinate, limit: Int = 10) -> [MusterRegion] {
        let device = state.withLock { $0.device }
        let refuges = device.directory.regions.all.filter(\.isMuster).compactMap { region -> MusterRegion? in
            let index = device.engine.regionIndex(of: region.collection)
            guard let name = device.name(of: region.number),
                let inward = index.signedDistance(from: place, to: region.number.rawValue)
            else { return nil }
            return MusterRegion(region: name, title: region.name, distance: Metres(max(0, -inward.value)))
        }
        return Array(refuges.sorted { $0.distance < $1.distance }.prefix(limit))
    }

    // MARK: Asking the server

    /// Asks as a session that was signed in anew, from now on.
    func reauthenticate(as session: Session) { questions.withLock { $0 = NativeQuestions(session) } }

    /// Takes what was told last, and where the device stood last, from the store: it goes on there.
    public func restore() async throws {
        let told = try await store.note(Surroundings.note, as: Surroundings.self)
        let kept = try await store.note(StoredPresence.note, as: StoredPresence.self)
        let recorded = try await kept?.trail(in: store) ?? []
        let now = now()
        if let told { try adopt(told, isStored: true) }
        state.withLock { state in
            guard let kept else { return }
            state.incident = kept.incident
            state.session = kept.session
            kept.restore(&state.device, trail: recorded, now: now)
            // Whoever listens from now on has been told nothing.
            state.toldSafety = nil
        }
        rebuild()
        changes.send(())
    }

    /// Asks the server for the regions and how they are crossed, and keeps that for when there is no network.
    ///
    /// - Throws: `ReplicationError`; then what was known is kept.
    public func refresh() async throws {
        let start = now()
        state.withLock { $0.pacing.begin(at: start) }
        do {
            let told = try await Surroundings.ask(questions.withLock { $0 })
            try adopt(told, isStored: false)
            rebuild()
            state.withLock { $0.pacing.succeed(at: now()) }
            changes.send(())
            try await finishStoring()
        } catch {
            state.withLock { state in
                state.pacing.fail(error)
                // Perhaps it could not be kept: then it is kept the next time.
                state.told = nil
            }
            throw error
        }
    }

    /// Knows from now on what was told. What is long of that is done while nobody waits for the state.
    ///
    /// - Parameter isStored: whether the store has it already.
    private func adopt(_ told: Surroundings, isStored: Bool) throws {
        while true {
            let (known, version) = state.withLock { ($0.device.known, $0.device.knownVersion) }
            let regions = try told.collections.map { try RegionDiff(of: $0, knowing: known[$0.name] ?? [:]) }
            let isAdopted = state.withLock { state in
                // What was known may have become something else meanwhile.
                guard state.device.knownVersion == version else { return false }
                let before = state.told
                state.told = Surroundings.Outline(told)
                state.device.adopt(told, regions, now: now())
                let isAsBefore = state.told == before && regions.allSatisfy(\.areAsBefore)
                // Tens of megabytes are not written again for nothing.
                if !isStored, !isAsBefore {
                    let former = state.storing
                    state.storing = Task {
                        _ = await former?.result
                        try await store.keep(told, note: Surroundings.note)
                    }
                }
                return true
            }
            if isAdopted { return }
        }
    }

    /// Rebuilds the index of regions where many of them changed: fixes are decided meanwhile.
    private func rebuild() {
        while let rebuild = state.withLock({ $0.device.rebuild }) {
            let built = rebuild.build()
            state.withLock { $0.device.take(built) }
        }
    }

    /// Asks the server what it says of this device, and takes that over as far as it knows as much: of a moment before
    /// the last fix, it says nothing about now. Where the regions are due they are asked for aside: of those that were
    /// not known it tells with a later emission.
    ///
    /// - Returns: what there is to tell; nothing where nobody answers.
    func reconcile() async -> [News] {
        guard let verdict = try? await ServerVerdict.ask(questions.withLock({ $0 })) else { return [] }
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
                state.device.stand(verdict.presences(replacing: state.device, where: difference), now: now)
                news.append(.reconciled(difference))
            }
            return news + Self.newSafety(&state)
        }
        if !news.isEmpty { try? await keep() }
        changes.send(())
        refreshAside(at: now)
        return news
    }

    /// Asks for the regions where that is due and nobody does so already. On a poor network tens of thousands take
    /// minutes, and neither an evacuation nor a location waits for them.
    private func refreshAside(at now: Instant) {
        state.withLock { state in
            guard state.refreshing == nil, state.pacing.isDue(at: now) else { return }
            state.refreshing = Task {
                // Who cannot be told now is told after a later emission.
                try? await self.refresh()
                // Another may have been begun since this one was ended.
                if !Task.isCancelled { self.state.withLock { $0.refreshing = nil } }
            }
        }
    }

    /// Waits until what the server told last is in the store.
    func finishStoring() async throws { try await state.withLock { $0.storing }?.value }

    /// Ends asking for regions that nobody waits for.
    func endRefreshing() {
        state.withLock { state in
            defer { state.refreshing = nil }
            return state.refreshing
        }?.cancel()
    }

    // MARK: Deciding

    /// Decides fixes of one run in order, and what time alone changes.
    ///
    /// - Returns: what there is to tell, in order.
    package func follow(_ fixes: [Position], of session: String) -> [News] {
        let now = now()
        defer { changes.send(()) }
        return state.withLock { state in
            if !fixes.isEmpty {
                state.session = session
                state.isAhead = true
            }
            let crossings = state.device.follow(fixes, now: now).compactMap { crossing in
                state.device.name(of: crossing.region).map { News.crossed(DeviceCrossing(crossing, of: $0)) }
            }
            return crossings + Self.newSafety(&state)
        }
    }

    /// Where the device stands, for a note beside the fixes that it follows from; nil without these, while they are
    /// not on the disk: whoever went on from there would never decide them.
    func kept(besideFixes: Bool) -> StoredPresence? {
        state.withLock { state in
            besideFixes || !state.isAhead
                ? StoredPresence(state.device, incident: state.incident, session: state.session) : nil
        }
    }

    /// Notes that all fixes that were decided are on the disk.
    func noteRecorded() { state.withLock { $0.isAhead = false } }

    /// Keeps where the device stands, unless what it follows from is about to be recorded, and the standing with it.
    func keep() async throws { try await store.record([], beside: self) }

    // MARK: Pieces

    /// How the person is, where that is another thing than was told last and an incident asks for it.
    private static func newSafety(_ state: inout State) -> [News] {
        let safety = safety(in: state)
        guard state.incident != nil, safety.state != state.toldSafety else { return [] }
        state.toldSafety = safety.state
        return [.safety(safety)]
    }

    private static func safety(in state: State) -> DeviceSafety {
        let safety = state.device.safety
        // Who knows of no region knows of none where it is safe.
        guard state.device.knowsRegions else { return DeviceSafety(state: .unknown, since: safety.since) }
        return DeviceSafety(
            state: safety.state, since: safety.since, region: safety.region.flatMap { state.device.name(of: $0) })
    }
}
