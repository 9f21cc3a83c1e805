import MusterCore
import MusterGeometry
import MusterWire

/// What a device knows of itself without a network: the server's engine with one person in it, who has this device.
///
/// The numbers are this device's own; outside of it regions go by their names.
struct WatchedDevice: Sendable {
    private(set) var directory = Directory()
    private(set) var engine = Engine()
    private var decision = Decision()
    /// Where it was of late, for a track that must be taken up again.
    private(set) var trail: [Position] = []
    /// Whether it was ever told what there is to cross.
    private(set) var knowsRegions = false
    // No number is given twice, so that what is gone is never taken for what came after it.
    private var lastCollection: Int32 = 0
    private var lastRegion: Int32 = 0

    private static let user = UserNumber(1)
    private static let device = DeviceNumber(1)
    private static let team = TeamNumber(1)
    private static let tracker = TrackerNumber(1)
    /// Fixes of a trail at most.
    static let trailLimit = 1_000

    /// A device that was nowhere yet, and knows of no region.
    init(of user: String) {
        _ = carryOut([
            .putTracker(Tracker(number: Self.tracker, name: "own", filter: .none, collections: [])),
            .putTeam(Team(number: Self.team, name: "own", tracker: Self.tracker)),
            .putUser(User(number: Self.user, name: user, role: .member, team: nil)),
            .putDevice(Device(number: Self.device, name: "own", user: Self.user)),
        ])
    }

    /// The newest position that is kept, by sample time.
    var latest: Position? { engine.latestPosition(of: Self.device) }

    /// The newest sample time that was evaluated: a filter by time leaves fixes out that move it nevertheless.
    var evaluated: Instant? {
        guard directory.trackers[Self.tracker]?.filter == .timeBased else { return latest?.sampleTime }
        return trail.last?.sampleTime ?? latest?.sampleTime
    }

    /// How its person is, as far as this device can tell.
    var safety: Safety { engine.safety(of: Self.user) }

    /// How it stands to the regions near it, in region order.
    var standings: [Presence] { engine.standings(of: Self.device) }

    /// How it stands to the regions near it, and how sure that is.
    var reports: [PresenceReport] { engine.reports(of: Self.device) }

    /// By which name a region is known; nil when it is gone.
    func name(of region: RegionNumber) -> RegionWatch.Name? {
        guard let region = directory.regions[region], let collection = directory.collections[region.collection] else {
            return nil
        }
        return RegionWatch.Name(collection: collection.name, id: region.id)
    }

    /// Which region has a name; nil when it is not known.
    func region(_ name: RegionWatch.Name) -> RegionNumber? {
        directory.collections[name.collection].flatMap { directory.region(name.id, in: $0.number)?.number }
    }

    // MARK: What there is to cross

    /// Knows from now on what was told, and goes on where it stands.
    ///
    /// - Throws: `ReplicationFault.malformed`; then nothing has changed.
    /// - Complexity: O(regions), and O(n log n) for the rings of a region with n vertices.
    mutating func adopt(_ told: Surroundings, now: Instant) throws {
        let drafts = try told.collections.map { try Surroundings.regions(of: $0) }
        var edits: [Edit] = []
        let links = Set(told.collections.map(\.name))
        for former in directory.collections.all where !links.contains(former.name) {
            edits += directory.removal(of: former.number)
        }
        var numbers: [CollectionNumber] = []
        for (collection, drafts) in zip(told.collections, drafts) {
            let policy = CrossingPolicy(rawValue: collection.policy) ?? .confident
            let number = directory.collections[collection.name]?.number ?? nextCollection()
            numbers.append(number)
            let entry = RegionCollection(number: number, name: collection.name, policy: policy)
            if directory.collections[number] != entry { edits.append(.putCollection(entry)) }
            edits += regionEdits(drafts, in: number)
        }
        let filter = told.team.flatMap { PositionFilter(rawValue: $0.filter) } ?? PositionFilter.none
        let tracker = Tracker(number: Self.tracker, name: "own", filter: filter, collections: numbers)
        if directory.trackers[Self.tracker] != tracker { edits.append(.putTracker(tracker)) }
        let silence = told.team.map { Surroundings.Team.silence($0.silenceSeconds) } ?? Team.defaultSilenceSeconds
        edits.append(
            .putTeam(Team(number: Self.team, name: "own", tracker: Self.tracker, silenceSeconds: silence)))
        if var user = directory.users[Self.user] {
            user.team = told.team == nil ? nil : Self.team
            edits.append(.putUser(user))
        }
        knowsRegions = true
        guard carryOut(edits) else { return }
        engine.review(now: now, into: &decision)
        _ = takeCrossings()
    }

