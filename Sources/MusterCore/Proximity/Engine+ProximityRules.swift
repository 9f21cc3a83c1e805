/// Proximity rules: the engine measures how far the people of a team are from a centre that moves, and reports who
/// comes near it, or who is away from it for too long.
extension Engine {
    /// Restores the stored rules and their alarms after a restart.
    public mutating func resume(
        proximityRules: [ProximityRule], alarms: [(rule: ProximityNumber, alarm: ProximityAlarm)]
    ) {
        proximity.resume(proximityRules, alarms)
    }

    /// Returns the rules of a team, in number order.
    public func proximityRules(of team: TeamNumber) -> [ProximityRule] {
        proximity.rules(of: team).compactMap { proximity.states[$0]?.rule }
    }

    /// Returns a team's rule by its name; nil when there is none.
    public func proximityRule(named name: String, of team: TeamNumber) -> ProximityRule? {
        proximityRules(of: team).first { $0.name == name }
    }

    /// Returns the alarms of a rule, reported or pending, in the order of their numbers.
    public func proximityAlarms(of rule: ProximityNumber) -> [ProximityAlarm] {
        proximity.states[rule]?.alarms.values.sorted { $0.user < $1.user } ?? []
    }

    /// Makes a rule, or replaces the team's rule of its number. A change ends what the former rule had reported, and
    /// evaluates everyone anew.
    ///
    /// - Throws: `.tooMany`; `.tooManyPeople`.
    public func putProximityRule(
        _ rule: ProximityRule, now: Instant, into decision: inout Decision
    ) throws(ProximityError) {
        let former = proximityState(rule.number, after: decision)
        if former == nil {
            let added = decision.proximity.states.count { number, state in
                state?.rule.team == rule.team && proximity.states[number] == nil
            }
            guard proximity.rules(of: rule.team).count + added < ProximityRule.teamLimit else {
                throw .tooMany(limit: ProximityRule.teamLimit)
            }
        }
        let others = proximityRules(of: rule.team).filter { $0.centre == rule.centre && $0.number != rule.number }
        guard (others + [rule]).reduce(0, { $0 + countedPeople(of: $1).count }) <= ProximityRule.peopleLimit else {
            throw .tooManyPeople(limit: ProximityRule.peopleLimit)
        }
        decision.proximity.rulesToStore.insert(rule.number)
        decision.proximity.alarmsToStore[rule.number, default: []].formUnion(former.map { Array($0.alarms.keys) } ?? [])
        decision.scratch.changes.append(
            .proximity(ProximityReport(former == nil ? .made : .changed, of: rule, at: now, by: rule.setBy)))
        var state = ProximityState(rule: rule)
        measureAll(&state, now: now, into: &decision)
        decision.proximity.states[rule.number] = .some(state)
    }

    /// Removes a rule, and with it the alarms that the engine had reported.
    ///
    /// - Throws: `.hasNoRule`.
    public func removeProximityRule(
        _ number: ProximityNumber, by author: UserNumber, now: Instant, into decision: inout Decision
    ) throws(ProximityError) {
        guard let state = proximityState(number, after: decision) else { throw .hasNoRule }
        decision.proximity.states[number] = .some(nil)
        decision.proximity.rulesToStore.insert(number)
        decision.proximity.alarmsToStore[number] = nil
        decision.scratch.changes.append(
            .proximity(ProximityReport(.removed, of: state.rule, at: now, by: author)))
    }

    /// Applies a device's new position to the rules of its owner's team.
    ///
    /// - Complexity: O(rules of the team); for a rule whose centre moved, O(people of the team).
    func followProximity(
        of device: DeviceNumber, ownedBy user: UserNumber?, now: Instant, into decision: inout Decision
    ) {
        if proximity.isEmpty { return }
        guard let user, let team = person(user)?.team else { return }
        for number in proximity.rules(of: team) {
            guard var state = proximityState(number, after: decision) else { continue }
            let isCentre = state.rule.centre == .person(user) || state.rule.centre == .device(device)
            guard isCentre || counts(user, by: state.rule) else { continue }
            let before = state.alarms
            if isCentre {
                measureAll(&state, now: now, into: &decision)
            } else {
                let centre = centre(of: state.rule, now: now, after: decision)
                measure(user, from: centre, &state, now: now, into: &decision)
            }
            if state.alarms != before { decision.proximity.states[number] = .some(state) }
        }
    }

    /// Applies a new range between the devices of two people to the rules of their team that measure these two.
    ///
    /// - Complexity: O(rules of the team).
    func followProximity(
        byRangeOf device: DeviceNumber, to peer: DeviceNumber, now: Instant, into decision: inout Decision
    ) {
        if proximity.isEmpty { return }
        guard let user = owner(of: device), let other = owner(of: peer), let team = person(user)?.team,
            team == person(other)?.team
        else { return }
        for number in proximity.rules(of: team) {
            guard var state = proximityState(number, after: decision) else { continue }
            let counted: UserNumber? =
                switch state.rule.centre {
                case .person(let person): person == user ? other : person == other ? user : nil
                case .device(let centre): centre == device ? other : centre == peer ? user : nil
                }
            guard let counted, counts(counted, by: state.rule) else { continue }
            let before = state.alarms
            measure(
                counted, from: centre(of: state.rule, now: now, after: decision), &state, now: now, into: &decision)
            if state.alarms != before { decision.proximity.states[number] = .some(state) }
        }
    }

