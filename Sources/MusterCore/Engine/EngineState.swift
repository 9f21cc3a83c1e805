import MusterGeometry

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
    /// Where it stands, in region order.
    var presences: [Presence] = []
    /// Where the confident policy believes it to be; empty until a fix is evaluated under it.
    var track = ConfidentTrack()
    /// Seconds between its fixes of late.
    var intervalSeconds: Float = 0
    /// Whether anything was ever decided of it under the confident policy.
    var hasStood = false

    /// Seconds of silence after which its standings are only the last known: 20 minutes, or three of its intervals.
    var staleSeconds: Double { max(1200, 3 * Double(intervalSeconds)) }

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
