// The server's engine for one person with one phone, which decides about them as the server would. Scripts/wasm
// compiles this file into the WebAssembly module, and into the native program with which Tests/Wasm compares the
// module. It is no part of the Swift package.

/// One phone: its engine, which has its regions, and the changes that the engine last decided.
final class Phone {
    private(set) var engine = Engine()
    private var decision = Decision()
    private var tracker = Tracker(number: Phone.tracker, name: "own", filter: .none, collections: [])
    /// The changes that the engine decided in the last call, in order.
    private(set) var changes: [Change] = []

    static let user = UserNumber(1)
    static let device = DeviceNumber(1)
    private static let team = TeamNumber(1)
    private static let tracker = TrackerNumber(1)

    /// Creates a phone that has no regions and no position.
    init() {
        engine.apply(.putTracker(tracker))
        engine.apply(.putTeam(Team(number: Self.team, name: "own", tracker: Self.tracker)))
        engine.apply(.putUser(User(number: Self.user, name: "own", role: .member, team: Self.team)))
        engine.apply(.putDevice(Device(number: Self.device, name: "own", user: Self.user)))
    }

    // MARK: Regions

    /// Sets how the team's tracker filters positions, and after how many seconds of silence a person is unknown.
    func setTeam(filter: PositionFilter, silenceSeconds: Double, worksAtZero: Bool) {
        tracker.filter = filter
        tracker.worksAtZero = worksAtZero
        engine.apply(.putTracker(tracker))
        engine.apply(
            .putTeam(Team(number: Self.team, name: "own", tracker: Self.tracker, silenceSeconds: silenceSeconds)))
    }

    /// Puts a collection and links the team's tracker to it.
    func put(_ collection: RegionCollection) {
        engine.apply(.putCollection(collection))
        guard !tracker.collections.contains(collection.number) else { return }
        tracker.collections.append(collection.number)
        engine.apply(.putTracker(tracker))
    }

    func put(_ region: Region) { engine.apply(.putRegion(region)) }

    func remove(_ region: RegionNumber) {
        guard let collection = engine.catalog.collection(of: region) else { return }
        engine.apply(.removeRegion(region, from: collection))
    }

    /// Rebuilds the index of regions, in 0.7 µs a vertex: queries are quick after many edits, with the same results.
    func rebuild() {
        while let plan = engine.rebuild { engine.adopt(plan.build()) }
    }

    /// Evaluates again what edits of regions may have changed. Reports no crossing.
    func review(now: Instant) {
        while engine.isReviewDue {
            engine.review(now: now, into: &decision)
            settle()
        }
    }

    /// The numbers of the collections to which the team's tracker is linked.
    var collections: [CollectionNumber] { tracker.collections }

    // MARK: Fixes

    /// Evaluates a fix as the server does on receipt, with the effects of the time that has passed since.
    ///
    /// - Returns: how the engine handled the fix; nil when the fix repeats the phone's last one.
    func follow(_ position: Position) -> Verdict? {
        changes.removeAll(keepingCapacity: true)
        let last = engine.locatedPosition(of: Self.device)
        if let last, last.sampleTime == position.sampleTime, last.coordinate == position.coordinate { return nil }
        let verdict = engine.decidePosition(
            position, of: Self.device, now: position.receivedTime, into: &decision)
        settle()
        return verdict
    }

    /// Applies the effects of the passing of time: silence, a delayed exit, a standing that became stale.
    func sweep(now: Instant) {
        changes.removeAll(keepingCapacity: true)
        engine.sweep(now: now, into: &decision)
        settle()
    }

    private func settle() {
        decision.takeChanges { changes.append($0) }
        decision.takeEntries { _ in }
        engine.adopt(&decision)
    }

    // MARK: Answers

    /// What the engine knows of the phone, such as its track.
    var state: DeviceState { engine.state(of: Self.device, after: Decision()) }

    /// The probability that the phone is inside a region, 0 to 1. Nil for a region under the raw policy that is no
    /// muster region, while the phone's fixes are checked, and before the first fix.
    func probability(of region: RegionNumber) -> Double? {
        let state = state
        guard let rule = engine.catalog.rule(of: region), rule.policy == .confident || rule.isMuster,
            !state.track.isEmpty, !state.track.isChecking,
            let distance = engine.catalog.signedDistance(from: state.track.estimate, to: region)
        else { return nil }
        return normalProbability(below: distance.value / state.track.deviationMetres)
    }
}
