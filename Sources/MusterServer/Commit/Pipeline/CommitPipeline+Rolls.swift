import MusterCore
import MusterStore

/// An edit that changes a roll adds a line to the incident's record, in the edit's own transaction. So rolls are as
/// durable as the edits that affect them.
extension CommitPipeline {
    /// Appends the effects of edits on the rolls of open incidents, in the edits' own transaction.
    ///
    /// - Returns: the appended lines, to pass to `enter` once they are on disk.
    /// - Throws: `IncidentError.keepsTeam` where an edit removes a team whose incident is open;
    ///   `JoinError.callsForHelp` where an edit joins a user who is calling for help; the store's errors.
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
            // The audit log holds every other line as the edit itself.
            guard entry.event == .joinedTo, let line = change.audit(at: sequence) else { continue }
            try transaction.append(line)
        }
        return lines.map(\.entry)
    }

    /// Stores in which crews the people on the roll of an incident that closes are, so that its report stays the same
    /// when crews and teams change later.
    func storeCrews(of incident: Incident, in transaction: any StoreTransaction) throws {
        let people = Set(try transaction.roll(of: incident.number).map(\.person))
        let crews = rules.currentDirectory.crewNames(of: people, in: incident.team)
        try transaction.setCrews(crews, of: incident.number)
    }
}

extension Engine {
    /// Loads the declarations, the open incidents and their rolls.
    mutating func resumeIncidents(of store: some Store) throws {
        let open = try store.openIncidents()
        resume(declared: try store.declared(), incidents: open)
        for incident in open { resume(roll: try store.roll(of: incident.number), of: incident.number) }
    }
}