    /// Reports each person who has been apart for as long as the rule allows, and drops the alarms of people whom a
    /// rule no longer counts.
    func sweepProximity(now: Instant, into decision: inout Decision) {
        if proximity.isEmpty { return }
        for number in proximity.due(at: now) {
            guard var state = proximityState(number, after: decision) else { continue }
            decision.proximity.reviewed.insert(number)
            let before = state.alarms
            let hasCentre = hasCentre(state.rule)
            for user in state.alarms.keys where !hasCentre || !counts(user, by: state.rule) {
                set(nil, of: user, &state, into: &decision)
            }
            if case .together(let afterSeconds) = state.rule.demand {
                reportApart(&state, afterSeconds: afterSeconds, now: now, into: &decision)
            }
            if state.alarms != before { decision.proximity.states[number] = .some(state) }
        }
    }

    private func reportApart(
        _ state: inout ProximityState, afterSeconds: Double, now: Instant, into decision: inout Decision
    ) {
        for var alarm in state.alarms.values.sorted(by: { $0.user < $1.user }) where !alarm.isTold {
            // The clock may have been set back since.
            alarm.since = min(alarm.since, now)
            if now >= alarm.since.advanced(bySeconds: afterSeconds) {
                let centre = centre(of: state.rule, now: now, after: decision)
                let reading = reading(
                    of: alarm.user, from: centre, by: state.rule, at: nil, now: now, after: decision)
                // A simulated distance is reported only if the distance now is simulated too.
                if alarm.isSimulated && reading.source != .simulated {
                    set(nil, of: alarm.user, &state, into: &decision)
                    continue
                }
                alarm.isTold = true
                report(.apart, reading, since: alarm.since, of: state.rule, at: now, into: &decision)
            }
            if state.alarms[alarm.user] != alarm { set(alarm, of: alarm.user, &state, into: &decision) }
        }
    }

    private func measureAll(_ state: inout ProximityState, now: Instant, into decision: inout Decision) {
        let centre = centre(of: state.rule, now: now, after: decision)
        guard !centre.isEmpty else { return }
        // A team may have grown since the rule was set. Those beyond the limit are measured with their own positions.
        for user in countedPeople(of: state.rule).prefix(ProximityRule.peopleLimit) {
            measure(user, from: centre, &state, now: now, into: &decision)
        }
    }

    /// Measures how far one person is from the centre, as of the newer position, and reports a change of standing. A
    /// simulated distance ends only an alarm that a simulated one began.
    private func measure(
        _ user: UserNumber, from centre: ProximityCentre, _ state: inout ProximityState, now: Instant,
        into decision: inout Decision
    ) {
        guard !centre.isEmpty else { return }
        let reading = reading(of: user, from: centre, by: state.rule, at: nil, now: now, after: decision)
        guard reading.standing != .unknown, let moment = reading.at else { return }
        let alarm = state.alarms[user]
        let isFence = state.rule.demand == .fence
        let isSimulated = reading.source == .simulated
        if reading.standing == (isFence ? .within : .beyond) {
            // A measured distance is reported even if a simulated one gave the same result before.
            guard alarm == nil || (alarm?.isSimulated == true && !isSimulated) else { return }
            let begun = ProximityAlarm(user: user, since: moment, isTold: isFence, isSimulated: isSimulated)
            set(begun, of: user, &state, into: &decision)
            if isFence { report(.near, reading, since: moment, of: state.rule, at: moment, into: &decision) }
        } else if let alarm, alarm.isSimulated || !isSimulated {
            set(nil, of: user, &state, into: &decision)
            guard alarm.isTold else { return }
            report(isFence ? .left : .together, reading, since: nil, of: state.rule, at: moment, into: &decision)
        }
    }

    private func set(
        _ alarm: ProximityAlarm?, of user: UserNumber, _ state: inout ProximityState, into decision: inout Decision
    ) {
        state.alarms[user] = alarm
        decision.proximity.alarmsToStore[state.rule.number, default: []].insert(user)
    }

    private func report(
        _ turn: ProximityReport.Turn, _ reading: ProximityReading, since: Instant?, of rule: ProximityRule,
        at moment: Instant, into decision: inout Decision
    ) {
        var report = ProximityReport(turn, of: rule, at: moment)
        report.who = reading.user
        report.since = since
        report.metres = reading.metres
        report.deviationMetres = reading.deviationMetres
        report.source = reading.source
        decision.scratch.changes.append(.proximity(report))
    }

    private func proximityState(_ number: ProximityNumber, after decision: Decision) -> ProximityState? {
        if let decided = decision.proximity.states[number] { return decided }
        return proximity.states[number]
    }
}
