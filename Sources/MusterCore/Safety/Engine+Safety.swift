extension Engine {
    /// Works out a person's safety anew and records it when it differs; during an incident also on its record.
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
            derived.state, decidedAt: decidedAt, now: now, silenceSeconds: team(of: person).silenceSeconds,
            holdsSeconds: team(of: person).incidents.declaredHoldsSeconds)
        var safety = renewed.declared.safety(over: derived)
        // Of whom nothing was ever heard, it is unknown since no time.
        if safety.state == person.safety.state, person.safety.since > Instant(milliseconds: 0) {
            safety.since = person.safety.since
        }
        renewed.safety = safety
        // Compared with what was last recorded: `person` may hold a declaration that was only just made.
        guard renewed != decidedPerson(user, after: decision) else { return nil }
        decision.record(renewed, of: user, isTold: safety != person.safety)
        return safety == person.safety ? nil : renewed
    }

    /// Makes unknown whoever has been silent beyond their team's limit, carries out exits that were held back long
    /// enough, tells calls for help again that nobody acknowledged, reviews what edits left undecided, and keeps the
    /// rolls of open incidents. To be called every few seconds.
    ///
    /// - Parameter reviewLimit: the number of devices that are reviewed at most.
    /// - Complexity: O(people + devices), some nanoseconds each.
    public func sweep(
        now: Instant, reviewLimit: Int = Engine.reviewSlice, into decision: inout Decision
    ) {
        decision.defersRecount = true
        for index in devices.indices where !devices[index].presences.isEmpty || !devices[index].refuges.isEmpty {
            let device = DeviceNumber(Int32(index))
            if devices[index].holdsBackAnExit { releaseHeldExits(of: device, now: now, into: &decision) }
            if devices[index].isStale(at: now) { doubtStandings(of: device, now: now, into: &decision) }
        }
        for index in people.indices where people[index].safety.changesByTime {
            let user = UserNumber(Int32(index))
            deriveSafety(of: user, now: now, decidedAt: now, into: &decision)
            if people[index].safety.state.isCall { remind(of: user, now: now, into: &decision) }
        }
        reviewSlice(now: now, limit: reviewLimit, into: &decision)
        keepRolls(now: now, into: &decision)
    }

    /// Whether a person's safety is known, and a device last located then spoke for them already: so that locating
    /// it again where it stood changes nothing.
    func isKnown(_ user: UserNumber?, lastLocated: Instant?, now: Instant, after decision: Decision) -> Bool {
        guard let user, let lastLocated else { return false }
        // Asked for every observation: so the state is not copied.
        func isKnown(_ states: [PersonState], _ place: Int) -> Bool {
            states[place].safety.state != .unknown
                && now.seconds(since: lastLocated) <= team(states[place].team).silenceSeconds
        }
        let index = Int(user.rawValue)
        if let place = decision.people.slot(of: index) { return isKnown(decision.people.states, place) }
        return people.indices.contains(index) && isKnown(people, index)
    }

    /// Whether nobody thinks that a person is silent.
    func isHeard(_ user: UserNumber?, after decision: Decision) -> Bool {
        guard let user else { return true }
        func isHeard(_ safety: Safety) -> Bool { safety.state != .unknown || safety.source != .silence }
        let index = Int(user.rawValue)
        if let place = decision.people.slot(of: index) { return isHeard(decision.people.states[place].safety) }
        return !people.indices.contains(index) || isHeard(people[index].safety)
    }

    func decidedPerson(_ user: UserNumber, after decision: Decision) -> PersonState? {
        decision.people[Int(user.rawValue)] ?? person(user)
    }

    private func safety(
        of person: PersonState, _ user: UserNumber, now: Instant, decidedAt: Instant, after decision: Decision
    ) -> Safety {
        let silenceSeconds = team(of: person).silenceSeconds
        var safe: Safety?
        var lastLocated: Instant?
        var isHeard = false
        var isUnderReview = false
        var undecided: Doubt?
        for device in ownership.devices(of: user) {
            let (evaluated, heard) = lastTimes(of: device, after: decision)
            if let heard, now.seconds(since: heard) <= silenceSeconds { isHeard = true }
            guard let evaluated else { continue }
            lastLocated = max(lastLocated ?? evaluated, evaluated)
            if now.seconds(since: evaluated) > silenceSeconds { continue }
            if self.isUnderReview(device, after: decision) {
                isUnderReview = true
                continue
            }
            switch musterContainment(of: device, preferring: person.safety.region, after: decision) {
            case .undecided(let doubt): undecided = undecided ?? doubt
            case .none(let doubt): return Safety(state: .unsafe, since: decidedAt, doubt: doubt)
            case .region(let region, let doubt):
                // Doubt of one device is not lifted by another: the person may be with either.
                safe = Safety(
                    state: .safe, since: decidedAt, region: safe?.region ?? region, doubt: safe?.doubt ?? doubt)
            }
        }
        if isUnderReview { return Safety(state: .unknown, since: decidedAt, source: .underReview) }
        if var safe {
            safe.doubt = safe.doubt ?? undecided
            return safe
        }
        // Not located since the limit passed; or located, and not yet decided.
        let silentSince = lastLocated.map { min($0.advanced(bySeconds: silenceSeconds), decidedAt) }
        let before = person.safety
        return Safety(
            state: .unknown,
            since: silentSince ?? (before.state == .unknown && !isHeard ? before.since : decidedAt),
            source: isHeard ? .unlocated : .silence)
    }

    private func lastTimes(
        of device: DeviceNumber, after decision: Decision
    ) -> (evaluated: Instant?, heard: Instant?) {
        let index = Int(device.rawValue)
        if let place = decision.devices.slot(of: index) {
            return (decision.devices.states[place].evaluated, decision.devices.states[place].heard)
        }
        return devices.indices.contains(index) ? (devices[index].evaluated, devices[index].heard) : (nil, nil)
    }

    /// How a device stands to the muster regions.
    private enum MusterContainment {
        case region(RegionNumber, Doubt?)
        /// It is inside of none.
        case none(Doubt?)
        /// It may be inside of one.
        case undecided(Doubt?)
    }

    private func musterContainment(
        of device: DeviceNumber, preferring former: RegionNumber?, after decision: Decision
    ) -> MusterContainment {
        let index = Int(device.rawValue)
        // Asked for every observation: so the states are not copied.
        if let place = decision.devices.slot(of: index) {
            return musterContainment(decision.devices.states, place, preferring: former)
        }
        return devices.indices.contains(index) ? musterContainment(devices, index, preferring: former) : .none(nil)
    }

    /// Inside of one rather than undecided; of the one that counted before, if that still holds. Always by the
    /// confident policy, whatever the policy of the region's collection.
    private func musterContainment(
        _ states: [DeviceState], _ place: Int, preferring former: RegionNumber?
    ) -> MusterContainment {
        var first: (region: RegionNumber, doubt: Doubt?)?
        var isUndecided = false
        func look(_ presences: [Presence], _ policy: CrossingPolicy) {
            for presence in presences {
                guard let rule = catalog.rule(of: presence.region), rule.isMuster, rule.policy == policy else {
                    continue
                }
                switch presence.standing {
                case .inside where first == nil || presence.region == former:
                    first = (presence.region, presence.doubt)
                case .unknown: isUndecided = true
                case .inside, .outside: continue
                }
            }
        }
        look(states[place].presences, .confident)
        if !states[place].refuges.isEmpty { look(states[place].refuges, .raw) }
        let checking: Doubt? = states[place].track.isChecking ? .checking : nil
        if let first { return .region(first.region, checking ?? first.doubt) }
        return isUndecided ? .undecided(checking) : .none(checking)
    }

    private func releaseHeldExits(of device: DeviceNumber, now: Instant, into decision: inout Decision) {
        var state = state(of: device, after: decision)
        state.presences.removeAll { presence in
            guard let leftAt = presence.leftAt else { return false }
            guard let rule = catalog.rule(of: presence.region) else { return true }
            guard now.seconds(since: leftAt) >= rule.exitDelaySeconds else { return false }
            decision.scratch.changes.append(
                .crossing(Crossing(kind: .exit, device: device, region: presence.region, sampleTime: leftAt)))
            decision.scratch.presencesChanged = true
            return true
        }
        if decision.scratch.presencesChanged { decision.record(state, of: device) }
    }

    /// Says of standings that they are only the last ones known, once a device was silent for long.
    private func doubtStandings(of device: DeviceNumber, now: Instant, into decision: inout Decision) {
        var state = state(of: device, after: decision)
        guard let evaluated = state.evaluated else { return }
        func doubt(_ presences: inout [Presence], isRefuge: Bool) {
            for index in presences.indices where presences[index].doubt != .stale {
                guard isRefuge || catalog.rule(of: presences[index].region)?.policy == .confident else { continue }
                presences[index].doubt = .stale
                decision.scratch.presencesChanged = true
                let report = PresenceReport(presences[index], of: device, insidePercent: nil, sampleTime: evaluated)
                decision.scratch.changes.append(.presence(report))
            }
        }
        doubt(&state.presences, isRefuge: false)
        doubt(&state.refuges, isRefuge: true)
        guard decision.scratch.presencesChanged else { return }
        decision.record(state, of: device)
        deriveSafety(of: state.user, now: now, decidedAt: now, into: &decision)
    }
}

extension Safety {
    /// Whether it may change though nothing is observed: with silence, and with what was declared.
    fileprivate var changesByTime: Bool { state != .unknown || source != .silence }
}
