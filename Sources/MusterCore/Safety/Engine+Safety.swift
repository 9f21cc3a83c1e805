/// Derives a person's safety from the standings of their devices and from declarations.
extension Engine {
    /// Derives a person's safety and records a change; during an incident also in the incident's record.
    ///
    /// A declaration comes first (`Declared`). Otherwise each device counts for its owner until it falls silent: one
    /// device outside every muster region makes its owner unsafe, so that a tablet left in safety does not make them
    /// safe, not even after the other device has fallen silent (`isDisputed`). A device about which the engine has not
    /// yet decided does not count, unless its newest fix agrees with being outside.
    ///
    /// - Parameter decidedAt: the sample time to date a change with.
    func deriveSafety(
        of user: UserNumber?, now: Instant, decidedAt: Instant, into decision: inout Decision
    ) {
        guard let user, let before = safetyBefore(of: user, after: decision) else { return }
        let derived = safety(
            of: user, in: before.team, before: before.safety, now: now, decidedAt: decidedAt, after: decision)
        // Mostly nobody declared anything and nothing changes; then the person's state is not copied.
        if !before.isDeclared, derived.keepingTime(of: before.safety) == before.safety { return }
        guard let person = decidedPerson(user, after: decision),
            let changed = renewSafety(of: user, person, derived, now: now, decidedAt: decidedAt, into: &decision)
        else { return }
        follow(user, changed, now: now, into: &decision)
    }

    /// Returns what a person's safety follows from besides their devices, without a copy of their state.
    private func safetyBefore(
        of user: UserNumber, after decision: Decision
    ) -> (team: TeamNumber?, safety: Safety, isDeclared: Bool)? {
        func safetyBefore(_ states: [PersonState], _ place: Int) -> (TeamNumber?, Safety, Bool) {
            (states[place].team, states[place].safety, states[place].declared.status != .nothing)
        }
        let index = Int(user.rawValue)
        if let place = decision.people.slot(of: index) { return safetyBefore(decision.people.states, place) }
        return people.indices.contains(index) ? safetyBefore(people, index) : nil
    }

    /// Derives a person's safety and records a change.
    ///
    /// - Returns: the person's new state when their safety changed; else nil.
    func renewSafety(
        of user: UserNumber, _ person: PersonState, now: Instant, decidedAt: Instant, into decision: inout Decision
    ) -> PersonState? {
        let derived = safety(
            of: user, in: person.team, before: person.safety, now: now, decidedAt: decidedAt, after: decision)
        return renewSafety(of: user, person, derived, now: now, decidedAt: decidedAt, into: &decision)
    }

    /// - Parameter derived: the safety that follows from the person's devices.
    private func renewSafety(
        of user: UserNumber, _ person: PersonState, _ derived: Safety, now: Instant, decidedAt: Instant,
        into decision: inout Decision
    ) -> PersonState? {
        var renewed = person
        renewed.declared.outlive(
            derived, decidedAt: decidedAt, now: now, silenceSeconds: team(of: person).silenceSeconds,
            holdsSeconds: team(of: person).incidents.declaredHoldsSeconds)
        let safety = renewed.declared.safety(over: derived).keepingTime(of: person.safety)
        renewed.safety = safety
        // Compared with what was last recorded: `person` may hold a declaration that was only just made.
        guard renewed != decidedPerson(user, after: decision) else { return nil }
        decision.record(renewed, of: user, isTold: safety != person.safety)
        return safety == person.safety ? nil : renewed
    }

