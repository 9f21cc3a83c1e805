import MusterCore
import MusterStore

/// Rolls of incidents are as durable as the edits that touch them: what an edit does to a roll is a line of the
/// incident's record in the edit's own transaction.
extension CommitPipeline {
    /// Appends what edits do to the rolls of open incidents, in the transaction of the edits.
    ///
    /// - Returns: the lines, for `enter` once they are on disk.
    /// - Throws: `IncidentError.keepsTeam` where a team is removed whose incident is open; `JoinError.callsForHelp`
    ///   where someone is joined who does; what the store throws.
    func appendRollEntries(
        following edits: [Edit], over before: Directory, by author: Author?, at moment: Instant,
        to transaction: any StoreTransaction
    ) throws -> [IncidentEntry] {
        for edit in edits {
            guard case .removeTeam(let team) = edit, let open = engine.openIncident(of: team) else { continue }
            throw IncidentError.keepsTeam(open.number)
        }
        try engine.checkJoins(among: edits)
        let lines = engine.rollEntries(following: edits, over: before, by: author?.user, at: moment)
        for (entry, team) in lines {
            try transaction.append(entry)
            let change = Change.roll(entry, of: team)
            let sequence = try transaction.append(change)
            // All else stands in the audit log as the edit that it is.
            guard entry.event == .joinedTo, let line = change.audit(at: sequence) else { continue }
            try transaction.append(line)
        }
        return lines.map(\.entry)
    }
}

extension Engine {
    /// Takes up what was declared, the open incidents and who is on their rolls.
    mutating func resumeIncidents(of store: some Store) throws {
        let open = try store.openIncidents()
        resume(declared: try store.declared(), incidents: open)
        for incident in open { resume(roll: try store.roll(of: incident.number), of: incident.number) }
    }
}
