package import MusterCore
package import MusterStore
package import MusterWire

/// The commands and reads of incidents that endpoints share. The caller checks the rights.
extension StoreCoordinator {
    /// Starts an incident of a team. A request that was sent before gets the incident that it started.
    ///
    /// - Parameters:
    ///   - id: the sender's id of the request; nil for a request that is never sent again.
    ///   - author: who starts and leads it.
    /// - Returns: the incident, once it is on disk.
    /// - Throws: `IncidentError`; `Problem.conflict` when an earlier request of another kind has the id;
    ///   `CoordinatorError`.
    package func startIncident(
        of team: TeamNumber, _ kind: Incident.Kind, note: String?, sentAs id: String?, by author: Author
    ) async throws -> Incident {
        try await withDecision(by: author) { engine, transaction, decision, now in
            if let id, let known = try transaction.incident(of: team, startedAs: id) {
                guard known.startedBy == author.user, known.kind == kind else {
                    throw Problem.conflict("An earlier request for this team has this id: send a new id.")
                }
                return known
            }
            var incident = Incident(
                number: try transaction.nextIncidentNumber(), team: team, kind: kind, note: note, startedAt: now,
                startedBy: author.user)
            incident.startID = id
            try engine.start(incident, now: now, into: &decision)
            return decision.incident(of: team) ?? incident
        }
    }

    /// Closes an incident. A request that was sent before changes nothing.
    ///
    /// - Returns: the closed incident, once that is on disk, and how many of its roll were accounted for; nil for a
    ///   repeated request.
    /// - Throws: `IncidentError`; `Problem.conflict` when an earlier request of another kind has the id;
    ///   `CoordinatorError`.
    package func closeIncident(
        _ incident: Incident, reason: String, sentAs id: String?, by author: Author
    ) async throws -> (incident: Incident, counts: RollCounts?) {
        try await withDecision(by: author) { engine, transaction, decision, now in
            if try transaction.line(.closed, of: incident.number, sentAs: id, by: author.user) != nil {
                return (try transaction.incident(incident.number) ?? incident, nil)
            }
            // Counted first: declarations of "safe" end with the incident.
            let counts = engine.rollCounts(of: incident.number, after: decision)
            try engine.close(
                incident.number, of: incident.team, by: author.user, reason: reason, id: id, now: now,
                into: &decision)
            return (decision.incident(of: incident.team) ?? incident, counts)
        }
    }

    /// The roll of an incident. Holds everyone on it, or only the caller where the caller may not see the others.
    package func roll(of incident: Incident, for access: Access) async throws -> NamedRoll {
        let maySeeAll = access.mayReadRoll(of: incident)
        let (lines, milestones, crews, names) = try await read { store in
            (
                try store.roll(of: incident.number),
                try store.milestones(of: incident.number, limit: milestoneLimit),
                try store.crews(of: incident.number),
                try store.displayNames(of: incident.number)
            )
        }
        var call = RollCall(
            incident: incident,
            lines: lines.filter {
                maySeeAll || $0.person == access.principal.user || $0.event == .reopened
            },
            milestones: milestones, crews: crews)
        call.showsAll = maySeeAll
        if maySeeAll { call.par = PARCourse(lines) }
        call.displayNames = names
        guard incident.isOpen else { return access.directory.named(call) }
        let people = Set(call.lines.map(\.person)).filter { $0 > IncidentEntry.nobody }
        call.crews = access.directory.crewNames(of: people, in: incident.team)
        call.phones = access.phones(of: people)
        (call.known, call.par) = try await inspect { engine, _, _ in
            var known: [UserNumber: RollCall.Known] = [:]
            for person in people {
                known[person] = RollCall.Known(
                    lastSeen: engine.lastSeen(person), heard: engine.lastHeard(person),
                    battery: engine.lastBattery(person), unconfirmed: engine.declared(of: person).unconfirmed)
            }
            return (known, maySeeAll ? engine.par(of: incident.number) : PARCourse())
        }
        // The store has the names of people who were removed while they were on the roll.
        for person in people.union(call.authors) {
            guard let user = access.directory.users[person] else { continue }
            call.displayNames[person] = user.displayName
        }
        return access.directory.named(call)
    }
}

extension SafetyTransaction {
    /// Returns the line that an earlier request with the same sender's id added to an incident's record; nil for the
    /// first such request, and for one without an id.
    ///
    /// - Parameters:
    ///   - person: whom the request is about; nil for a request about a new visitor or the incident.
    ///   - isSame: whether a line says what the request says.
    /// - Throws: `Problem.conflict` when the earlier request was another one.
    package func line(
        _ event: IncidentEntry.Event, about person: UserNumber? = nil, of incident: IncidentNumber, sentAs id: String?,
        by author: UserNumber, where isSame: (IncidentEntry) -> Bool = { _ in true }
    ) throws -> IncidentEntry? {
        guard let id, let line = try line(of: incident, sentAs: id) else { return nil }
        guard line.event == event, line.author == author, person ?? line.person == line.person, isSame(line) else {
            throw Problem.conflict("An earlier request about this incident has this id: send a new id.")
        }
        return line
    }
}

/// The largest number of lines about the incident itself that a roll call reads.
let milestoneLimit = 10_000
