import MusterCore
import MusterStore
import MusterWire

/// Incidents that check-in timers open.
extension CommitPipeline {
    /// Opens the incidents that the timers of this decision ask for, in its transaction. None is opened where the user
    /// who started the timer leads the person's team no longer, or where a real incident of the team is open already,
    /// on whose roll the person is.
    mutating func openIncidents(now: Instant, in transaction: any StoreTransaction) throws {
        let directory = rules.currentDirectory
        for person in decision.peopleToOpenIncidentsFor {
            guard let user = directory.users[person], let team = user.team,
                let timer = decision.declared(of: person)?.timer, directory.leads(timer.setBy, team),
                !isInRealIncident(team)
            else { continue }
            let incident = Incident(
                number: try transaction.nextIncidentNumber(), team: team, kind: .real,
                note: "No word from \(user.name) since \(timer.lastWord.rfc3339): the check-in timer ran out.",
                startedAt: now, startedBy: timer.setBy)
            try engine.start(incident, now: now, into: &decision)
            try append(to: transaction, now: now)
        }
    }

    func isInRealIncident(_ team: TeamNumber) -> Bool {
        (decision.incident(of: team) ?? engine.openIncident(of: team)).map { $0.isOpen && $0.kind == .real } ?? false
    }
}

extension Directory {
    /// Whether a user may start incidents of a team.
    func leads(_ number: UserNumber, _ team: TeamNumber) -> Bool {
        guard let user = users[number] else { return false }
        return user.role == .admin || (user.role == .leader && user.team == team)
    }
}