    /// What makes a collection's regions those that were told.
    private mutating func regionEdits(_ drafts: [RegionDraft], in collection: CollectionNumber) -> [Edit] {
        var edits: [Edit] = []
        var gone = Set(directory.regions(in: collection))
        for draft in drafts {
            guard let id = draft.id else { continue }
            let former = directory.region(id, in: collection)
            let region = Region(
                number: former?.number ?? nextRegion(), collection: collection, id: id, name: draft.name ?? id,
                shape: draft.shape, isMuster: draft.isMuster, mode: draft.mode, dwellSeconds: draft.dwellSeconds,
                exitDelaySeconds: draft.exitDelaySeconds)
            gone.remove(region.number)
            if former != region { edits.append(.putRegion(region)) }
        }
        return edits + gone.sorted().map { .removeRegion($0, from: collection) }
    }

    private mutating func nextCollection() -> CollectionNumber {
        lastCollection += 1
        return CollectionNumber(lastCollection)
    }

    private mutating func nextRegion() -> RegionNumber {
        lastRegion += 1
        return RegionNumber(lastRegion)
    }

    /// - Returns: whether the person's safety may have changed with it.
    private mutating func carryOut(_ edits: [Edit]) -> Bool {
        var reviewIsDue = false
        for edit in edits {
            directory.apply(edit)
            if engine.apply(edit) { reviewIsDue = true }
        }
        while let rebuild = engine.rebuild { engine.adopt(rebuild.build()) }
        return reviewIsDue
    }

    // MARK: Deciding

    /// Decides fixes in order, as the server will, and then what time alone changes.
    ///
    /// - Returns: what that crosses, in order.
    mutating func follow(_ fixes: [Position], now: Instant) -> [Crossing] {
        let observations = fixes.map { Observation.position($0, of: Self.device) }
        var index = 0
        var tally = Tally()
        while let question = engine.decide(observations, from: &index, now: now, into: &decision, tally: &tally) {
            switch question {
            // Known already, or older than what is known: neither moves anything.
            case .isStored: index += 1
            case .trail(of: _, let until):
                engine.recall(trail.filter { $0.sampleTime <= until }, of: Self.device, into: &decision)
            }
        }
        // What is ahead of the clock moves nothing.
        remember(fixes.filter { !Engine.isAhead($0.sampleTime, of: now) })
        let crossings = takeCrossings()
        engine.sweep(now: now, into: &decision)
        return crossings + takeCrossings()
    }

    private mutating func remember(_ fixes: [Position]) {
        for fix in fixes where trail.last.map({ $0.sampleTime < fix.sampleTime }) ?? true { trail.append(fix) }
        guard let last = trail.last else { return }
        let start = last.sampleTime.advanced(bySeconds: -Engine.trailSeconds)
        let stale = trail.prefix { $0.sampleTime < start }.count
        trail.removeFirst(max(stale, trail.count - Self.trailLimit))
    }

    /// What was decided, taken over.
    private mutating func takeCrossings() -> [Crossing] {
        var crossings: [Crossing] = []
        decision.takeChanges { change in
            if case .crossing(let crossing) = change { crossings.append(crossing) }
        }
        decision.takeEntries { _ in }
        engine.adopt(&decision)
        return crossings
    }

    // MARK: What others know

    /// Stands as others say, from now on.
    ///
    /// - Parameter presences: in any order.
    mutating func stand(_ presences: [Presence], now: Instant) {
        engine.take(presences.sorted { $0.region < $1.region }, of: Self.device)
        engine.review(now: now, into: &decision)
        _ = takeCrossings()
    }

    /// Goes on where it was before a restart, as far as that still holds.
    ///
    /// - Parameters:
    ///   - latest: the newest position.
    ///   - trail: where it was until then, ascending.
    mutating func goOn(
        from latest: Position, trail: [Position], presences: [Presence], safety: Safety, now: Instant
    ) {
        engine = Engine(
            directory: directory, positions: [(Self.device, latest)],
            presences: [(Self.device, presences.sorted { $0.region < $1.region })], safety: [(Self.user, safety)])
        self.trail = []
        remember(trail)
        engine.review(now: now, into: &decision)
        _ = takeCrossings()
    }
}
