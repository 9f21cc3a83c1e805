/// A leader's edits of a roll. Each is a line of the incident's record and appears in the audit log.
extension Engine {
    /// Puts a visitor, who has no phone, on the roll of an open incident.
    ///
    /// - Parameters:
    ///   - name: the visitor's name.
    ///   - state: the visitor's safety: `.safe`, `.offSite`, `.needsHelp`, or `.unknown` while nobody knows.
    ///   - isOwnWord: whether the visitor says so, who entered by a link that the author gave.
    ///   - id: the sender's id of the request, for the record.
    /// - Returns: the line that records the visitor, with the visitor's number.
    /// - Throws: `.isNotOpen`; `.tooManyVisitors` beyond `Roll.visitorLimit`.
    @discardableResult
    public func addVisitor(
        named name: String, _ state: Safety.State, isOwnWord: Bool = false, note: String?,
        to incident: IncidentNumber, of team: TeamNumber, by author: UserNumber, id: String? = nil, now: Instant,
        into decision: inout Decision
    ) throws(IncidentError) -> IncidentEntry {
        let roll = try openRoll(of: incident, of: team, after: decision)
        guard let visitor = roll.nextVisitor else { throw .tooManyVisitors }
        let source: Safety.Source = isOwnWord ? .ownDeclaration : .marked(by: author)
        let entry = IncidentEntry(
            incident: incident, at: now, person: visitor, event: .visitor,
            safety: Safety(state: state, since: now, source: source), lastSeen: nil, author: author, note: note,
            name: name, id: id)
        return enterByHand(entry, of: team, now: now, into: &decision)
    }

    /// Marks the safety of a person who has neither devices nor declarations: a visitor, or a removed user.
    ///
    /// - Throws: `.isNotOpen`, `.isNotOnRoll`; `.isUser` for a user about whom a declaration can be made instead.
    @discardableResult
    public func mark(
        _ person: UserNumber, _ state: Safety.State, note: String?, on incident: IncidentNumber, of team: TeamNumber,
        by author: UserNumber, id: String? = nil, now: Instant, into decision: inout Decision
    ) throws(IncidentError) -> IncidentEntry {
        let roll = try openRoll(of: incident, of: team, after: decision)
        guard roll.holds(person), let member = roll.members[person] else { throw .isNotOnRoll }
        guard member.isWithoutUser else { throw .isUser }
        var safety = Safety(state: state, since: now, source: .marked(by: author))
        if let before = member.marked, before.state == state { safety.since = before.since }
        let entry = IncidentEntry(
            incident: incident, at: now, person: person, event: .changed, safety: safety, lastSeen: nil,
            author: author, note: note, name: member.name, id: id)
        return enterByHand(entry, of: team, now: now, into: &decision)
    }

    /// Takes a person off the roll of an open incident, for a given reason. The incident no longer waits for them.
    ///
    /// - Throws: `.isNotOpen`, `.isNotOnRoll`.
    @discardableResult
    public func takeOff(
        _ person: UserNumber, reason: String, from incident: IncidentNumber, of team: TeamNumber,
        by author: UserNumber, id: String? = nil, now: Instant, into decision: inout Decision
    ) throws(IncidentError) -> IncidentEntry {
        let roll = try openRoll(of: incident, of: team, after: decision)
        guard roll.holds(person), let member = roll.members[person] else { throw .isNotOnRoll }
        let safety = safety(of: person, member, after: decision)
        let entry = IncidentEntry(
            incident: incident, at: now, person: person, event: .takenOff, safety: safety,
            lastSeen: member.isWithoutUser ? nil : lastSeen(person, after: decision), author: author, note: reason,
            name: member.name, id: id)
        return enterByHand(entry, of: team, now: now, into: &decision)
    }

    /// Puts those who have no user, visitors and removed users, from the roll of a closed drill on the roll of the
    /// incident that took its place. What was marked in the drill does not count there, except for a call for help.
    func takeOver(from drill: Incident, to incident: Incident, now: Instant, into decision: inout Decision) {
        for (person, member) in roll(of: drill.number, after: decision).members.sorted(by: { $0.key < $1.key })
        where member.isWithoutUser && member.takenOff == nil {
            var safety = Safety(state: .unknown, since: now)
            var author = person.rawValue < 0 ? incident.startedBy : member.departure?.author
            if let marked = member.marked, marked.state == .needsHelp {
                safety = marked
                if case .marked(let user) = marked.source { author = user }
            }
            let entry = IncidentEntry(
                incident: incident.number, at: now, person: person, event: person.rawValue < 0 ? .visitor : .removed,
                safety: safety, lastSeen: nil, author: author, note: member.note, name: member.name)
            decision.entries.append(entry)
            decision.rolls[incident.number, default: Roll()].apply(entry)
            decision.scratch.changes.append(.roll(entry, of: incident.team))
        }
    }

    /// Ends marks that are older than declarations hold, because nobody has confirmed since that those people are safe
    /// or off site.
    func endOldMarks(on incident: Incident, now: Instant, into decision: inout Decision) {
        let holdsSeconds = team(incident.team).incidents.declaredHoldsSeconds
        let roll = roll(of: incident.number, after: decision)
        let aged = roll.members.filter { _, member in
            guard member.takenOff == nil, member.isWithoutUser, let marked = member.marked, let at = member.markedAt
            else { return false }
            return marked.isAccounted && now.seconds(since: at) > holdsSeconds
        }
        for person in aged.keys.sorted() {
            let entry = IncidentEntry(
                incident: incident.number, at: now, person: person, event: .changed,
                safety: Safety(state: .unknown, since: now), lastSeen: nil, name: aged[person]?.name)
            enterByHand(entry, of: incident.team, now: now, into: &decision)
        }
    }

    private func openRoll(
        of incident: IncidentNumber, of team: TeamNumber, after decision: Decision
    ) throws(IncidentError) -> Roll {
        guard openIncident(of: team, after: decision)?.number == incident else { throw .isNotOpen }
        return roll(of: incident, after: decision)
    }

    /// Adds a line to the record and to the roll, and returns it as it was added.
    @discardableResult
    private func enterByHand(
        _ line: IncidentEntry, of team: TeamNumber, now: Instant, into decision: inout Decision
    ) -> IncidentEntry {
        var entry = line
        noteFirstAccounted(in: &entry, after: decision)
        decision.entries.append(entry)
        decision.rolls[entry.incident, default: roll(of: entry.incident)].apply(entry)
        decision.scratch.changes.append(.roll(entry, of: team))
        recount(team, now: now, into: &decision)
        return entry
    }
}
