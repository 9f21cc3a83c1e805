public import MusterGeometry

/// What the engine knows of a device.
struct DeviceState: Hashable, Sendable {
    /// Whose it is; nil for a number that no device has.
    var user: UserNumber?
    // An optional position is copied and let go of in far more steps than a position.
    private var newest = Position(
        coordinate: Coordinate(validLatitude: 0, longitude: 0), sampleTime: Instant(milliseconds: 0),
        receivedTime: Instant(milliseconds: 0))
    /// Whether a position of it is stored.
    private(set) var isHeard = false
    // As they are stored, for those who look into a state without a copy of it.
    private(set) var lastEvaluated = MaybeInstant()
    private var lastSighted = MaybeInstant()
    /// Where it stands, in region order.
    var presences: [Presence] = [] {
        didSet { clearance.end() }
    }
    /// How far it may go until that can change.
    var clearance = Clearance()
    /// Where the confident policy believes it to be; empty until a fix is evaluated under it.
    var track = ConfidentTrack()
    /// Seconds between its fixes of late.
    var intervalSeconds: Float = 0
    /// By how much its clock is ahead; nil once it told a time that counts.
    var lead: ClockLead?
    /// Whether anything was ever decided of it under the confident policy.
    var hasStood = false

    /// The newest stored position by sample time: the baseline of the filters.
    var latest: Position? { isHeard ? newest : nil }

    /// Takes the newest position that is stored.
    @inline(__always)
    mutating func keep(_ position: Position) {
        newest = position
        isHeard = true
    }

    /// The newest sample time that was evaluated; later than `latest` where a filter left the newest out of the store.
    var evaluated: Instant? {
        get { lastEvaluated.instant }
        set { lastEvaluated.instant = newValue }
    }

    /// The newest sample time of a sighting.
    var sighted: Instant? {
        get { lastSighted.instant }
        set { lastSighted.instant = newValue }
    }

    /// Whether its standings are only the last known: after 20 minutes of silence, or three of its intervals.
    func isStale(at now: Instant) -> Bool {
        guard let evaluated else { return false }
        return now.seconds(since: evaluated) > max(1200, 3 * Double(intervalSeconds))
    }

    /// Whether an exit waits to be told.
    var holdsBackAnExit: Bool { presences.contains { $0.leftAt != nil } }

    /// The last fix, where it tells well from where the device goes on; nil while that is in doubt.
    var surestFix: ConfidentFix? {
        guard track.isSettled, isHeard, newest.sampleTime == evaluated else { return nil }
        return ConfidentFix(newest)
    }

    /// Takes note of a position that counts, for what is known of the clock: also of one that a filter leaves out, for
    /// whoever stays put sends no other.
    ///
    /// - Returns: whether it tells that the clock is right again.
    @inline(__always)
    mutating func mendClock(by position: Position) -> Bool {
        guard let lead, lead.isMended(at: position.receivedTime) else { return false }
        self.lead = nil
        return true
    }

    /// Learns from a new fix how often the device reports.
    mutating func noteInterval(to sampleTime: Instant) {
        guard let evaluated else { return }
        let elapsed = Float(sampleTime.seconds(since: evaluated))
        intervalSeconds = intervalSeconds == 0 ? elapsed : 0.8 * intervalSeconds + 0.2 * elapsed
    }
}

/// What the engine knows of a person.
struct PersonState: Hashable, Sendable {
    var team: TeamNumber?
    /// Whether it is one who can be safe or not: no machine that reports for others.
    var isPerson = true
    var safety = Safety(state: .unknown, since: Instant(milliseconds: 0))
    var declared = Declared()
}

/// What the engine knows of a team.
struct TeamState: Hashable, Sendable {
    /// Where its members' devices report.
    var tracker: TrackerNumber?
    var silenceSeconds = Team.defaultSilenceSeconds
}

extension Engine {
    /// The newest position of a device by sample time; nil before its first.
    public func latestPosition(of device: DeviceNumber) -> Position? {
        devices.indices.contains(Int(device.rawValue)) ? devices[Int(device.rawValue)].latest : nil
    }

    /// The newest sample time of a device's that was evaluated; later than that of its latest position where a filter
    /// left the newest out.
    public func evaluatedTime(of device: DeviceNumber) -> Instant? {
        devices.indices.contains(Int(device.rawValue)) ? devices[Int(device.rawValue)].evaluated : nil
    }

