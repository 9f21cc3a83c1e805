/// How an incident of a team starts, closes and reopens.
extension Engine {
    /// Returns the open incident of a team; nil when there is none.
    public func openIncident(of team: TeamNumber) -> Incident? { incidents[team] }

    /// The teams that have an open incident.
    public var teamsInIncident: Set<TeamNumber> { Set(incidents.keys) }

    /// Starts an incident. An earlier declaration of "safe" no longer counts. A person inside a muster region counts as
    /// accounted for at once, and so does one who was declared off site not too long ago. A real incident closes an
    /// open drill and takes its place; its visitors come with it.
    ///
    /// - Throws: `.isOpen` when the team has an open incident that this one does not replace, `.nobodyToAccountFor`
    ///   when the team has no people.
    public func start(_ incident: Incident, now: Instant, into decision: inout Decision) throws(IncidentError) {
        let open = openIncident(of: incident.team, after: decision)
        if let open, open.kind == .real || incident.kind == .drill { throw .isOpen(open.number) }
        let members = members(of: incident.team, after: decision)
        guard !members.isEmpty else { throw .nobodyToAccountFor }
        if let open { close(open, .takenOver(by: incident.number), now: now, into: &decision) }
        decision.incidents[incident.team] = incident
        decision.rolls[incident.number] = Roll()
        decision.scratch.changes.append(.incident(incident))
        for user in members { enrol(user, in: incident, as: .present, now: now, into: &decision) }
        if let open { takeOver(from: open, to: incident, now: now, into: &decision) }
        startPARTimer(of: incident, now: now, into: &decision)
        recount(incident.team, now: now, into: &decision)
    }

    /// Closes the open incident of a team at a user's request. The declarations of "safe" made in it end with it.
    ///
    /// - Parameter id: the sender's id of the request, for the record.
    /// - Throws: `.isNotOpen` when this incident is not the one that is open.
    public func close(
        _ incident: IncidentNumber, of team: TeamNumber, by user: UserNumber, reason: String, id: String? = nil,
        now: Instant, into decision: inout Decision
    ) throws(IncidentError) {
        guard let open = openIncident(of: team, after: decision), open.number == incident else { throw .isNotOpen }
        close(open, .byHand(by: user, reason: reason), id: id, now: now, into: &decision)
    }

    /// Opens a closed incident again, with the roll that it had. Users who were removed while it was closed stay on the
    /// roll, unaccounted for, each with a new line about the removal.
    ///
    /// - Parameters:
    ///   - record: the lines of its record that decide who is on its roll, and each person's newest line, in their
    ///     order, and the newest ones about PAR.
    ///   - isUser: whether the directory still has a user.
    /// - Throws: `.isNotClosed` when it is open; `.wasClosedLongAgo` after `Incident.reopenLimitSeconds`; `.isOpen`
    ///   when its team has another one open.
    public func reopen(
        _ incident: Incident, record: [IncidentEntry], isUser: (UserNumber) -> Bool, by user: UserNumber,
        reason: String, id: String? = nil, now: Instant, into decision: inout Decision
    ) throws(IncidentError) {
        guard let closing = incident.closing else { throw .isNotClosed }
        guard now.seconds(since: closing.at) <= Incident.reopenLimitSeconds else { throw .wasClosedLongAgo }
        if let open = openIncident(of: incident.team, after: decision) { throw .isOpen(open.number) }
        var reopened = incident
        reopened.closing = nil
        reopened.allAccountedAt = nil
        reopened.reopening = Incident.Reopening(at: now, by: user, reason: reason)
        reopened.turn = .reopened
        reopened.news = nil
        let line = IncidentEntry(.reopened, of: incident.number, at: now, author: user, note: reason, id: id)
        let roll = Roll(record + [line])
        decision.incidents[incident.team] = reopened
        decision.rolls[incident.number] = roll
        decision.courses[incident.number] = PARCourse(record)
        decision.scratch.changes.append(.incident(reopened))
        decision.entries.append(line)
        startPARTimer(of: reopened, now: now, into: &decision)
        let newest = Dictionary(record.map { ($0.person, $0.safety) }) { $1 }
        for person in roll.present where roll.members[person]?.isWithoutUser == false {
            guard isUser(person) else {
                let unknown = PersonState(safety: Safety(state: .unknown, since: now))
                enter(.removed, of: person, unknown, in: incident.number, now: now, into: &decision)
                if let line = decision.entries.last {
                    decision.scratch.changes.append(.roll(line, of: incident.team))
                }
                continue
            }
            endPause(of: person, .incident, into: &decision)
            // A line also of everyone who is accounted for already: from now on they are so anew.
            guard let state = decidedPerson(person, after: decision),
                state.safety != newest[person] || state.safety.isAccounted
            else { continue }
            enter(.changed, of: person, state, in: incident.number, now: now, into: &decision)
        }
        keepRolls(now: now, into: &decision)
    }

