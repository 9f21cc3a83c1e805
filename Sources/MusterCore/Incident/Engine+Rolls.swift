/// The rolls of open incidents. The engine puts a person who joins the team on the roll; only a user's action takes
/// anyone off.
extension Engine {
    /// Returns the roll of an incident; an empty one for an incident that is not open.
    public func roll(of incident: IncidentNumber) -> Roll { rolls[incident] ?? Roll() }

    func roll(of incident: IncidentNumber, after decision: Decision) -> Roll {
        decision.rolls[incident] ?? rolls[incident] ?? Roll()
    }

    /// Restores the roll and the PAR of an open incident from its record.
    ///
    /// - Parameter record: the lines that decide who is on the roll, each person's newest line, and the newest ones
    ///   about PAR, in their order.
    public mutating func resume(roll record: [IncidentEntry], of incident: IncidentNumber) {
        rolls[incident] = Roll(record)
        courses[incident] = PARCourse(record)
    }

    /// Returns the lines that edits add to the records of open incidents: for users and devices that are removed or
    /// given to others, and for users who change their team. The caller stores these lines in the transaction of the
    /// edits, so that no crash lies between them.
    ///
    /// - Parameters:
    ///   - before: the directory as it was before the edits.
    ///   - author: the user who makes the edits; nil for the server itself.
    public func rollEntries(
        following edits: [Edit], over before: Directory, by author: UserNumber?, at now: Instant
    ) -> [(entry: IncidentEntry, team: TeamNumber)] {
        guard !rolls.isEmpty else { return [] }
        let removed = Set(
            edits.compactMap { edit in
                switch edit {
                case .removeUser(let user), .joinUser(let user, to: _): user
                default: nil
                }
            })
        return edits.flatMap { edit -> [(entry: IncidentEntry, team: TeamNumber)] in
            switch edit {
            case .removeUser(let user):
                let unknown = Safety(state: .unknown, since: now)
                return entries(of: user, by: author, at: now) { entry, _ in
                    entry.event = .removed
                    entry.safety = unknown
                    entry.name = before.users[user]?.name
                }
            case .joinUser(let user, to: let other):
                return joinEntries(of: user, to: other, over: before, by: author, at: now)
            case .putDevice(let device):
                guard let former = before.devices[device.number], former.user != device.user,
                    !removed.contains(former.user)
                else { return [] }
                return entries(of: former.user, by: author, at: now) { entry, _ in
                    entry.event = .deviceRemoved
                    entry.note = former.name
                }
            case .removeDevice(let number):
                guard let device = before.devices[number], !removed.contains(device.user) else { return [] }
                return entries(of: device.user, by: author, at: now) { entry, _ in
                    entry.event = .deviceRemoved
                    entry.note = device.name
                }
            case .putUser(let user):
                guard let former = before.users[user.number], former.team != user.team else { return [] }
                return entries(of: user.number, orOff: user.team, by: author, at: now) { entry, team in
                    entry.event = team == user.team ? .returned : .moved
                    entry.note = team == user.team ? nil : user.team.flatMap { before.teams[$0]?.name }
                }
            default: return []
            }
        }
    }

    /// Applies lines that are already on disk to the rolls.
    public mutating func enter(_ entries: [IncidentEntry]) {
        for entry in entries { rolls[entry.incident]?.apply(entry) }
    }

    /// Returns a line about a user for each roll that they are on, and for the incident of `team` if they ever were on
    /// its roll. `fill` completes each line.
    func entries(
        of user: UserNumber, orOff team: TeamNumber? = nil, by author: UserNumber?, at now: Instant,
        _ fill: (inout IncidentEntry, TeamNumber) -> Void
    ) -> [(entry: IncidentEntry, team: TeamNumber)] {
        incidents.values.sorted { $0.number < $1.number }.compactMap { incident in
            let roll = roll(of: incident.number)
            guard roll.holds(user) || (incident.team == team && roll.members[user] != nil) else { return nil }
            var entry = IncidentEntry(
                incident: incident.number, at: now, person: user, event: .changed, safety: safety(of: user),
                lastSeen: lastSeen(user), author: author)
            fill(&entry, incident.team)
            return (entry, incident.team)
        }
    }

