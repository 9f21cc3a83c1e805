/// How far people are from the centres of proximity rules.
extension Engine {
    /// Returns how far everyone whom a rule counts is from its centre at a moment of the server's clock, in the order
    /// of their numbers. Complexity: O(people of the team), some microseconds each near the radius.
    public func proximity(of rule: ProximityRule, now: Instant) -> [ProximityReading] {
        let decision = Decision()
        let centre = centre(of: rule, now: now, after: decision)
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

    /// Whether a rule's centre still belongs to its team: the person is a member, or the device is a member's.
    func hasCentre(_ rule: ProximityRule) -> Bool {
        let user: UserNumber? =
            switch rule.centre {
            case .person(let person): person
            case .device(let device): owner(of: device)
            }
        return user.map { person($0)?.team == rule.team } ?? false
    }

    /// Returns where the devices of a rule's centre are believed to be, and how far they are from others by fresh
    /// ranges; nothing for a centre that no longer belongs to the team.
    func centre(of rule: ProximityRule, now: Instant, after decision: Decision) -> ProximityCentre {
        guard hasCentre(rule) else { return ProximityCentre() }
        let silence = team(rule.team).silenceSeconds
        let devices: [DeviceNumber] =
            switch rule.centre {
            case .person(let user): Array(ownership.devices(of: user))
            case .device(let device): [device]
            }
        return ProximityCentre(
            estimates: devices.compactMap { estimate(of: $0, silence: silence, now: now, after: decision) },
            ranges: freshRanges(with: devices, silence: silence, now: now, after: decision))
    }

    func estimates(
        of user: UserNumber, silence: Double, now: Instant, after decision: Decision
    ) -> [PeerEstimate] {
        ownership.devices(of: user).compactMap { estimate(of: $0, silence: silence, now: now, after: decision) }
    }

    /// Returns where a device is believed to be; nil when it was silent for longer than the team's limit, or when its
    /// last fixes do not decide it. It does not copy the state.
    func estimate(
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
        let track = states[place].track
        var estimate = PeerEstimate(
            coordinate: track.estimate, variance: track.deviationMetres * track.deviationMetres, at: evaluated,
            speed: Double(track.speed))
        if let newest = states[place].located {
            estimate.loosen(by: ConfidentFix(newest), fineAgeSeconds: track.fineAgeSeconds)
        }
        return estimate
    }

    /// Returns how far a person is from a centre, by positions and by fresh ranges. A simulated range counts only when
    /// no range was measured and the positions do not decide.
    ///
    /// - Parameter moment: the moment to which the distance applies; nil for the sample time of the newer of each two
    ///   positions, or of the newest evidence when there is a range.
    func reading(
        of user: UserNumber, from centre: ProximityCentre, by rule: ProximityRule, at moment: Instant?, now: Instant,
        after decision: Decision
    ) -> ProximityReading {
        guard !centre.isEmpty else { return ProximityReading(user: user, standing: .unknown) }
        let silence = team(rule.team).silenceSeconds
        let estimates = estimates(of: user, silence: silence, now: now, after: decision)
        let ranges = centre.ranges[user] ?? []
        let measured = ranges.filter(\.source.isMeasured)
        let known = reading(of: user, at: estimates, measured, from: centre, by: rule, at: moment, now: now)
        guard known.standing == .unknown, measured.isEmpty, !ranges.isEmpty else { return known }
        let invented = reading(of: user, at: estimates, ranges, from: centre, by: rule, at: moment, now: now)
        return invented.standing != .unknown || known.metres == nil ? invented : known
    }

    /// Returns how far a person is from a centre, by positions and by these ranges.
    private func reading(
        of user: UserNumber, at estimates: [PeerEstimate], _ ranges: [RangeEstimate], from centre: ProximityCentre,
        by rule: ProximityRule, at moment: Instant?, now: Instant
    ) -> ProximityReading {
        if ranges.isEmpty { return reading(of: user, at: estimates, from: centre, by: rule, as: moment) }
        var instant = (ranges.map(\.at) + [moment].compactMap { $0 }).max() ?? now
        if !centre.estimates.isEmpty && !estimates.isEmpty {
            instant = (estimates + centre.estimates).reduce(instant) { max($0, $1.at) }
        }
        let measured = ranges.map {
            DistanceEvidence(separation: $0.separation(at: instant), at: $0.at, source: $0.source)
        }
        let located = estimates.flatMap { one in
            centre.estimates.map { other in
                DistanceEvidence(separation: Separation(one, other, at: instant), at: max(one.at, other.at))
            }
        }
        var reading = reading(of: user, at: estimates, from: centre, by: rule, as: instant)
        guard let best = measured.min(by: { $0.separation.deviationMetres < $1.separation.deviationMetres }) else {
            return reading
        }
        let isSurer = located.allSatisfy { best.separation.deviationMetres <= $0.separation.deviationMetres }
        if isSurer {
            (reading.metres, reading.deviationMetres) = (best.separation.metres, best.separation.deviationMetres)
            (reading.at, reading.source) = (best.at, best.source)
            reading.standing = best.separation.standing(
                withinMetres: rule.radiusMetres, rule.demand.mode, isRange: best.source != .fixes)
        }
        let isContradicted = measured.contains { range in
            (measured + located).contains { range.contradicts($0) }
        }
        if isContradicted { reading.standing = .unknown }
        return reading
    }

    /// Returns how far a person is from a centre by positions alone.
    private func reading(
        of user: UserNumber, at estimates: [PeerEstimate], from centre: ProximityCentre, by rule: ProximityRule,
        as moment: Instant?
    ) -> ProximityReading {
        var reading = ProximityReading(user: user, standing: .unknown)
        var found: ProximityStanding?
        for one in estimates {
            for other in centre.estimates {
                let newer = max(one.at, other.at)
                let separation = Separation(one, other, at: moment.map { max($0, newer) } ?? newer)
                if reading.at.map({ newer > $0 }) ?? true {
                    reading.at = newer
                    (reading.metres, reading.deviationMetres) = (separation.metres, separation.deviationMetres)
                }
                let standing = separation.standing(withinMetres: rule.radiusMetres, rule.demand.mode)
                found = found.map { $0 == standing ? standing : .unknown } ?? standing
            }
        }
        reading.standing = found ?? .unknown
        return reading
    }
}

/// The positions and ranges that locate the centre of a rule.
struct ProximityCentre {
    /// Where its devices are believed to be.
    var estimates: [PeerEstimate] = []
    /// The fresh ranges between its devices and others, by the owner of the other device.
    var ranges: [UserNumber: [RangeEstimate]] = [:]

    var isEmpty: Bool { estimates.isEmpty && ranges.isEmpty }
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
