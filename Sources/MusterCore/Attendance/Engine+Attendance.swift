/// Where people are: in a region, elsewhere, or not known.
extension Engine {
    /// Returns whether a person is in a region.
    ///
    /// The person's devices must agree. A device that was silent for longer than the team's limit does not count, nor
    /// does one that the region's scanner cannot hear. In a raw collection the engine decides attendance only for
    /// muster regions and beacon regions; in its other regions it is unknown.
    func attendance(
        of user: UserNumber, in region: RegionNumber, now: Instant, after decision: Decision
    ) -> Attendance {
        guard people.indices.contains(Int(user.rawValue)), let rule = catalog.rule(of: region) else { return .unknown }
        let team = team(people[Int(user.rawValue)].team)
        guard catalog.tracker(team.tracker).isLinked(to: rule.collection) else { return .unknown }
        var found: Attendance?
        for device in ownership.devices(of: user) {
            let index = Int(device.rawValue)
            let word: Attendance?
            if let place = decision.devices.slot(of: index) {
                word = attendance(
                    decision.devices.states, place, device, region, rule, silence: team.silenceSeconds, now, decision)
            } else {
                word = attendance(devices, index, device, region, rule, silence: team.silenceSeconds, now, decision)
            }
            guard let word else { continue }
            if word == .unknown || found.map({ $0 != word }) ?? false { return .unknown }
            found = word
        }
        return found ?? .unknown
    }

    /// Returns the next moment at which silence may change what is known of a person; nil when it cannot.
    func nextSilence(of user: UserNumber, now: Instant, after decision: Decision) -> Instant? {
        guard people.indices.contains(Int(user.rawValue)) else { return nil }
        let limit = team(people[Int(user.rawValue)].team).silenceSeconds
        return ownership.devices(of: user).lazy.flatMap { device -> [Instant] in
            let index = Int(device.rawValue)
            let moments =
                decision.devices.slot(of: index).map { decision.devices.states[$0].lastFixes }
                ?? (devices.indices.contains(index) ? devices[index].lastFixes : [])
            // A millisecond later, because a silence of exactly the limit does not exceed it.
            return moments.map { $0.advanced(bySeconds: limit + 0.001) }.filter { $0 > now }
        }.min()
    }

    /// Returns whether a device's owner is in a region, by this device alone; nil when the device does not know. It
    /// does not copy the state.
    private func attendance(
        _ states: [DeviceState], _ place: Int, _ device: DeviceNumber, _ region: RegionNumber,
        _ rule: RegionCatalog.RegionRule, silence: Double, _ now: Instant, _ decision: Decision
    ) -> Attendance? {
        guard states.indices.contains(place) else { return nil }
        if let beacon = rule.beacon {
            return attendance(states, place, device, region, beacon, silence: silence, now, decision)
        }
        guard let evaluated = states[place].evaluated, now.seconds(since: evaluated) <= silence else { return nil }
        if isUnderReview(device, after: decision) || states[place].track.isChecking || !states[place].hasStood {
            return .unknown
        }
        guard rule.policy == .confident || rule.isShelter else { return .unknown }
        let presences = rule.policy == .confident ? states[place].presences : states[place].musterPresences
        guard let presence = presences.first(where: { $0.region == region }) else {
            return catalog.mayMiss(region, by: states[place].track) ? .unknown : .absent
        }
        let evidence = states[place].shelterEvidence
        let isOutlived =
            presence.standing == .inside
            && (rule.isShelter && (evidence.seemsToHaveLeft || evidence.isOfJump)
                || isOutlived(states, place, in: region, rule, silence: silence, now: now))
        return isOutlived ? .unknown : presence.attendance
    }

    /// Returns whether a device's owner is in a beacon region, by this device alone. Without a presence there, the
    /// owner is elsewhere if the listener was listening in the last two minutes, or if the device's own position is far
    /// from the place.
    private func attendance(
        _ states: [DeviceState], _ place: Int, _ device: DeviceNumber, _ region: RegionNumber, _ beacon: BeaconRule,
        silence: Double, _ now: Instant, _ decision: Decision
    ) -> Attendance? {
        let isElsewhere = beacon.place.map { states[place].contradicts($0, at: now, bySampleTime: false) } ?? false
        if let presence = states[place].presences.first(where: { $0.region == region }) {
            if isUnderReview(device, after: decision) { return .unknown }
            return presence.attendance == .present && isElsewhere ? .unknown : presence.attendance
        }
        if isElsewhere { return .absent }
        let listened: Instant?
        switch beacon.area.source {
        case .beacons: listened = states[place].listenedUntil
        case .scanner(let scanner):
            guard catalog.beacons.isTag(device) else { return nil }
            listened = state(of: scanner, after: decision).listenedUntil
        }
        guard let listened, now.seconds(since: listened) <= BeaconPolicy.silenceSeconds else { return nil }
        return .absent
    }
}

extension DeviceState {
    /// The times of the newest evaluated fix and of the last good fix, if there are any.
    fileprivate var lastFixes: [Instant] { [evaluated, lastFineFix].compactMap { $0 } }
}

extension Presence {
    /// The owner's attendance that follows from the presence.
    fileprivate var attendance: Attendance {
        switch standing {
        case .inside: doubt == nil ? .present : .unknown
        case .outside: .absent
        case .unknown: .unknown
        }
    }
}
