public import MusterGeometry

// The engine's states, and what other code may read of them: positions, presences, safety.

/// The engine's state of one person.
struct PersonState: Hashable, Sendable {
    var team: TeamNumber?
    /// Whether safety is derived for the user; false for a gateway, which is a machine that reports for others.
    var isPerson = true
    /// The crew of that team that the user is in.
    var crew: CrewNumber?
    var safety = Safety(state: .unknown, since: Instant(milliseconds: 0))
    var declared = Declared()
}

/// The engine's state of one team.
struct TeamState: Hashable, Sendable {
    /// The tracker that the members' devices report to.
    var tracker: TrackerNumber?
    var silenceSeconds = Team.defaultSilenceSeconds
    var incidents = IncidentSettings()
}

extension Engine {
    /// Returns the newest stored position of a device by sample time; nil before its first.
    public func latestPosition(of device: DeviceNumber) -> Position? {
        devices.indices.contains(Int(device.rawValue)) ? devices[Int(device.rawValue)].latest : nil
    }

    /// Returns the newest evaluated sample time of a device. It is later than that of its latest position when a filter
    /// kept the newest position out of the store.
    public func evaluatedTime(of device: DeviceNumber) -> Instant? {
        devices.indices.contains(Int(device.rawValue)) ? devices[Int(device.rawValue)].evaluated : nil
    }

    /// Returns the newest evaluated position of a device, stored or not, with the sample time that the device gave it;
    /// nil before the first.
    public func locatedPosition(of device: DeviceNumber) -> Position? {
        devices.indices.contains(Int(device.rawValue)) ? devices[Int(device.rawValue)].located : nil
    }

    /// Returns when the server last received anything from a device; nil before the first time.
    public func heardTime(of device: DeviceNumber) -> Instant? {
        devices.indices.contains(Int(device.rawValue)) ? devices[Int(device.rawValue)].heard : nil
    }

    /// Returns the error of a device's clock; nil while no sample shows an error.
    public func clockSkew(of device: DeviceNumber) -> ClockSkew? {
        devices.indices.contains(Int(device.rawValue)) ? devices[Int(device.rawValue)].clockSkew : nil
    }

    /// Returns where the engine believes a device to be, and the fixes that it checks; nil before the first fix.
    public func belief(of device: DeviceNumber) -> Belief? {
        guard devices.indices.contains(Int(device.rawValue)) else { return nil }
        return devices[Int(device.rawValue)].belief
    }

    /// Returns a device's presences with the standing inside, in region order. While an exit is held back, the device
    /// counts as outside.
    public func presences(of device: DeviceNumber) -> [Presence] {
        standings(of: device).filter { $0.standing == .inside }
    }

    /// Returns the presences of a device, in region order. It has none in a region that it is certainly far from.
    public func standings(of device: DeviceNumber) -> [Presence] {
        devices.indices.contains(Int(device.rawValue)) ? devices[Int(device.rawValue)].presences : []
    }

    /// Returns the sightings of a device in a beacon region; nil when there are none.
    public func track(of device: DeviceNumber, in region: RegionNumber) -> BeaconTrack? {
        devices.indices.contains(Int(device.rawValue))
            ? devices[Int(device.rawValue)].memory.track(in: region) : nil
    }

    /// Returns a device's presences as clients see them, each with its present probability. Muster regions of a raw
    /// collection are among them with their confident presence, because safety always follows the confident policy.
    public func reports(of device: DeviceNumber) -> [PresenceReport] {
        guard devices.indices.contains(Int(device.rawValue)) else { return [] }
        let state = devices[Int(device.rawValue)]
        return shownStandings(of: device).compactMap { presence in
            guard let rule = catalog.rule(of: presence.region) else { return nil }
            if rule.beacon != nil { return report(presence, of: device, heard: state.memory) }
            guard let sampleTime = state.evaluated else { return nil }
            return PresenceReport(
                presence, of: device, insidePercent: insidePercent(presence, rule, state), sampleTime: sampleTime)
        }
    }

    /// Returns the presences of a device as clients see them, in region order. In muster regions they are those of the
    /// confident policy, whatever the policy of the collection.
    public func shownStandings(of device: DeviceNumber) -> [Presence] {
        guard devices.indices.contains(Int(device.rawValue)) else { return [] }
        let state = devices[Int(device.rawValue)]
        return (state.presences.filter { catalog.isShown($0.region) } + state.musterPresences)
            .sorted { $0.region < $1.region }
    }

    /// Returns a device's presences in the muster regions of raw collections, in region order.
    public func musterPresences(of device: DeviceNumber) -> [Presence] {
        devices.indices.contains(Int(device.rawValue)) ? devices[Int(device.rawValue)].musterPresences : []
    }

    private func report(_ presence: Presence, of device: DeviceNumber, heard memory: BeaconMemory) -> PresenceReport {
        let track = memory.track(in: presence.region)
        let percent = track.flatMap { probability(of: $0, isHeld: presence.standing == .inside) }
            .map { UInt8(($0 * 100).rounded()) }
        return PresenceReport(
            presence, of: device, insidePercent: presence.doubt == nil ? percent : nil,
            sampleTime: track?.lastHit ?? presence.since)
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

    /// Returns the index of a collection's regions, for queries about places that no device reported.
    public func regionIndex(of collection: CollectionNumber) -> RegionIndex { catalog.index(of: collection) }

    /// Returns a person's safety: unknown since 1970 for a person about whom the engine knows nothing.
    public func safety(of user: UserNumber) -> Safety {
        person(user)?.safety ?? Safety(state: .unknown, since: Instant(milliseconds: 0))
    }
}

/// New states over old ones, by index, until the caller applies or discards them.
struct Overlay<State: Sendable>: Sendable {
    /// For each index, one more than the place of its new state in `states`; 0 when it has none.
    private var places: [Int32] = []
    private var indexes: [Int] = []
    /// The new states, in the order in which they were first set.
    var states: [State] = []

    /// The indexes that have a new state, in the order in which it was first set.
    var touched: [Int] { indexes }

    subscript(index: Int) -> State? { slot(of: index).map { states[$0] } }

    /// Returns the place in `states` of an index's new state, for a caller that needs a part of the state without a
    /// copy of all of it.
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

    /// Gives an index that has no new state a copy of its old one, or a fresh state when it has no old one.
    ///
    /// - Returns: the place of the new state in `states`.
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

    /// Replaces every old state by the new one of its index, and empties the overlay.
    mutating func replace(in old: inout [State]) {
        // `swap` counts no references; a copy would.
        for place in states.indices { swap(&old[indexes[place]], &states[place]) }
        clear()
    }

    /// Discards all new states.
    mutating func clear() {
        for index in indexes { places[index] = 0 }
        indexes.removeAll(keepingCapacity: true)
        states.removeAll(keepingCapacity: true)
    }
}
