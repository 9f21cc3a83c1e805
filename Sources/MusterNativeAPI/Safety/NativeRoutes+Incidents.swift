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
        try await coordinator.roll(of: incident, for: access)
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