    /// By how much a device's clock is ahead of the server's; nil for one that tells times that can be.
    public func clockLead(of device: DeviceNumber) -> ClockLead? {
        devices.indices.contains(Int(device.rawValue)) ? devices[Int(device.rawValue)].lead : nil
    }

    /// What a device is inside of, in region order; an exit that is still held back counts as outside.
    public func presences(of device: DeviceNumber) -> [Presence] {
        standings(of: device).filter { $0.standing == .inside }
    }

    /// Where a device stands to the regions that are not certainly far, in region order.
    public func standings(of device: DeviceNumber) -> [Presence] {
        devices.indices.contains(Int(device.rawValue)) ? devices[Int(device.rawValue)].presences : []
    }

    /// How a device stands to the regions under the confident policy, and how sure that is at this moment.
    public func reports(of device: DeviceNumber) -> [PresenceReport] {
        guard devices.indices.contains(Int(device.rawValue)) else { return [] }
        let state = devices[Int(device.rawValue)]
        return state.presences.compactMap { presence in
            guard let sampleTime = state.evaluated, let rule = atlas.rule(of: presence.region) else { return nil }
            return PresenceReport(
                presence, of: device, insidePercent: insidePercent(presence, rule, state), sampleTime: sampleTime)
        }
    }

    private func insidePercent(_ presence: Presence, _ rule: Atlas.RegionRule, _ state: DeviceState) -> UInt8? {
        guard rule.policy == .confident, presence.doubt != .checking, presence.doubt != .stale, !state.track.isEmpty,
            let distance = atlas.signedDistance(from: state.track.estimate, to: presence.region)
        else { return nil }
        let (_, probability) = ConfidentPolicy.verdict(
            from: presence.standing, signedDistanceMetres: distance.value,
            deviationMetres: state.track.deviationMetres, isSettled: state.track.isSettled, mode: rule.mode)
        return UInt8((probability * 100).rounded())
    }

    /// The regions of a collection, to be asked for places that nobody reported.
    public func regionIndex(of collection: CollectionNumber) -> RegionIndex { atlas.index(of: collection) }

    /// How a person is; unknown since 1970 when never heard of.
    public func safety(of user: UserNumber) -> Safety {
        person(user)?.safety ?? Safety(state: .unknown, since: Instant(milliseconds: 0))
    }
}

/// New states laid over old ones, by index, until they are taken over or thrown away.
struct Overlay<State: Sendable>: Sendable {
    /// For each index, one more than its place in `states`; 0 where nothing lies over it.
    private var places: [Int32] = []
    private var indexes: [Int] = []
    /// The new states, in the order of first setting.
    var states: [State] = []

    subscript(index: Int) -> State? { place(of: index).map { states[$0] } }

    /// Where in `states` the new state of an index is, for those who need a part of it alone.
    @inline(__always)
    func place(of index: Int) -> Int? {
        index < places.count && places[index] > 0 ? Int(places[index]) - 1 : nil
    }

    mutating func set(_ index: Int, to state: State) {
        if let place = place(of: index) {
            states[place] = state
        } else {
            states.append(state)
            _ = noteLast(over: index)
        }
    }

    /// Lays a copy of the old state over an index that has nothing over it, or a fresh one where there is no old one.
    ///
    /// - Returns: its place in `states`.
    mutating func lay(over index: Int, of old: [State], else fresh: @autoclosure () -> State) -> Int {
        if index < old.count { states.append(old[index]) } else { states.append(fresh()) }
        return noteLast(over: index)
    }

    private mutating func noteLast(over index: Int) -> Int {
        if places.count <= index { places += repeatElement(0, count: index + 1 - places.count) }
        indexes.append(index)
        places[index] = Int32(states.count)
        return states.count - 1
    }

    /// Puts every new state in the place of the old one, and is empty afterwards.
    mutating func replace(in old: inout [State]) {
        // Exchanged and not copied: no reference is counted.
        for place in states.indices { swap(&old[indexes[place]], &states[place]) }
        clear()
    }

    /// Forgets all new states.
    mutating func clear() {
        for index in indexes { places[index] = 0 }
        indexes.removeAll(keepingCapacity: true)
        states.removeAll(keepingCapacity: true)
    }
}