    /// Applies the effects of the passing of time: makes people unknown who were silent beyond their team's limit,
    /// marks the standings of silent devices as stale, reports exits whose delay is over, reports unacknowledged calls
    /// for help again, takes the steps of check-in timers that are due, ends pauses that are over, reviews what edits
    /// left undecided, evaluates the attendance and proximity rules that are due, updates the rolls of open incidents,
    /// and requests and reports the PAR that is due. The caller runs it every few seconds, and opens the incidents that
    /// timers and attendance rules ask for.
    ///
    /// - Parameter reviewLimit: the largest number of devices to review.
    /// - Complexity: O(people + devices), some nanoseconds each; of attendance rules only those that are due.
    public func sweep(
        now: Instant, reviewLimit: Int = Engine.reviewSlice, into decision: inout Decision
    ) {
        decision.defersRecount = true
        for index in devices.indices where devices[index].hasStandings {
            let device = DeviceNumber(Int32(index))
            if devices[index].hasMemory { sweepBeacons(of: device, now: now, into: &decision) }
            if devices[index].holdsBackAnExit { releaseHeldExits(of: device, now: now, into: &decision) }
            if devices[index].isStale(at: now) { doubtStandings(of: device, now: now, into: &decision) }
        }
        for index in people.indices where people[index].safety.changesByTime {
            let user = UserNumber(Int32(index))
            deriveSafety(of: user, now: now, decidedAt: now, into: &decision)
            if people[index].safety.state.isCall { remind(of: user, now: now, into: &decision) }
        }
        for index in people.indices where people[index].declared.changesByTime {
            let user = UserNumber(Int32(index))
            sweepTimer(of: user, now: now, into: &decision)
            sweepPause(of: user, now: now, into: &decision)
        }
        reviewSlice(now: now, limit: reviewLimit, into: &decision)
        sweepAttendance(now: now, into: &decision)
        sweepProximity(now: now, into: &decision)
        keepRolls(now: now, into: &decision)
        sweepPAR(now: now, into: &decision)
    }

    /// Whether a person's safety is known and a device last located at `lastLocated` still counts for them. If so,
    /// locating the device again in the same place changes nothing.
    @inline(__always)
    func isKnown(_ user: UserNumber?, lastLocated: Instant?, now: Instant, after decision: Decision) -> Bool {
        guard let user, let lastLocated else { return false }
        // This runs for every observation, so it does not copy the state.
        func isKnown(_ states: [PersonState], _ place: Int) -> Bool {
            states[place].safety.state != .unknown
                && now.seconds(since: lastLocated) <= silenceSeconds(of: states[place].team)
        }
        let index = Int(user.rawValue)
        if let place = decision.people.slot(of: index) { return isKnown(decision.people.states, place) }
        return people.indices.contains(index) && isKnown(people, index)
    }

    /// Whether a person does not count as silent.
    @inline(__always)
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