    func openIncident(of team: TeamNumber?, after decision: Decision) -> Incident? {
        guard let team else { return nil }
        if let decided = decision.incidents[team] { return decided.isOpen ? decided : nil }
        return incidents[team]
    }

    /// Every open incident, in the order of their numbers.
    func openIncidents(after decision: Decision) -> [Incident] {
        if incidents.isEmpty && decision.incidents.isEmpty { return [] }
        return incidents.merging(decision.incidents) { $1 }.values.filter(\.isOpen).sorted { $0.number < $1.number }
    }

    /// Returns the open incident that a declaration about a person belongs to: their team's if they are on its roll,
    /// else the first one on whose roll they are.
    func openIncident(asking user: UserNumber, _ person: PersonState, after decision: Decision) -> Incident? {
        let holding = openIncidents(after: decision).filter { roll(of: $0.number, after: decision).holds(user) }
        return holding.first { $0.team == person.team } ?? holding.first
    }

    /// Adds a change of a person's safety to the record of every open incident on whose roll they are.
    func follow(_ user: UserNumber, _ person: PersonState, now: Instant, into decision: inout Decision) {
        for incident in openIncidents(after: decision) where roll(of: incident.number, after: decision).follows(user) {
            enter(.changed, of: user, person, in: incident.number, now: now, into: &decision)
            recount(incident.team, now: now, into: &decision)
        }
    }

    /// Closes an incident and ends the declarations of "safe" made in it.
    func close(
        _ incident: Incident, _ how: Incident.Closing.How, id: String? = nil, now: Instant,
        into decision: inout Decision
    ) {
        endPAR(of: incident, now: now, into: &decision)
        let counts = rollCounts(of: incident.number, after: decision)
        recordMissing(of: incident.number, now: now, into: &decision)
        var closed = incident
        closed.news = nil
        closed.closing = Incident.Closing(at: now, how: how)
        closed.turn = .closed
        decision.incidents[incident.team] = closed
        decision.scratch.changes.append(.incident(closed))
        var (author, reason): (UserNumber?, String?) = (nil, nil)
        if case .byHand(let user, let words) = how { (author, reason) = (user, words) }
        decision.entries.append(
            IncidentEntry(
                .closed, of: incident.number, at: now, author: author, note: reason, detail: .counts(counts), id: id))
        let roll = roll(of: incident.number, after: decision)
        for user in roll.members.keys.sorted() where roll.members[user]?.isWithoutUser == false {
            guard var person = decidedPerson(user, after: decision), person.declared.status == .safe,
                person.declared.incident == incident.number
            else { continue }
            person.declared.end()
            // The person may be on the roll of another incident too.
            if let changed = renewSafety(of: user, person, now: now, decidedAt: now, into: &decision) {
                follow(user, changed, now: now, into: &decision)
            }
        }
    }

    /// Records each person who is not accounted for, with where they were last seen and what is noted of a visitor,
    /// because the roll of a closed incident follows nobody.
    private func recordMissing(of incident: IncidentNumber, now: Instant, into decision: inout Decision) {
        let roll = roll(of: incident, after: decision)
        for user in roll.present {
            guard let member = roll.members[user] else { continue }
            let safety = safety(of: user, member, after: decision)
            guard !safety.isAccounted else { continue }
            let entry = IncidentEntry(
                incident: incident, at: now, person: user, event: .atClosing, safety: safety,
                lastSeen: member.isWithoutUser ? nil : lastSeen(user, after: decision), note: member.note,
                name: member.name)
            decision.entries.append(entry)
            decision.rolls[incident, default: roll].apply(entry)
        }
    }

    /// Returns the people of a team, without gateways, in the order of their numbers.
    private func members(of team: TeamNumber, after decision: Decision) -> [UserNumber] {
        people.indices.lazy.map { UserNumber(Int32($0)) }.filter { user in
            decidedPerson(user, after: decision).map { $0.team == team && $0.isPerson } ?? false
        }
    }

    /// Applies a decision's changes to incidents, and drops the rolls of closed ones.
    mutating func adoptIncidents(_ decision: Decision) {
        for (number, roll) in decision.rolls { rolls[number] = roll }
        for (number, course) in decision.courses { courses[number] = course }
        for (number, times) in decision.accountedTimes { accountedTimes[number] = times }
        guard !decision.incidents.isEmpty else { return }
        for (team, incident) in decision.incidents { incidents[team] = incident.isOpen ? incident : nil }
        let open = Set(incidents.values.map(\.number))
        rolls = rolls.filter { open.contains($0.key) }
        courses = courses.filter { open.contains($0.key) }
        accountedTimes = accountedTimes.filter { open.contains($0.key) }
    }
}
