public import MusterGeometry

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
    var incidents = IncidentSettings()
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

    /// The newest position of a device that was evaluated, stored or not, with the sample time that the device gave it;
    /// nil before the first.
    public func locatedPosition(of device: DeviceNumber) -> Position? {
        devices.indices.contains(Int(device.rawValue)) ? devices[Int(device.rawValue)].located : nil
    }

    /// When the server last received anything from a device; nil before the first.
    public func heardTime(of device: DeviceNumber) -> Instant? {
        devices.indices.contains(Int(device.rawValue)) ? devices[Int(device.rawValue)].heard : nil
    }

    /// By how much a device's clock is off; nil for one that tells times that can be.
    public func clockSkew(of device: DeviceNumber) -> ClockSkew? {
        devices.indices.contains(Int(device.rawValue)) ? devices[Int(device.rawValue)].clockSkew : nil
    }

    /// Where a device is believed to be, and where its fixes seem to be while they are not believed; nil before the
    /// first.
    public func belief(of device: DeviceNumber) -> Belief? {
        guard devices.indices.contains(Int(device.rawValue)) else { return nil }
        return devices[Int(device.rawValue)].belief
    }

    /// What a device is inside of, in region order; an exit that is still held back counts as outside.
    public func presences(of device: DeviceNumber) -> [Presence] {
        standings(of: device).filter { $0.standing == .inside }
    }

    /// Where a device stands to the regions that are not certainly far, in region order.
    public func standings(of device: DeviceNumber) -> [Presence] {
        devices.indices.contains(Int(device.rawValue)) ? devices[Int(device.rawValue)].presences : []
    }

    /// How a device stands to the regions under the confident policy, and how sure that is at this moment. Muster
    /// regions of a raw collection are among them: who is safe is always decided confidently.
    public func reports(of device: DeviceNumber) -> [PresenceReport] {
        guard devices.indices.contains(Int(device.rawValue)) else { return [] }
        let state = devices[Int(device.rawValue)]
        return shownStandings(of: device).compactMap { presence in
            guard let sampleTime = state.evaluated, let rule = catalog.rule(of: presence.region) else { return nil }
            return PresenceReport(
                presence, of: device, insidePercent: insidePercent(presence, rule, state), sampleTime: sampleTime)
        }
    }

    /// Where a device stands to the regions that are not certainly far, in region order, as people are told: in muster
    /// regions by the confident policy, whatever their collection's.
    public func shownStandings(of device: DeviceNumber) -> [Presence] {
        guard devices.indices.contains(Int(device.rawValue)) else { return [] }
        let state = devices[Int(device.rawValue)]
        return (state.presences.filter { catalog.isShown($0.region) } + state.refuges).sorted { $0.region < $1.region }
    }

    /// How a device stands to the muster regions of raw collections, in region order.
    public func refuges(of device: DeviceNumber) -> [Presence] {
        devices.indices.contains(Int(device.rawValue)) ? devices[Int(device.rawValue)].refuges : []
    }

    private func insidePercent(_ presence: Presence, _ rule: RegionCatalog.RegionRule, _ state: DeviceState) -> UInt8? {
        guard rule.policy == .confident || rule.isMuster, presence.doubt != .checking, presence.doubt != .stale,
            !state.track.isEmpty,
            let distance = catalog.signedDistance(from: state.track.estimate, to: presence.region)
        else { return nil }
        let (_, probability) = ConfidentPolicy.verdict(
            from: presence.standing, signedDistanceMetres: distance.value,
            deviationMetres: state.track.deviationMetres, isSettled: state.track.isSettled, mode: rule.mode)
        return UInt8((probability * 100).rounded())
    }

    /// The regions of a collection, to be asked for places that nobody reported.
    public func regionIndex(of collection: CollectionNumber) -> RegionIndex { catalog.index(of: collection) }

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

    /// The indexes that something lies over, in the order of first setting.
    var touched: [Int] { indexes }

    subscript(index: Int) -> State? { slot(of: index).map { states[$0] } }

    /// Where in `states` the new state of an index is, for those who need a part of it alone.
    @inline(__always)
    func slot(of index: Int) -> Int? {
        index < places.count && places[index] > 0 ? Int(places[index]) - 1 : nil
    }

    mutating func set(_ index: Int, to state: State) {
        if let place = slot(of: index) {
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
