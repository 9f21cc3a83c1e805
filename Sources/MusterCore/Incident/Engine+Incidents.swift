/// Why an incident cannot be started or closed.
public enum IncidentFault: Error, Hashable, Sendable {
    /// The team has one that is open.
    case isOpen(IncidentNumber)
    /// Nobody is in the team.
    case nobodyToAccountFor
    /// It is closed, or there never was one.
    case isNotOpen
}

extension Engine {
    /// The open incident of a team; nil when there is none.
    public func openIncident(of team: TeamNumber) -> Incident? { incidents[team] }

    /// Starts an incident: what was declared safe before counts no longer, who is inside a muster region counts at
    /// once; and closes it when that is everyone.
    ///
    /// - Throws: `.isOpen` when the team has one, `.nobodyToAccountFor` when nobody is in it.
    public func start(_ incident: Incident, now: Instant, into decision: inout Decision) throws(IncidentFault) {
        if let open = openIncident(of: incident.team, after: decision) { throw .isOpen(open.number) }
        let members = members(of: incident.team, after: decision)
        guard !members.isEmpty else { throw .nobodyToAccountFor }
        decision.incidents[incident.team] = incident
        decision.bench.changes.append(.incident(incident))
        for user in members { enrol(user, in: incident, as: .present, now: now, into: &decision) }
        closeWhenAllAccounted(incident, now: now, into: &decision)
    }

    /// Closes the open incident of a team by hand.
    ///
    /// - Throws: `.isNotOpen` when this incident is not the one that is open.
    public func close(
        _ incident: IncidentNumber, of team: TeamNumber, by user: UserNumber, reason: String, now: Instant,
        into decision: inout Decision
    ) throws(IncidentFault) {
        guard let open = openIncident(of: team, after: decision), open.number == incident else { throw .isNotOpen }
        close(open, .byHand(by: user, reason: reason), now: now, into: &decision)
    }

    func openIncident(of team: TeamNumber?, after decision: Decision) -> Incident? {
        guard let team else { return nil }
        if let decided = decision.incidents[team] { return decided.isOpen ? decided : nil }
        return incidents[team]
    }

    /// Puts a change of someone's safety on the record of the incident on whose roll they stand.
    func follow(_ user: UserNumber, _ person: PersonState, now: Instant, into decision: inout Decision) {
        guard let roll = person.declared.roll,
            let incident = openIncident(of: person.team, after: decision), incident.number == roll
        else { return }
        enter(.changed, of: user, person, in: roll, now: now, into: &decision)
        if person.safety.state.isAccounted { closeWhenAllAccounted(incident, now: now, into: &decision) }
    }

    /// Brings the rolls of open incidents in line with who is in which team: after edits, and at every sweep in case
    /// the process ended between an edit and its consequences.
    func keepRolls(now: Instant, into decision: inout Decision) {
        for user in departed.keys.sorted() where !decision.hasStruckDeparted {
            guard let person = departed[user], let roll = person.declared.roll else { continue }
            if isOpen(roll, after: decision) { enter(.left, of: user, person, in: roll, now: now, into: &decision) }
        }
        decision.hasStruckDeparted = true
        guard !incidents.isEmpty || !decision.incidents.isEmpty || people.contains(where: { $0.declared.roll != nil })
        else { return }
        for index in people.indices {
            let user = UserNumber(Int32(index))
            guard let person = decidedPerson(user, after: decision) else { continue }
            let incident = person.isPerson ? openIncident(of: person.team, after: decision) : nil
            guard person.declared.roll != incident?.number else { continue }
            if person.declared.roll != nil { strike(user, now: now, into: &decision) }
            if let incident { enrol(user, in: incident, as: .joined, now: now, into: &decision) }
        }
        for (team, incident) in incidents where openIncident(of: team, after: decision) != nil {
            if members(of: team, after: decision).isEmpty {
                close(incident, .teamGone, now: now, into: &decision)
            } else {
                closeWhenAllAccounted(incident, now: now, into: &decision)
            }
        }
    }

    /// The people of a team, machines left out, in the order of their numbers.
    private func members(of team: TeamNumber, after decision: Decision) -> [UserNumber] {
        people.indices.lazy.map { UserNumber(Int32($0)) }.filter { user in
            decidedPerson(user, after: decision).map { $0.team == team && $0.isPerson } ?? false
        }
    }

    /// Puts someone on an incident's roll. That they were declared safe before tells nothing of now.
    private func enrol(
        _ user: UserNumber, in incident: Incident, as event: IncidentEntry.Event, now: Instant,
        into decision: inout Decision
    ) {
        guard var person = decidedPerson(user, after: decision) else { return }
        if person.declared.standing == .safe { person.declared.end() }
        person.declared.roll = incident.number
        _ = renewSafety(of: user, person, now: now, decidedAt: now, into: &decision)
        guard let enrolled = decidedPerson(user, after: decision) else { return }
        enter(event, of: user, enrolled, in: incident.number, now: now, into: &decision)
    }

    /// Takes someone off the roll they stand on: with the incident ends what was declared safe in it.
    private func strike(_ user: UserNumber, now: Instant, into decision: inout Decision) {
        guard var person = decidedPerson(user, after: decision), let roll = person.declared.roll else { return }
        if isOpen(roll, after: decision) { enter(.left, of: user, person, in: roll, now: now, into: &decision) }
        if person.declared.standing == .safe, person.declared.incident == roll { person.declared.end() }
        person.declared.roll = nil
        _ = renewSafety(of: user, person, now: now, decidedAt: now, into: &decision)
    }

    private func isOpen(_ incident: IncidentNumber, after decision: Decision) -> Bool {
        let team = incidents.values.first { $0.number == incident }?.team
        return openIncident(of: team, after: decision)?.number == incident
    }

    /// Whether a change to this user's record may change a roll.
    func isOnARoll(_ user: UserNumber) -> Bool {
        guard !incidents.isEmpty, let person = person(user) else { return false }
        return person.declared.roll != nil || person.team.flatMap { incidents[$0] } != nil
    }

    /// - Complexity: O(people) at worst; it ends at the first who is not accounted for.
    private func closeWhenAllAccounted(_ incident: Incident, now: Instant, into decision: inout Decision) {
        for index in people.indices where people[index].team == incident.team {
            guard let person = decidedPerson(UserNumber(Int32(index)), after: decision) else { continue }
            if person.isPerson, !person.safety.state.isAccounted { return }
        }
        close(incident, .allAccounted, now: now, into: &decision)
    }

    private func close(
        _ incident: Incident, _ how: Incident.Closing.How, now: Instant, into decision: inout Decision
    ) {
        var closed = incident
        closed.closing = Incident.Closing(at: now, how: how)
        decision.incidents[incident.team] = closed
        decision.bench.changes.append(.incident(closed))
        for index in people.indices {
            let user = UserNumber(Int32(index))
            guard decidedPerson(user, after: decision)?.declared.roll == incident.number else { continue }
            strike(user, now: now, into: &decision)
        }
    }

    private func enter(
        _ event: IncidentEntry.Event, of user: UserNumber, _ person: PersonState, in incident: IncidentNumber,
        now: Instant, into decision: inout Decision
    ) {
        decision.entries.append(
            IncidentEntry(
                incident: incident, at: now, person: user, event: event, safety: person.safety,
                lastSeen: lastSeen(user, after: decision)))
    }
}
