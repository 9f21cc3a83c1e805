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
        for (entry, _) in lines where entry.event == .removed || entry.event == .joinedTo {
            try transaction.setDisplayNames(
                [entry.person: before.users[entry.person]?.displayName], of: entry.incident)
        }
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

    /// Stores in which crews the people on the roll of an incident that closes are, and what they are called, and those
    /// who started, led, closed or reopened it, so that its report stays the same when crews, teams and names change
    /// later.
    func storeCrewsAndNames(of incident: Incident, in transaction: any StoreTransaction) throws {
        let directory = rules.currentDirectory
        let lines = try transaction.roll(of: incident.number)
        let people = Set(lines.map(\.person))
        let crews = directory.crewNames(of: people, in: incident.team)
        try transaction.setCrews(crews, of: incident.number)
        let milestones = try transaction.milestones(of: incident.number, limit: milestoneLimit)
        let named = Set((lines.flatMap(\.users) + milestones.flatMap(\.users) + incident.users).compactMap(\.self))
        let users = named.compactMap { directory.users[$0] }
        let names = users.map { ($0.number, $0.displayName) }
        try transaction.setDisplayNames(Dictionary(uniqueKeysWithValues: names), of: incident.number)
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
