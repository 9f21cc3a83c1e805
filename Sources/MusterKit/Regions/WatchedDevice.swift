import MusterCore
import MusterWire

/// The state of a device without a network: the server's engine with one person, who has this device.
///
/// Its region and collection numbers are valid on this device only. Other types refer to regions by name.
struct WatchedDevice: Sendable {
    private(set) var directory = Directory()
    var engine = Engine()
    var decision = Decision()
    /// Whether this device has ever evaluated sightings of beacons.
    var listensForBeacons = false
    /// The regions that sightings of beacons decide, in the order of their numbers.
    private(set) var beaconRegions: [Region] = []
    /// The beacons that were heard at the newest moment of a sighting.
    var heardNow: Set<Beacon> = []
    /// The newest evaluated fixes, for a track that must be restored.
    private(set) var trail: [Position] = []
    /// Whether the server has ever sent the regions.
    private(set) var knowsRegions = false
    /// The region of each feature of the server's last answer, by the collection's name.
    private(set) var known: [String: KnownRegions] = [:]
    /// A version that grows whenever the regions may have changed.
    private(set) var knownVersion = 0
    // No number is used twice, so that a removed region is never mistaken for a later one.
    private var lastCollection: Int32 = 0
    private var lastRegion: Int32 = 0

    private static let user = UserNumber(1)
    static let device = DeviceNumber(1)
    private static let team = TeamNumber(1)
    private static let tracker = TrackerNumber(1)
    /// The largest number of fixes in a trail.
    static let trailLimit = 1_000

    /// Makes a device without positions and regions.
    init(of user: String) {
        _ = applyEdits([
            .putTracker(Tracker(number: Self.tracker, name: "own", filter: .none, collections: [])),
            .putTeam(Team(number: Self.team, name: "own", tracker: Self.tracker)),
            .putUser(User(number: Self.user, name: user, role: .member, team: nil)),
            .putDevice(Device(number: Self.device, name: "own", user: Self.user)),
        ])
    }

    /// The newest stored position, by sample time.
    var latest: Position? { engine.latestPosition(of: Self.device) }

    /// The newest evaluated sample time. It also counts fixes that the team's filter does not store.
    var evaluated: Instant? { engine.evaluatedTime(of: Self.device) }

    /// The person's safety by this device's evaluation.
    var safety: Safety { engine.safety(of: Self.user) }

    /// The presences in the regions near it, ordered by region.
    var standings: [Presence] { engine.shownStandings(of: Self.device) }

    /// The presences that the events follow, which differ from `standings` for muster regions of raw collections.
    var eventStandings: [Presence] { engine.standings(of: Self.device) }

    /// The presences in the muster regions of raw collections, by the confident policy.
    var musterPresences: [Presence] { engine.musterPresences(of: Self.device) }

    /// What the last fixes say about its being inside a muster region.
    var shelterEvidence: ShelterEvidence { engine.shelterEvidence(of: Self.device) }

    /// The presences in the regions near it with their probabilities.
    var reports: [PresenceReport] { engine.reports(of: Self.device) }

    /// The name of a region; nil if it was removed.
    func name(of region: RegionNumber) -> RegionWatch.Name? {
        guard let region = directory.regions[region], let collection = directory.collections[region.collection] else {
            return nil
        }
        return RegionWatch.Name(collection: collection.name, id: region.id)
    }

    /// The region of a name; nil if it is not known.
    func region(_ name: RegionWatch.Name) -> RegionNumber? {
        directory.collections[name.collection].flatMap { directory.region(name.id, in: $0.number)?.number }
    }

    // MARK: Regions

    /// Adopts the regions of a server's answer. Presences in regions that stay are kept.
    ///
    /// - Throws: `ReplicationError.malformed`, after which nothing has changed.
    /// - Complexity: that of making each `RegionDiff`, and of building the index of regions.
    mutating func adopt(_ told: RegionSnapshot, now: Instant) throws {
        adopt(told, try told.collections.map { try RegionDiff(of: $0, knowing: known[$0.name] ?? [:]) }, now: now)
        while let rebuild { adopt(rebuild.build()) }
    }

    /// The index that should be rebuilt in the background; nil if none should.
    var rebuild: RegionCatalogRebuild? { engine.rebuild }

    /// Adopts a rebuilt index. Regions that changed meanwhile stay changed.
    mutating func adopt(_ built: BuiltCollection) { engine.adopt(built) }

    /// Adopts the regions of a server's answer. Presences in regions that stay are kept.
    ///
    /// - Parameter regions: the difference of each collection to its regions on this device.
    /// - Complexity: O(log regions) for each region that is new, changed or removed. If there are many, `rebuild`
    ///   returns an index to rebuild; until then lookups return the same and take longer.
    mutating func adopt(_ told: RegionSnapshot, _ regions: [RegionDiff], now: Instant) {
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
        let tracker = Tracker(
            number: Self.tracker, name: "own", filter: filter, collections: numbers,
            worksAtZero: told.team?.worksAtZero ?? false)
        if directory.trackers[Self.tracker] != tracker { edits.append(.putTracker(tracker)) }
        let silence = told.team.map { RegionSnapshot.Team.silence($0.silenceSeconds) } ?? Team.defaultSilenceSeconds
        edits.append(
            .putTeam(Team(number: Self.team, name: "own", tracker: Self.tracker, silenceSeconds: silence)))
        if var user = directory.users[Self.user] {
            user.team = told.team == nil ? nil : Self.team
            edits.append(.putUser(user))
        }
        knowsRegions = true
        knownVersion += 1
        let isReviewDue = applyEdits(edits)
        beaconRegions = directory.regions.all.filter { $0.beacon != nil }
        guard isReviewDue else { return }
        engine.review(now: now, into: &decision)
        _ = takeCrossings()
    }

