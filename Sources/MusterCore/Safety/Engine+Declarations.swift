/// What people say of people.
extension Engine {
    /// After so many seconds a call for help that nobody acknowledged is told again.
    public static let reminderSeconds: Double = 60

    /// Takes up what was stored: what holds of what was declared, and the open incidents.
    public mutating func resume(declared: [(user: UserNumber, declared: Declared)], incidents: [Incident]) {
        for (user, declared) in declared where people.indices.contains(Int(user.rawValue)) {
            people[Int(user.rawValue)].declared = declared
        }
        for incident in incidents where incident.isOpen { self.incidents[incident.team] = incident }
    }

    /// What holds of what was declared of a person.
    public func declared(of user: UserNumber) -> Declared { person(user)?.declared ?? Declared() }

    func decideDeclaration(_ declaration: Declaration, now: Instant, into decision: inout Decision) -> Verdict {
        guard var person = decidedPerson(declaration.subject, after: decision),
            !Self.isAhead(declaration.sampleTime, of: now)
        else {
            decision.scratch.changes.append(.declaration(declaration, isCurrent: false))
            return .late
        }
        let incident = openIncident(asking: declaration.subject, person, after: decision)
        let isCurrent = person.declared.applyDeclaration(declaration, during: incident)
        decision.scratch.changes.append(.declaration(declaration, isCurrent: isCurrent))
        let changed = renewSafety(
            of: declaration.subject, person, now: now, decidedAt: declaration.moment, into: &decision)
        if let changed { follow(declaration.subject, changed, now: now, into: &decision) }
        return isCurrent ? .accepted : .late
    }

    /// Tells a call for help again when nobody acknowledged it for long enough: once, however long the server was off.
    func remind(of user: UserNumber, now: Instant, into decision: inout Decision) {
        guard var person = decidedPerson(user, after: decision), person.declared.isReminderDue(at: now) else { return }
        person.declared.toldAt = now
        person.declared.reminders &+= 1
        decision.record(person, of: user, isTold: false)
        decision.scratch.changes.append(.reminder(person.safety, of: user, count: person.declared.reminders))
    }
}
