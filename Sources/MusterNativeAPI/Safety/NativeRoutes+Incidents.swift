import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Lookups that the routes about incidents share.
extension NativeRoutes {
    /// The incident that the path names, if the caller may run it.
    ///
    /// - Throws: `Problem.notFound` when it does not exist or the caller may not see it; `.forbidden` when the caller
    ///   may only see it.
    func ledIncident(_ context: AppRequestContext) async throws -> (Incident, Access) {
        let access = try context.access(in: coordinator.directory)
        let incident = try await incident(context, access)
        guard let team = access.directory.teams[incident.team], access.mayLead(team) else { throw Problem.forbidden }
        return (incident, access)
    }

    /// The incident that the path names, if the caller may see it.
    ///
    /// - Throws: `Problem.notFound` when it does not exist or the caller may not see it.
    func incident(_ context: AppRequestContext, _ access: Access) async throws -> Incident {
        guard let number = Int32(try context.parameter("incident")), number > 0,
            let incident = try await coordinator.read({ try $0.incident(IncidentNumber(number)) }),
            access.mayRead(incident)
        else { throw Problem.notFound }
        return incident
    }

    /// The roll of an incident. Holds everyone on it, or only the caller where the caller may not see the others.
    func roll(of incident: Incident, for access: Access) async throws -> NamedRoll {
        let maySeeAll = access.mayReadRoll(of: incident)
        let (lines, milestones, crews) = try await coordinator.read { store in
            (
                try store.roll(of: incident.number),
                try store.milestones(of: incident.number, limit: milestoneLimit),
                try store.crews(of: incident.number)
            )
        }
        var call = RollCall(
            incident: incident,
            lines: lines.filter {
                maySeeAll || $0.person == access.principal.user || $0.event == .reopened
            },
            milestones: milestones, crews: crews)
        if maySeeAll { call.par = PARCourse(lines) }
        guard incident.isOpen else { return access.directory.named(call) }
        let people = Set(call.lines.map(\.person)).filter { $0 > IncidentEntry.nobody }
        call.crews = access.directory.crewNames(of: people, in: incident.team)
        call.phones = access.phones(of: people)
        (call.known, call.par) = try await coordinator.inspect { engine, _, _ in
            var known: [UserNumber: RollCall.Known] = [:]
            for person in people {
                known[person] = RollCall.Known(
                    lastSeen: engine.lastSeen(person), heard: engine.lastHeard(person),
                    battery: engine.lastBattery(person), unconfirmed: engine.declared(of: person).unconfirmed)
            }
            return (known, maySeeAll ? engine.par(of: incident.number) : PARCourse())
        }
        return access.directory.named(call)
    }

    /// Parses the sender's id of a request, by which the server recognizes a repeated request.
    static func senderID(in fields: inout Fields) -> String? {
        let id = fields.text("id", limitBytes: Declaration.idLimit)
        if let id, !Declaration.isValid(id: id) {
            fields.addFault("id", "must be 1 to 64 letters, digits and any of . _ -")
        }
        return id
    }

    /// Parses the reason and the sender's id in a body.
    static func reason(in request: Request) async throws -> (reason: String, id: String?) {
        var fields = try await Fields(request)
        let id = senderID(in: &fields)
        let reason = fields.text("reason", isRequired: true, limitBytes: Incident.noteLimitBytes)
        if let reason, reason.allSatisfy(\.isWhitespace) { fields.addFault("reason", "must not be empty") }
        try fields.finish()
        guard let reason else { throw Problem.internalError }
        return (reason, id)
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
    func line(
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

/// The largest number of lines about everyone being, or no longer being, accounted for in a roll call.
private let milestoneLimit = 10_000
