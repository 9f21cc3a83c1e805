import Hummingbird
import MusterCore
import MusterServer
import MusterWire

/// The route by which a person on the roll of an incident says that they have seen its call.
struct CallRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .post, "\(Self.root)/incidents/{incident}/acknowledgement",
                admits: .roles([.admin, .analyst, .leader, .member], devices: true),
                .init(
                    "Incidents",
                    "Say that you have seen the call of an open incident on whose roll you are. It is no word that you "
                        + "are safe, and counts once until the incident is reopened.",
                    body: Self.json("NewCallAcknowledgement"),
                    answers: [.init(200, "When it was first recorded.", json: "CallAcknowledgement")]),
                handler: acknowledge))
    }

    private func acknowledge(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let access = try context.access(in: coordinator.directory)
        let incident = try await incident(context, access)
        guard let user = access.directory.users[access.principal.user], access.mayAcknowledgeCall(of: user) else {
            throw Problem.forbidden
        }
        let now = configuration.now()
        var fields = try await Fields(request)
        let id = Self.senderID(in: &fields)
        let saidAt = fields.instant("sampleTime") ?? now
        if saidAt > now.advanced(bySeconds: ReportLimits.futureToleranceSeconds) {
            fields.addFault("sampleTime", "is more than 60 s ahead of \(now.rfc3339)")
        }
        try fields.finish()
        let number = user.number
        let seenAt = try await coordinator.withDecision(by: context.author) {
            engine, transaction, decision, now -> Instant? in
            let known = try transaction.line(.callSeen, about: number, of: incident.number, sentAs: id, by: number)
            if let known { return known.at }
            do throws(IncidentError) {
                return try engine.recordCallSeen(
                    by: number, saidAt: saidAt, on: incident.number, of: incident.team, id: id, now: now,
                    into: &decision)
            } catch IncidentError.isNotOnRoll {
                throw Problem.conflict("You are not on the roll of this incident.")
            }
        }
        return .json { writer in
            writer.beginObject()
            writer.member("incident", Int64(incident.number.rawValue))
            writer.member("user", user.name)
            // An acknowledgement from before the incident was last opened belongs to an earlier call.
            writer.member("late", seenAt == nil)
            if let seenAt { writer.member("callSeenAt", seenAt) }
            writer.endObject()
        }
    }
}