    /// Derives a person's safety from their devices alone.
    ///
    /// - Parameter before: the person's safety until now.
    private func safety(
        of user: UserNumber, in team: TeamNumber?, before: Safety, now: Instant, decidedAt: Instant,
        after decision: Decision
    ) -> Safety {
        let silenceSeconds = silenceSeconds(of: team)
        var safe: Safety?
        var insideSince: Instant?
        var lastLocated: Instant?
        var isHeard = false
        var isUnderReview = false
        var left: RegionNumber?
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
            let containment = musterContainment(
                of: device, preferring: before.region, silence: silenceSeconds, now: now, after: decision)
            switch containment {
            case .undecided(let doubt): undecided = undecided ?? doubt
            case .left(let region): left = left ?? region
            case .none(let doubt): return Safety(state: .unsafe, since: decidedAt, doubt: doubt)
            case .region(let region, let doubt, let since):
                insideSince = max(insideSince ?? since, since)
                // Another device does not remove the doubt about one: the person may be with either.
                safe = Safety(
                    state: .safe, since: decidedAt, region: safe?.region ?? region, doubt: safe?.doubt ?? doubt)
            }
        }
        if isUnderReview { return Safety(state: .unknown, since: decidedAt, source: .underReview) }
        // The person may have gone with this device, whatever another one shows.
        if let left {
            return Safety(
                state: .unknown, since: decidedAt, region: left, source: .seemsToHaveLeft, doubt: .checking)
        }
        if var safe, let insideSince {
            if isDisputed(user, since: insideSince, silence: silenceSeconds, now: now, after: decision) {
                return Safety(state: .unknown, since: decidedAt, source: .unlocated, doubt: .checking)
            }
            safe.doubt = safe.doubt ?? undecided
            return safe
        }
        // No device was located within the limit; or one was, and its standing is undecided.
        let silentSince = lastLocated.map { min($0.advanced(bySeconds: silenceSeconds), decidedAt) }
        return Safety(
            state: .unknown,
            since: silentSince ?? (before.state == .unknown && !isHeard ? before.since : decidedAt),
            source: isHeard ? .unlocated : .silence, doubt: undecided)
    }

    /// Whether one device of a person contradicts another one, which has been inside a muster region since
    /// `insideSince`: it is undecided, and its newest fix agrees with being outside; or it fell silent and was last
    /// outside, or undecided in that way, while the other was already inside. Then the person may have been with it, so
    /// the device inside proves nothing until it enters again or the silent one reports. An old telephone that fell
    /// silent before does not count.
    private func isDisputed(
        _ user: UserNumber, since insideSince: Instant, silence: Double, now: Instant, after decision: Decision
    ) -> Bool {
        // A person's only device contradicts nobody.
        if ownership.hasOneDevice(user) { return false }
        for device in ownership.devices(of: user) {
            guard let evaluated = lastTimes(of: device, after: decision).evaluated else { continue }
            let age = now.seconds(since: evaluated)
            let isSilent = age > silence
            if isSilent, evaluated <= insideSince || age > Self.stateLifetimeSeconds { continue }
            switch musterContainment(of: device, preferring: nil, silence: silence, now: now, after: decision) {
            case .none, .left: if isSilent { return true }
            case .undecided: if seemsOutside(state(of: device, after: decision)) { return true }
            case .region: continue
            }
        }
        return false
    }

    /// For how long before an edit that drew a muster region around one device of a person another one may have fallen
    /// silent outside and still count, seconds.
    private static var editSeconds: Double { 86_400 }

    private func lastTimes(
        of device: DeviceNumber, after decision: Decision
    ) -> (evaluated: Instant?, heard: Instant?) {
        let index = Int(device.rawValue)
        if let place = decision.devices.slot(of: index) {
            return (decision.devices.states[place].evaluated, decision.devices.states[place].heard)
        }
        return devices.indices.contains(index) ? (devices[index].evaluated, devices[index].heard) : (nil, nil)
    }

    /// Whether a device is inside a muster region.
    private enum MusterContainment {
        case region(RegionNumber, Doubt?, since: Instant)
        /// The device is inside none.
        case none(Doubt?)
        /// The device may be inside one.
        case undecided(Doubt?)
        /// The device counted as inside one, and seems to have left.
        case left(RegionNumber)
    }

    private func musterContainment(
        of device: DeviceNumber, preferring former: RegionNumber?, silence: Double, now: Instant,
        after decision: Decision
    ) -> MusterContainment {
        let index = Int(device.rawValue)
        // This runs for every observation, so it does not copy the states.
        if let place = decision.devices.slot(of: index) {
            return musterContainment(
                decision.devices.states, place, preferring: former, silence: silence, now: now)
        }
        guard devices.indices.contains(index) else { return .none(nil) }
        return musterContainment(devices, index, preferring: former, silence: silence, now: now)
    }

    /// A region that the device is inside counts before one that is undecided, and the region that counted before
    /// counts first if the device is still inside. The confident policy decides, whatever the policy of the region's
    /// collection.
    ///
    /// - Parameter silence: for how long a good fix is evidence while only coarse ones follow, seconds.
    private func musterContainment(
        _ states: [DeviceState], _ place: Int, preferring former: RegionNumber?, silence: Double, now: Instant
    ) -> MusterContainment {
        var first: (region: RegionNumber, doubt: Doubt?, since: Instant)?
        var isUndecided = false
        var left: RegionNumber?
        // The newest position was made of a sighting, and no beacon region with a place has the device inside any more.
        let isLost =
            states[place].isLocatedByBeacon
            && !states[place].presences.contains {
                $0.standing == .inside && catalog.rule(of: $0.region)?.beacon?.place != nil
            }
        func look(_ presences: [Presence], _ policy: CrossingPolicy) {
            for presence in presences {
                guard let rule = catalog.rule(of: presence.region), rule.isMuster,
                    (rule.beacon == nil ? rule.policy : .confident) == policy
                else { continue }
                if let circle = rule.beacon?.place, states[place].contradicts(circle, of: presence.region) { continue }
                if presence.standing == .inside, rule.beacon == nil,
                    isLost || isOutlived(states, place, in: presence.region, rule, silence: silence, now: now)
                {
                    isUndecided = true
                    // Coarse fixes alone leave it undecided where the device is.
                    if states[place].shelterEvidence.seemsToHaveLeft, states[place].track.contradiction != nil {
                        left = left ?? presence.region
                    }
                    continue
                }
                switch presence.standing {
                case .inside where first == nil || presence.region == former:
                    first = (presence.region, presence.doubt, presence.since)
                case .unknown: isUndecided = true
                case .inside, .outside: continue
                }
            }
        }
        look(states[place].presences, .confident)
        if !states[place].musterPresences.isEmpty { look(states[place].musterPresences, .raw) }
        let isContradicted = isUndecided && states[place].track.contradiction != nil
        let checking: Doubt? = states[place].track.isChecking || isContradicted ? .checking : nil
        if let first {
            let isByBeacon = catalog.policy(ofShelter: first.region) == nil
            let evidence = states[place].shelterEvidence
            if evidence.seemsToHaveLeft, !isByBeacon { return .left(first.region) }
            if evidence.isOfJump, !isByBeacon { return .undecided(.checking) }
            if !isByBeacon, states[place].isHeldBackByItsClock { return .undecided(.checking) }
            let since = evidence.isOfEdit && !isByBeacon ? now.advanced(bySeconds: -Self.editSeconds) : first.since
            return .region(first.region, checking ?? first.doubt, since: min(since, first.since))
        }
        if let left { return .left(left) }
        if isUndecided || catalog.mayMissShelter(of: tracker(of: states[place].user), by: states[place].track) {
            return .undecided(checking)
        }
        return .none(checking)
    }

    private func releaseHeldExits(of device: DeviceNumber, now: Instant, into decision: inout Decision) {
        var state = state(of: device, after: decision)
        state.presences.removeAll { presence in
            // After an edit the device may be inside again. The next fix reports the exit, or keeps the device inside.
            guard let leftAt = presence.leftAt, presence.standing == .outside else { return false }
            guard let rule = catalog.rule(of: presence.region) else { return true }
            guard now.seconds(since: leftAt) >= rule.exitDelaySeconds else { return false }
            decision.scratch.changes.append(
                .crossing(Crossing(kind: .exit, device: device, region: presence.region, sampleTime: leftAt)))
            decision.scratch.presencesChanged = true
            return true
        }
        if decision.scratch.presencesChanged { decision.record(state, of: device) }
    }

    /// Marks the standings of a device that was silent for long as stale.
    private func doubtStandings(of device: DeviceNumber, now: Instant, into decision: inout Decision) {
        var state = state(of: device, after: decision)
        guard let evaluated = state.evaluated else { return }
        func doubt(_ presences: inout [Presence], isMusterPresence: Bool) {
            for index in presences.indices where presences[index].doubt != .stale {
                let rule = catalog.rule(of: presences[index].region)
                // A fix does not decide a beacon region, so the silence after it does not make that standing stale.
                guard isMusterPresence || (rule?.policy == .confident && rule?.beacon == nil) else { continue }
                presences[index].doubt = .stale
                decision.scratch.presencesChanged = true
                let report = PresenceReport(presences[index], of: device, insidePercent: nil, sampleTime: evaluated)
                decision.scratch.changes.append(.presence(report))
            }
        }
        doubt(&state.presences, isMusterPresence: false)
        doubt(&state.musterPresences, isMusterPresence: true)
        guard decision.scratch.presencesChanged else { return }
        decision.record(state, of: device)
        deriveSafety(of: state.user, now: now, decidedAt: now, into: &decision)
        followAttendance(of: state.user, now: now, into: &decision)
    }
}

extension Safety {
    /// Returns the safety with the time since which the same state has held before. A person about whom the engine knew
    /// nothing has no earlier time to keep. The time of a declaration is not given to what devices show, nor the other
    /// way round.
    fileprivate func keepingTime(of before: Safety) -> Safety {
        guard state == before.state, before.since > Instant(milliseconds: 0),
            source.isDeclared == before.source.isDeclared
        else { return self }
        var kept = self
        kept.since = before.since
        return kept
    }

    /// Whether the safety may change without an observation: by silence, or because a declaration expires.
    fileprivate var changesByTime: Bool { state != .unknown || source != .silence }
}
