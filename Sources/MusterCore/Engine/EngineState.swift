/// What the engine knows of a device.
struct DeviceState: Hashable, Sendable {
    /// Whose it is; nil for a number that no device has.
    var user: UserNumber?
    /// The newest stored position by sample time: the baseline of the filters.
    var latest: Position?
    /// The newest sample time that was evaluated; later than `latest` where a filter left the newest out of the store.
    var evaluated: Instant?
    /// The newest sample time of a sighting.
    var sighted: Instant?
    /// What it is inside of, in region order.
    var presences: [Presence] = []
}

/// What the engine knows of a person.
struct PersonState: Hashable, Sendable {
    var team: TeamNumber?
    var safety = Safety(state: .unknown, since: Instant(milliseconds: 0))
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

    /// What a device is inside of, in region order; an exit that is still held back counts as outside.
    public func presences(of device: DeviceNumber) -> [Presence] {
        guard devices.indices.contains(Int(device.rawValue)) else { return [] }
        return devices[Int(device.rawValue)].presences.filter { $0.leftAt == nil }
    }

    /// How a person is; unknown since 1970 when never heard of.
    public func safety(of user: UserNumber) -> Safety {
        person(user)?.safety ?? Safety(state: .unknown, since: Instant(milliseconds: 0))
    }
}

/// New states laid over old ones, by index, until they are taken over or thrown away.
struct Overlay<State: Sendable>: Sendable {
    /// For each index, one more than its place in `entries`; 0 where nothing lies over it.
    private var places: [Int32] = []
    private var entries: [(index: Int, state: State)] = []

    subscript(index: Int) -> State? {
        guard places.indices.contains(index), places[index] > 0 else { return nil }
        return entries[Int(places[index]) - 1].state
    }

    mutating func set(_ index: Int, to state: State) {
        while places.count <= index { places.append(0) }
        if places[index] > 0 {
            entries[Int(places[index]) - 1].state = state
        } else {
            entries.append((index, state))
            places[index] = Int32(entries.count)
        }
    }

    /// Hands out every state once, in the order of first setting, and is empty afterwards.
    mutating func drain(_ body: (Int, State) -> Void) {
        for entry in entries {
            places[entry.index] = 0
            body(entry.index, entry.state)
        }
        entries.removeAll(keepingCapacity: true)
    }
}
