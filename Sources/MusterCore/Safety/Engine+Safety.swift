extension Engine {
    /// Works out a person's safety anew and records it when it differs; during an incident also on its record, which
    /// closes once everyone is accounted for.
    ///
    /// What stands of what people declared comes first (`Declared`). Otherwise a device speaks for its owner until it
    /// falls silent: unsafe as soon as one that speaks is outside every muster region, so that a tablet left behind in
    /// safety does not make its owner safe. A device of which it is not yet decided whether it is inside says nothing.
    ///
    /// - Parameter decidedAt: the sample time that a change is dated with.
    func deriveSafety(
        of user: UserNumber?, now: Instant, decidedAt: Instant, into decision: inout Decision
    ) {
        guard let user, let person = decidedPerson(user, after: decision),
            let changed = renewSafety(of: user, person, now: now, decidedAt: decidedAt, into: &decision)
        else { return }
        follow(user, changed, now: now, into: &decision)
    }

    /// Works out how someone is, and records it when it differs.
    ///
    /// - Returns: the person when their safety changed.
    func renewSafety(
        of user: UserNumber, _ person: PersonState, now: Instant, decidedAt: Instant, into decision: inout Decision
    ) -> PersonState? {
        var renewed = person
        let derived = safety(of: person, user, now: now, decidedAt: decidedAt, after: decision)
        renewed.declared.outlive(
            derived.state, decidedAt: decidedAt, now: now, silenceSeconds: team(of: person).silenceSeconds)
        var safety = renewed.declared.safety(over: derived)
        if safety.state == person.safety.state { safety.since = person.safety.since }
        renewed.safety = safety
        // Compared with what was last recorded: `person` may hold a declaration that was only just made.
        guard renewed != decidedPerson(user, after: decision) else { return nil }
        decision.record(renewed, of: user, isTold: safety != person.safety)
        return safety == person.safety ? nil : renewed
    }

    /// Makes unknown whoever has been silent beyond their team's limit, carries out exits that were held back long
    /// enough, tells calls for help again that nobody acknowledged, and keeps the rolls of open incidents. To be called
    /// every few seconds.
    ///
    /// - Complexity: O(people + devices), some nanoseconds each.
    public func sweep(now: Instant, into decision: inout Decision) {
        for index in devices.indices where !devices[index].presences.isEmpty {
            let device = DeviceNumber(Int32(index))
            if devices[index].holdsBackAnExit { releaseHeldExits(of: device, now: now, into: &decision) }
            if devices[index].isStale(at: now) { doubtStandings(of: device, now: now, into: &decision) }
        }
        for index in people.indices where people[index].safety.state != .unknown {
            let user = UserNumber(Int32(index))
            deriveSafety(of: user, now: now, decidedAt: now, into: &decision)
            if people[index].safety.state.isCall { remind(of: user, now: now, into: &decision) }
        }
        keepRolls(now: now, into: &decision)
    }

    /// Whether a person's safety is known, and a device last heard then spoke for them already: so that hearing
    /// it again where it stood changes nothing.
    func isKnown(_ user: UserNumber?, lastHeard: Instant?, now: Instant, after decision: Decision) -> Bool {
        guard let user, let lastHeard else { return false }
        // Asked for every observation: so the state is not copied.
        func isKnown(_ states: [PersonState], _ place: Int) -> Bool {
            states[place].safety.state != .unknown
                && now.seconds(since: lastHeard) <= team(states[place].team).silenceSeconds
        }
        let index = Int(user.rawValue)
        if let place = decision.people.place(of: index) { return isKnown(decision.people.states, place) }
        return people.indices.contains(index) && isKnown(people, index)
    }

    func decidedPerson(_ user: UserNumber, after decision: Decision) -> PersonState? {
        decision.people[Int(user.rawValue)] ?? person(user)
    }

    private func safety(
        of person: PersonState, _ user: UserNumber, now: Instant, decidedAt: Instant, after decision: Decision
    ) -> Safety {
        let silenceSeconds = team(of: person).silenceSeconds
        var refuge: RegionNumber?
        var lastHeard: Instant?
        var speaks = false
        for device in ownership.devices(of: user) {
            guard let latest = progress(of: device, after: decision).evaluated else { continue }
            lastHeard = max(lastHeard ?? latest, latest)
            if now.seconds(since: latest) > silenceSeconds { continue }
            switch musterStanding(of: device, preferring: person.safety.region, after: decision) {
            case .undecided: continue
            case .none: return Safety(state: .unsafe, since: decidedAt)
            case .region(let region):
                speaks = true
                refuge = refuge ?? region
            }
        }
        if speaks { return Safety(state: .safe, since: decidedAt, region: refuge) }
        // Silent since the limit passed; or heard, and not yet decided.
        let silentSince = lastHeard.map { min($0.advanced(bySeconds: silenceSeconds), decidedAt) }
        let before = person.safety
        return Safety(state: .unknown, since: silentSince ?? (before.state == .unknown ? before.since : decidedAt))
    }

    /// How a device stands to the muster regions.
    private enum MusterStanding {
        case region(RegionNumber)
        /// It is inside of none.
        case none
        /// It may be inside of one.
        case undecided
    }

    private func musterStanding(
        of device: DeviceNumber, preferring former: RegionNumber?, after decision: Decision
    ) -> MusterStanding {
        let index = Int(device.rawValue)
        // Asked for every observation: so the states are not copied.
        if let place = decision.devices.place(of: index) {
            return musterStanding(decision.devices.states[place].presences, preferring: former)
        }
        return devices.indices.contains(index)
            ? musterStanding(devices[index].presences, preferring: former) : .none
    }

    /// Inside of one rather than undecided; of the one that counted before, if that still holds.
    private func musterStanding(_ presences: [Presence], preferring former: RegionNumber?) -> MusterStanding {
        var first: RegionNumber?
        var isUndecided = false
        for presence in presences {
            guard atlas.rule(of: presence.region)?.isMuster == true else { continue }
            switch presence.standing {
            case .inside:
                if presence.region == former { return .region(presence.region) }
                first = first ?? presence.region
            case .unknown: isUndecided = true
            case .outside: continue
            }
        }
        if let first { return .region(first) }
        return isUndecided ? .undecided : .none
    }

    private func releaseHeldExits(of device: DeviceNumber, now: Instant, into decision: inout Decision) {
        var state = state(of: device, after: decision)
        state.presences.removeAll { presence in
            guard let leftAt = presence.leftAt else { return false }
            guard let rule = atlas.rule(of: presence.region) else { return true }
            guard now.seconds(since: leftAt) >= rule.exitDelaySeconds else { return false }
            decision.bench.changes.append(
                .crossing(Crossing(kind: .exit, device: device, region: presence.region, sampleTime: leftAt)))
            decision.bench.presencesChanged = true
            return true
        }
        if decision.bench.presencesChanged { decision.record(state, of: device) }
    }

    /// Says of standings that they are only the last ones known, once a device was silent for long.
    private func doubtStandings(of device: DeviceNumber, now: Instant, into decision: inout Decision) {
        var state = state(of: device, after: decision)
        guard let evaluated = state.evaluated else { return }
        for index in state.presences.indices where state.presences[index].doubt != .stale {
            guard atlas.rule(of: state.presences[index].region)?.policy == .confident else { continue }
            state.presences[index].doubt = .stale
            decision.bench.presencesChanged = true
            decision.bench.changes.append(
                .presence(
                    PresenceReport(
                        state.presences[index], of: device, insidePercent: nil, sampleTime: evaluated)))
        }
        if decision.bench.presencesChanged { decision.record(state, of: device) }
    }
}
