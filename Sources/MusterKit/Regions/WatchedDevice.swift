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
    /// Where it was of late, as far as that was evaluated, for a track that must be taken up again.
    private(set) var trail: [Position] = []
    /// Whether it was ever told what there is to cross.
    private(set) var knowsRegions = false
    /// Which region each feature was that was told last, by the collection's name.
    private(set) var known: [String: KnownRegions] = [:]
    /// Grows when the regions may have become others.
    private(set) var knownVersion = 0
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
    var evaluated: Instant? { engine.evaluatedTime(of: Self.device) }

    /// How its person is, as far as this device can tell.
    var safety: Safety { engine.safety(of: Self.user) }

    /// How it stands to the regions near it, in region order.
    var standings: [Presence] { engine.shownStandings(of: Self.device) }

    /// The same as the events of their collections have it, which differs for muster regions of raw collections.
    var eventStandings: [Presence] { engine.standings(of: Self.device) }

    /// How it stands to the muster regions of raw collections.
    var refuges: [Presence] { engine.refuges(of: Self.device) }

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
    /// - Throws: `ReplicationError.malformed`; then nothing has changed.
    /// - Complexity: that of reading `RegionDiff`, and of building the index of regions.
    mutating func adopt(_ told: Surroundings, now: Instant) throws {
        adopt(told, try told.collections.map { try RegionDiff(of: $0, knowing: known[$0.name] ?? [:]) }, now: now)
        while let rebuild { take(rebuild.build()) }
    }

    /// The index of regions that should be rebuilt, aside; nil where none should.
    var rebuild: RegionCatalogRebuild? { engine.rebuild }

    /// Takes an index that was rebuilt; what has changed meanwhile stays changed.
    mutating func take(_ built: BuiltCollection) { engine.adopt(built) }

    /// Knows from now on what was told, and goes on where it stands.
    ///
    /// - Parameter regions: those of each collection, read against what is known of it now.
    /// - Complexity: O(log regions) for each that is new, another or gone. Where they are many, the index asks to be
    ///   rebuilt; until that is done, it answers the same and slower.
    mutating func adopt(_ told: Surroundings, _ regions: [RegionDiff], now: Instant) {
        var edits: [Edit] = []
        let links = Set(told.collections.map(\.name))
        for former in directory.collections.all where !links.contains(former.name) {
            edits += directory.removal(of: former.number)
            known[former.name] = nil
        }
        var numbers: [CollectionNumber] = []
        for (collection, regions) in zip(told.collections, regions) {
            let policy = CrossingPolicy(rawValue: collection.policy) ?? .confident
            let number = directory.collections[collection.name]?.number ?? nextCollection()
            numbers.append(number)
            let entry = RegionCollection(number: number, name: collection.name, policy: policy)
            if directory.collections[number] != entry { edits.append(.putCollection(entry)) }
            edits += regionEdits(regions, in: number, called: collection.name)
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
        knownVersion += 1
        guard carryOut(edits) else { return }
        engine.review(now: now, into: &decision)
        _ = takeCrossings()
    }

    /// What makes a collection's regions those that were told.
    private mutating func regionEdits(
        _ told: RegionDiff, in collection: CollectionNumber, called name: String
    ) -> [Edit] {
        var edits: [Edit] = []
        var gone = Set(told.gone)
        var known = told.kept
        for (digest, draft) in told.new {
            guard let id = draft.id else { continue }
            let former = directory.region(id, in: collection)
            let region = Region(
                number: former?.number ?? nextRegion(), collection: collection, id: id, name: draft.name ?? id,
                shape: draft.shape, isMuster: draft.isMuster, mode: draft.mode, dwellSeconds: draft.dwellSeconds,
                exitDelaySeconds: draft.exitDelaySeconds)
            gone.remove(region.number)
            known[digest] = region.number
            if former != region { edits.append(.putRegion(region)) }
        }
        self.known[name] = known
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
        return reviewIsDue
    }

    // MARK: Deciding

    /// Decides fixes in order, as the server will, and then what time alone changes.
    ///
    /// - Returns: what that crosses, in order.
    mutating func follow(_ fixes: [Position], now: Instant) -> [Crossing] {
        // Nothing is received before it is taken; what is ahead of the device's own clock is received now.
        let observations = fixes.map { fix in
            var fix = fix
            fix.receivedTime = min(max(fix.receivedTime, fix.sampleTime), max(now, fix.receivedTime))
            return Observation.position(fix, of: Self.device)
        }
        var index = 0
        var tally = Tally()
        while let question = engine.decideBatch(observations, from: &index, now: now, into: &decision, tally: &tally) {
            switch question {
            // Known already, or older than what is known: neither moves anything.
            case .isStored: index += 1
            case .trail(of: _, let until):
                engine.restore(trail.filter { $0.sampleTime <= until }, of: Self.device, into: &decision)
            }
        }
        let crossings = takeCrossings()
        // What a filter does not keep is evaluated all the same. What is ahead of the clock moves nothing.
        remember(fixes.filter { !Engine.isAhead($0.sampleTime, of: now) })
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
    ///   - latest: the newest position that is kept.
    ///   - evaluated: the newest sample time that was evaluated.
    ///   - trail: where it was until then, ascending, beginning with what was evaluated.
    mutating func goOn(
        from latest: Position, evaluated: Instant, trail: [Position], presences: [Presence], refuges: [Presence],
        safety: Safety, now: Instant
    ) {
        engine = Engine(
            directory: directory, positions: [(Self.device, latest)],
            presences: [(Self.device, presences.sorted { $0.region < $1.region })],
            refuges: [(Self.device, refuges.sorted { $0.region < $1.region })], safety: [(Self.user, safety)])
        engine.resume(evaluatedThrough: evaluated, of: Self.device)
        self.trail = []
        remember(trail)
        engine.reviewEveryone()
        engine.review(now: now, into: &decision)
        _ = takeCrossings()
    }
}
