import MusterCore
import MusterStore
import MusterWire

/// Stores attendance rules, and opens the incidents that they ask for.
extension CommitPipeline {
    /// Stores the attendance rules that this decision changes.
    func storeAttendanceRules(in transaction: any StoreTransaction) throws {
        for (number, rule) in decision.attendanceToStore {
            if let rule { try transaction.put(rule) } else { try transaction.remove(number) }
        }
    }

    /// Opens the incidents that this decision's attendance rules ask for, in its transaction. It opens none if the user
    /// who set the rule no longer leads the team, or if a real incident of the team is open already.
    mutating func openIncidentsOfAttendance(now: Instant, in transaction: any StoreTransaction) throws {
        let directory = rules.currentDirectory
        for rule in decision.attendanceToOpenIncidentsFor {
            guard Access.mayStartIncidents(of: rule.team, rule.setBy, in: directory), !isInRealIncident(rule.team)
            else { continue }
            var incident = Incident(
                number: try transaction.nextIncidentNumber(), team: rule.team, kind: .real,
                note: note(of: rule, in: directory), startedAt: now, startedBy: rule.setBy)
            incident.leader = nil
            // The engine refuses an incident of a team without people.
            guard (try? engine.start(incident, now: now, into: &decision)) != nil else { continue }
            try append(to: transaction, now: now)
        }
    }

    private func note(of rule: AttendanceRule, in directory: Directory) -> String {
        let region = directory.regions[rule.region]?.name ?? "a region that was removed"
        let words: String
        switch rule.demand {
        case .atLeast:
            let since = rule.progress.lackingSince.map { " since \($0.rfc3339)" } ?? ""
            words = "Too few are known to be in \(region)\(since)"
        case .during:
            // Everyone in the team reads the note, but only leaders may read where people are.
            words = "Expected in \(region) and not known to be there: \(rule.progress.awaited.count)"
        }
        return ["\(words): the rule \(rule.name).", rule.note].compactMap(\.self).joined(separator: " ")
    }
}