    /// Puts people who joined a team on the roll of its open incident, ends old marks, counts who is accounted for, and
    /// closes incidents that their team closes automatically. The engine does this after edits, and at every sweep in
    /// case the process ended between an edit and its consequences.
    func keepRolls(now: Instant, into decision: inout Decision) {
        decision.defersRecount = false
        guard !incidents.isEmpty || !decision.incidents.isEmpty else { return }
        for index in people.indices {
            let user = UserNumber(Int32(index))
            guard let person = decidedPerson(user, after: decision), person.isPerson,
                let incident = openIncident(of: person.team, after: decision),
                roll(of: incident.number, after: decision).members[user] == nil
            else { continue }
            enrol(user, in: incident, as: .joined, now: now, into: &decision)
        }
        for incident in openIncidents(after: decision) {
            endOldMarks(on: incident, now: now, into: &decision)
            recount(incident.team, now: now, into: &decision)
            closeWhenStayedAccounted(incident.team, now: now, into: &decision)
        }
    }

    /// Puts a person on an incident's roll. A declaration of "safe" from before the incident no longer counts.
    func enrol(
        _ user: UserNumber, in incident: Incident, as event: IncidentEntry.Event, now: Instant,
        into decision: inout Decision
    ) {
        guard var person = decidedPerson(user, after: decision) else { return }
        if person.declared.status == .safe, person.declared.incident != incident.number {
            person.declared.endUnconfirmed()
        }
        // The person may be on the roll of another incident too.
        if let changed = renewSafety(of: user, person, now: now, decidedAt: now, into: &decision) {
            follow(user, changed, now: now, into: &decision)
        }
        endPause(of: user, .incident, into: &decision)
        guard let enrolled = decidedPerson(user, after: decision) else { return }
        enter(event, of: user, enrolled, in: incident.number, now: now, into: &decision)
        guard event == .joined, let line = decision.entries.last else { return }
        decision.scratch.changes.append(.roll(line, of: incident.team))
    }

    /// Adds a line about a user to the record of an incident.
    func enter(
        _ event: IncidentEntry.Event, of user: UserNumber, _ person: PersonState, in incident: IncidentNumber,
        now: Instant, into decision: inout Decision
    ) {
        var entry = IncidentEntry(
            incident: incident, at: now, person: user, event: event, safety: person.safety,
            lastSeen: lastSeen(user, after: decision))
        noteFirstAccounted(in: &entry, after: decision)
        decision.entries.append(entry)
        // Most changes of safety do not change the roll, so this does not copy the roll for them.
        guard event != .changed || entry.isFirstAccounted else { return }
        decision.rolls[incident, default: roll(of: incident)].apply(entry)
    }

    /// Notes in a line about a change of safety that it is the first since the call of the incident by which the person
    /// is accounted for.
    func noteFirstAccounted(in entry: inout IncidentEntry, after decision: Decision) {
        guard entry.event == .changed, entry.safety.isAccounted,
            roll(of: entry.incident, after: decision).members[entry.person] != nil,
            roll(of: entry.incident, after: decision).firstAccounted[entry.person] == nil
        else { return }
        entry.detail = .firstAccounted
    }

    /// Adds a line about a declaration to the record of every open incident on whose roll its subject is: where it has
    /// a text, which no change of safety keeps, and where another user made it, because evidence of a phone may say the
    /// same.
    func recordWords(of declaration: Declaration, isCurrent: Bool, now: Instant, into decision: inout Decision) {
        let isMark = declaration.author != declaration.subject && declaration.kind != .acknowledge
        guard declaration.note != nil || isMark, let person = decidedPerson(declaration.subject, after: decision) else {
            return
        }
        let note = IncidentDetail.DeclaredNote(
            at: declaration.moment, kind: declaration.kind, isCurrent: isCurrent)
        for incident in openIncidents(after: decision) {
            guard roll(of: incident.number, after: decision).follows(declaration.subject) else { continue }
            let entry = IncidentEntry(
                incident: incident.number, at: now, person: declaration.subject, event: .declared,
                safety: person.safety, lastSeen: lastSeen(declaration.subject, after: decision),
                author: declaration.author, note: declaration.note, detail: .declared(note))
            decision.entries.append(entry)
            decision.rolls[incident.number, default: roll(of: incident.number)].apply(entry)
        }
    }

    /// Whether a change to this user's record may change a roll.
    func isOnARoll(_ user: UserNumber) -> Bool {
        guard !incidents.isEmpty else { return false }
        return person(user)?.team.flatMap { incidents[$0] } != nil || rolls.values.contains { $0.holds(user) }
    }
}
