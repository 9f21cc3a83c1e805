import MusterGeometry

/// How far people are from the centres of proximity rules.
extension Engine {
    /// Returns how far everyone whom a rule counts is from its centre at a moment of the server's clock, in the order
    /// of their numbers. Complexity: O(people of the team), some microseconds each near the radius.
    public func proximity(of rule: ProximityRule, now: Instant) -> [ProximityReading] {
        let decision = Decision()
        let centre = centreEstimates(of: rule, now: now, after: decision)
        return countedPeople(of: rule).map { user in
            reading(of: user, from: centre, by: rule, at: now, now: now, after: decision)
        }
    }

    /// Returns the people of the team whom a rule counts, in the order of their numbers.
    func countedPeople(of rule: ProximityRule) -> [UserNumber] {
        attendance.members(of: rule.team).filter { counts($0, by: rule) }
    }

    /// Whether a rule counts a person: the rule's subject selects the person, and the person is not the rule's centre.
    func counts(_ user: UserNumber, by rule: ProximityRule) -> Bool {
        switch rule.centre {
        case .person(let person): if person == user { return false }
        case .device(let device): if owner(of: device) == user { return false }
        }
        return attendance.counts(user, rule.subject, of: rule.team)
    }

    /// Whether a rule's centre is still the team's: its person is a member, or its device a member's.
    func hasCentre(_ rule: ProximityRule) -> Bool {
        let user: UserNumber? =
            switch rule.centre {
            case .person(let person): person
            case .device(let device): owner(of: device)
            }
        return user.map { person($0)?.team == rule.team } ?? false
    }

    /// Returns where the devices of a rule's centre are believed to be. A centre that is no longer the team's is
    /// nowhere.
    func centreEstimates(of rule: ProximityRule, now: Instant, after decision: Decision) -> [PeerEstimate] {
        guard hasCentre(rule) else { return [] }
        let silence = team(rule.team).silenceSeconds
        switch rule.centre {
        case .person(let user): return estimates(of: user, silence: silence, now: now, after: decision)
        case .device(let device):
            return estimate(of: device, silence: silence, now: now, after: decision).map { [$0] } ?? []
        }
    }

    func estimates(
        of user: UserNumber, silence: Double, now: Instant, after decision: Decision
    ) -> [PeerEstimate] {
        ownership.devices(of: user).compactMap { estimate(of: $0, silence: silence, now: now, after: decision) }
    }

    /// Returns where a device is believed to be; nil when it was silent for longer than the team's limit, or when its
    /// last fixes do not decide it. It does not copy the state.
    private func estimate(
        of device: DeviceNumber, silence: Double, now: Instant, after decision: Decision
    ) -> PeerEstimate? {
        let index = Int(device.rawValue)
        if let place = decision.devices.slot(of: index) {
            return estimate(decision.devices.states, place, silence: silence, now: now)
        }
        return devices.indices.contains(index) ? estimate(devices, index, silence: silence, now: now) : nil
    }

    private func estimate(
        _ states: [DeviceState], _ place: Int, silence: Double, now: Instant
    ) -> PeerEstimate? {
        guard let evaluated = states[place].evaluated, now.seconds(since: evaluated) <= silence,
            states[place].track.isSettled
        else { return nil }
        let deviation = states[place].track.deviationMetres
        return PeerEstimate(
            coordinate: states[place].track.estimate, variance: deviation * deviation, at: evaluated,
            speed: Double(states[place].track.speed))
    }

    /// Returns how far a person is from the estimates of a centre.
    ///
    /// - Parameter moment: as of when; nil for the sample time of the newer of each two positions.
    func reading(
        of user: UserNumber, from centre: [PeerEstimate], by rule: ProximityRule, at moment: Instant?, now: Instant,
        after decision: Decision
    ) -> ProximityReading {
        var reading = ProximityReading(user: user, standing: .unknown)
        guard !centre.isEmpty else { return reading }
        let silence = team(rule.team).silenceSeconds
        var found: ProximityStanding?
        var newest: Instant?
        for one in estimates(of: user, silence: silence, now: now, after: decision) {
            for other in centre {
                let newer = max(one.at, other.at)
                let separation = Separation(one, other, at: moment.map { max($0, newer) } ?? newer)
                if newest.map({ newer > $0 }) ?? true {
                    newest = newer
                    (reading.metres, reading.deviationMetres) = (separation.metres, separation.deviationMetres)
                }
                let standing = separation.standing(withinMetres: rule.radiusMetres, rule.demand.mode)
                found = found.map { $0 == standing ? standing : .unknown } ?? standing
            }
        }
        reading.at = newest
        reading.standing = found ?? .unknown
        return reading
    }
}

extension ProximityRule.Demand {
    /// Which mistake about being within the radius is the worse one.
    fileprivate var mode: RegionMode {
        switch self {
        case .fence: .standard
        case .together: .insideIsSafe
        }
    }
}
