extension Engine {
    /// Works out a person's safety anew and records it when it differs.
    ///
    /// A device speaks for its owner until it falls silent. Unsafe as soon as one that speaks is outside every muster
    /// region: a tablet left behind in safety does not make its owner safe.
    ///
    /// - Parameter decidedAt: the sample time that a change is dated with.
    func deriveSafety(
        of user: UserNumber?, now: Instant, decidedAt: Instant, into decision: inout Decision
    ) {
        guard let user, var person = decidedPerson(user, after: decision) else { return }
        let derived = safety(of: person, user, now: now, decidedAt: decidedAt, after: decision)
        if derived.state == person.safety.state {
            guard derived.region != person.safety.region else { return }
            person.safety.region = derived.region
        } else {
            person.safety = derived
        }
        decision.record(person, of: user)
    }

    /// Makes unknown whoever has been silent beyond their team's limit, and carries out exits that were held back long
    /// enough. To be called every few seconds.
    ///
    /// - Complexity: O(people + devices), some nanoseconds each.
    public func sweep(now: Instant, into decision: inout Decision) {
        for index in devices.indices where devices[index].presences.contains(where: { $0.leftAt != nil }) {
            releaseHeldExits(of: DeviceNumber(Int32(index)), now: now, into: &decision)
        }
        for index in people.indices where people[index].safety.state != .unknown {
            deriveSafety(of: UserNumber(Int32(index)), now: now, decidedAt: now, into: &decision)
        }
    }

    private func decidedPerson(_ user: UserNumber, after decision: Decision) -> PersonState? {
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
            let state = state(of: device, after: decision)
            guard let latest = state.evaluated else { continue }
            lastHeard = max(lastHeard ?? latest, latest)
            if now.seconds(since: latest) > silenceSeconds { continue }
            speaks = true
            guard let region = musterRegion(of: state, preferring: person.safety.region) else {
                return Safety(state: .unsafe, since: decidedAt)
            }
            refuge = refuge ?? region
        }
        if speaks { return Safety(state: .safe, since: decidedAt, region: refuge) }
        let silentSince = lastHeard?.advanced(bySeconds: silenceSeconds) ?? person.safety.since
        return Safety(state: .unknown, since: silentSince)
    }

    /// The muster region that a device is inside of: the one that counted before, if it still does.
    private func musterRegion(of state: DeviceState, preferring former: RegionNumber?) -> RegionNumber? {
        var first: RegionNumber?
        for presence in state.presences where presence.leftAt == nil {
            guard atlas.rule(of: presence.region)?.isMuster == true else { continue }
            if presence.region == former { return former }
            first = first ?? presence.region
        }
        return first
    }

    private func releaseHeldExits(of device: DeviceNumber, now: Instant, into decision: inout Decision) {
        var state = state(of: device, after: decision)
        state.presences.removeAll { presence in
            guard let leftAt = presence.leftAt else { return false }
            guard let rule = atlas.rule(of: presence.region) else { return true }
            guard now.seconds(since: leftAt) >= rule.exitDelaySeconds else { return false }
            decision.cross(.exit, device, presence.region, leftAt)
            decision.presencesChanged = true
            return true
        }
        if decision.presencesChanged { decision.record(state, of: device) }
    }
}
