/// Declarations about people, and reminders of calls for help.
extension Engine {
    /// After how many seconds an unacknowledged call for help is reported again.
    public static let reminderSeconds: Double = 60

    /// Restores the results of the declarations about people, and the open incidents, from the store.
    public mutating func resume(declared: [(user: UserNumber, declared: Declared)], incidents: [Incident]) {
        for (user, declared) in declared where people.indices.contains(Int(user.rawValue)) {
            people[Int(user.rawValue)].declared = declared
        }
        for incident in incidents where incident.isOpen { self.incidents[incident.team] = incident }
    }

    /// Returns the result of the declarations about a person.
    public func declared(of user: UserNumber) -> Declared { person(user)?.declared ?? Declared() }

    func decideDeclaration(_ declaration: Declaration, now: Instant, into decision: inout Decision) -> Verdict {
        guard var person = decidedPerson(declaration.subject, after: decision),
            !Self.isAhead(declaration.sampleTime, of: now)
        else {
            decision.scratch.changes.append(.declaration(declaration, isCurrent: false))
            return .late
        }
        let incident = openIncident(asking: declaration.subject, person, after: decision)
        var declaration = declaration
        declaration.repeatsCall = person.declared.isCalled(by: declaration)
        let isCurrent = person.declared.applyDeclaration(declaration, during: incident)
        decision.scratch.changes.append(.declaration(declaration, isCurrent: isCurrent))
        let changed = renewSafety(
            of: declaration.subject, person, now: now, decidedAt: declaration.moment, into: &decision)
        if let changed { follow(declaration.subject, changed, now: now, into: &decision) }
        recordWords(of: declaration, isCurrent: isCurrent, now: now, into: &decision)
        takeWord(declaration, isCurrent: isCurrent, now: now, into: &decision)
        return isCurrent ? .accepted : .late
    }

    /// Reports a call for help again when nobody has acknowledged it for long enough: once, however long the server was
    /// off.
    func remind(of user: UserNumber, now: Instant, into decision: inout Decision) {
        guard var person = decidedPerson(user, after: decision), person.declared.isReminderDue(at: now) else { return }
        person.declared.toldAt = now
        person.declared.reminders &+= 1
        decision.record(person, of: user, isTold: false)
        decision.scratch.changes.append(.reminder(person.safety, of: user, count: person.declared.reminders))
    }
}
