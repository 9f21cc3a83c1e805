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
        let (lines, milestones) = try await coordinator.read { store in
            (
                try store.roll(of: incident.number),
                try store.milestones(of: incident.number, limit: milestoneLimit)
            )
        }
        var call = RollCall(
            incident: incident, lines: lines.filter { maySeeAll || $0.person == access.principal.user },
            milestones: milestones)
        guard incident.isOpen else { return access.directory.named(call) }
        let people = Set(call.lines.map(\.person)).filter { $0 > IncidentEntry.nobody }
        call.known = try await coordinator.inspect { engine, _, _ in
            var known: [UserNumber: RollCall.Known] = [:]
            for person in people {
                known[person] = RollCall.Known(
                    lastSeen: engine.lastSeen(person), heard: engine.lastHeard(person),
                    battery: engine.lastBattery(person), unconfirmed: engine.declared(of: person).unconfirmed)
            }
            return known
        }
        return access.directory.named(call)
    }

    /// Parses the reason in a body.
    static func reason(in request: Request) async throws -> String {
        var fields = try await Fields(request)
        let reason = fields.text("reason", isRequired: true, limitBytes: Incident.noteLimitBytes)
        if let reason, reason.allSatisfy(\.isWhitespace) { fields.addFault("reason", "must not be empty") }
        try fields.finish()
        guard let reason else { throw Problem.internalError }
        return reason
    }
}

/// The largest number of lines about everyone being, or no longer being, accounted for in a roll call.
private let milestoneLimit = 10_000