    /// The edits that turn a collection's regions into those of the server.
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
                // A scanner is another device, so its regions get the number of no device here.
                shape: draft.shape, beacon: draft.beacon?.area { _ in DeviceNumber(-1) },
                // By whichever it is one: the device only follows it.
                isMuster: draft.isMuster || draft.isMusterByRule, mode: draft.mode, dwellSeconds: draft.dwellSeconds,
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

    /// - Returns: whether the edits may have changed the person's safety.
    private mutating func applyEdits(_ edits: [Edit]) -> Bool {
        var reviewIsDue = false
        for edit in edits {
            directory.apply(edit)
            if engine.apply(edit) { reviewIsDue = true }
        }
        return reviewIsDue
    }

    // MARK: Deciding

    /// Evaluates fixes in order, as the server will, and then the changes that follow from the passing of time alone.
    ///
    /// - Returns: the crossings, in order.
    mutating func follow(_ fixes: [Position], now: Instant) -> [Crossing] {
        adjustTimes(to: now)
        // Nothing is received in the future, so a fix with a later time is ahead of this device's clock.
        let observations = fixes.map { fix in
            var fix = fix
            fix.receivedTime = min(max(fix.receivedTime, fix.sampleTime), now)
            return Observation.position(fix, of: Self.device)
        }
        var index = 0
        var tally = Tally()
        while let question = engine.decideBatch(observations, from: &index, now: now, into: &decision, tally: &tally) {
            switch question {
            // A fix that is stored already, or is older than the newest one, changes no presence.
            case .isStored: index += 1
            case .trail(of: _, let until):
                engine.restore(trail.filter { $0.sampleTime <= until }, of: Self.device, into: &decision)
            }
        }
        let crossings = takeCrossings()
        // A fix that the filter does not store is evaluated nevertheless. A fix ahead of the clock is not evaluated.
        remember(fixes.filter { !Engine.isAhead($0.sampleTime, of: now) })
        engine.sweep(now: now, into: &decision)
        return crossings + takeCrossings()
    }

    /// Adjusts the state to this device's clock, as the server does with its own, when the clock was set back. What was
    /// evaluated at times that lie ahead of the clock counts as evaluated now, so that the next fix counts.
    private mutating func adjustTimes(to now: Instant) {
        guard let evaluated, Engine.isAhead(evaluated, of: now) else { return }
        engine.adjustTimes(to: now, wasOff: false)
        trail.removeAll { $0.sampleTime > now }
    }

    private mutating func remember(_ fixes: [Position]) {
        for fix in fixes where trail.last.map({ $0.sampleTime < fix.sampleTime }) ?? true {
            // A fix that the engine does not believe is no part of the track.
            if !engine.isMisplaced(fix, of: Self.device, after: decision) { trail.append(fix) }
        }
        guard let last = trail.last else { return }
        let start = last.sampleTime.advanced(bySeconds: -Engine.trailSeconds)
        let stale = trail.prefix { $0.sampleTime < start }.count
        trail.removeFirst(max(stale, trail.count - Self.trailLimit))
    }

    /// Adopts the decision, and returns its crossings.
    mutating func takeCrossings() -> [Crossing] {
        var crossings: [Crossing] = []
        decision.takeChanges { change in
            if case .crossing(let crossing) = change { crossings.append(crossing) }
        }
        decision.takeEntries { _ in }
        engine.adopt(&decision)
        return crossings
    }

    // MARK: Presences of the server and of the store

    /// Replaces the device's presences by the server's.
    ///
    /// - Parameter presences: in any order.
    mutating func replacePresences(_ presences: [Presence], now: Instant) {
        engine.setPresences(presences.sorted { $0.region < $1.region }, of: Self.device)
        engine.review(now: now, into: &decision)
        _ = takeCrossings()
    }

    /// Restores the state from before a restart, for the regions that still exist.
    ///
    /// - Parameters:
    ///   - latest: the newest stored position.
    ///   - evaluated: the newest evaluated sample time.
    ///   - trail: the newest fixes, ascending, beginning with one that was evaluated.
    mutating func restore(
        from latest: Position, evaluated: Instant, trail: [Position], presences: [Presence],
        musterPresences: [Presence], safety: Safety, evidence: ShelterEvidence, now: Instant
    ) {
        engine = Engine(
            directory: directory, positions: [(Self.device, latest)],
            presences: [(Self.device, presences.sorted { $0.region < $1.region })],
            musterPresences: [(Self.device, musterPresences.sorted { $0.region < $1.region })],
            safety: [(Self.user, safety)])
        engine.resume(evaluatedThrough: evaluated, of: Self.device)
        engine.resume(evidence, of: Self.device)
        self.trail = []
        remember(trail)
        adjustTimes(to: now)
        engine.reviewEveryone()
        engine.review(now: now, into: &decision)
        _ = takeCrossings()
    }
}
