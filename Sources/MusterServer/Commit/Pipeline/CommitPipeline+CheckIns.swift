import MusterCore
import MusterStore
import MusterWire

/// Opens the incidents that check-in timers ask for.
extension CommitPipeline {
    /// Opens the incidents that the timers of this decision ask for, in its transaction. It opens none if the user who
    /// started the timer no longer leads the person's team, or if a real incident of the team is open already, on whose
    /// roll the person is.
    mutating func openIncidents(now: Instant, in transaction: any StoreTransaction) throws {
        let directory = rules.currentDirectory
        for person in decision.peopleToOpenIncidentsFor {
            guard let user = directory.users[person], let team = user.team,
                let timer = decision.declared(of: person)?.timer,
                Access.mayStartIncidents(of: team, timer.setBy, in: directory),
                !isInRealIncident(team)
            else { continue }
            var incident = Incident(
                number: try transaction.nextIncidentNumber(), team: team, kind: .real,
                note: "No word from \(user.name) since \(timer.lastWord.rfc3339): the check-in timer ran out.",
                startedAt: now, startedBy: timer.setBy)
            incident.leader = nil
            try engine.start(incident, now: now, into: &decision)
            try append(to: transaction, now: now)
        }
    }

    func isInRealIncident(_ team: TeamNumber) -> Bool {
        (decision.incident(of: team) ?? engine.openIncident(of: team)).map { $0.isOpen && $0.kind == .real } ?? false
    }
}
