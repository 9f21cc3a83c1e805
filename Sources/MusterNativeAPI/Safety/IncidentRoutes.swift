import HTTPTypes
import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Routes that start, list, show, close and reopen a team's evacuations and drills. Leaders and admins change them.
struct IncidentRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        let readers: Route.Admission = .roles([.admin, .analyst, .leader, .member], devices: true)
        let leaders: Route.Admission = .roles([.admin, .leader], devices: false)
        let page = Route.Answer(200, "Incidents.", json: "IncidentPage")
        routes.add(
            Route(
                .post, "\(Self.root)/teams/{team}/incidents", admits: leaders,
                .init(
                    "Incidents",
                    "Start an evacuation or a drill of a team. A team has at most one open; a real one ends a drill.",
                    body: Self.json("NewIncident"), answers: [.init(201, "Started.", json: "Incident")]),
                handler: startIncident))
        routes.add(
            Route(
                .get, "\(Self.root)/teams/{team}/incidents", admits: readers,
                .init("Incidents", "List a team's incidents, newest first.", query: Self.paging, answers: [page]),
                handler: listTeamIncidents))
        routes.add(
            Route(
                .get, "\(Self.root)/incidents", admits: readers,
                .init("Incidents", "List the open incidents that you may see.", answers: [page]),
                handler: listOpenIncidents))
        routes.add(
            Route(
                .get, "\(Self.root)/incidents/{incident}",
                admits: .roles([.admin, .analyst, .leader, .member], devices: false),
                .init(
                    "Incidents", "Read an incident with its roll call. A member sees only their own entry.",
                    answers: [.init(200, "The incident, at this moment.", json: "IncidentRoll")]),
                handler: seeIncident))
        routes.add(
            Route(
                .post, "\(Self.root)/incidents/{incident}/close", admits: leaders,
                .init(
                    "Incidents", "Close an incident (all clear), with a reason.", body: Self.json("IncidentReason"),
                    answers: [
                        .init(
                            200, "Closed, and how many on its roll were accounted for at that moment.",
                            json: "ClosedIncident")
                    ]), handler: closeIncident))
        routes.add(
            Route(
                .post, "\(Self.root)/incidents/{incident}/reopen", admits: leaders,
                .init(
                    "Incidents", "Reopen a closed incident on the same roll, with a reason.",
                    body: Self.json("IncidentReason"), answers: [.init(200, "Open.", json: "Incident")]),
                handler: reopenIncident))
    }

    private func startIncident(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let access = try context.access(in: coordinator.directory)
        let team = try team(context, access)
        guard access.mayLead(team) else { throw Problem.forbidden }
        var fields = try await Fields(request)
        let kind: IncidentKind? = fields.word("kind", isRequired: true)
        let note = fields.text("note", limitBytes: Incident.noteLimitBytes)
        let id = Self.senderID(in: &fields)
        try fields.finish()
        guard let kind else { throw Problem.internalError }
        let incident = try await coordinator.startIncident(
            of: team.number, kind.kind, note: note, sentAs: id, by: Author(access.principal))
        return response(incident, .created)
    }

    private func closeIncident(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (incident, access) = try await ledIncident(context)
        let (reason, id) = try await Self.reason(in: request)
        let (closed, counts) = try await coordinator.closeIncident(
            incident, reason: reason, sentAs: id, by: Author(access.principal))
        // A repeated request gets the same answer, because the roll of a closed incident does not change.
        if let counts { return response(closed, .ok, counts) }
        return response(closed, .ok, try await roll(of: closed, for: access).counts)
    }

    private func reopenIncident(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (incident, access) = try await ledIncident(context)
        let (reason, id) = try await Self.reason(in: request)
        let user = access.principal.user
        let reopened = try await coordinator.withDecision(by: context.author) {
            [coordinator] engine, transaction, decision, now in
            // Reads the incident again, because another caller may have reopened it meanwhile.
            guard let incident = try transaction.incident(incident.number) else { throw Problem.notFound }
            if try transaction.line(.reopened, of: incident.number, sentAs: id, by: user) != nil { return incident }
            let users = coordinator.directory.users
            try engine.reopen(
                incident, record: try transaction.roll(of: incident.number), isUser: { users[$0] != nil }, by: user,
                reason: reason, id: id, now: now, into: &decision)
            return decision.incident(of: incident.team) ?? incident
        }
        return response(reopened, .ok)
    }

    private func listTeamIncidents(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let team = try team(context, context.access(in: coordinator.directory)).number
        var query = Query(request)
        let limit = query.limit()
        let cursor = query.incident("cursor")
        try query.finish()
        let found = try await coordinator.read { store in
            try store.incidents(of: team, before: cursor, limit: limit + 1)
        }
        let page = found.prefix(limit)
        let next = found.count > limit ? page.last.map { Cursor.encode([Int64($0.number.rawValue)]) } : nil
        return list(page, nextCursor: next)
    }

    private func listOpenIncidents(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let access = try context.access(in: coordinator.directory)
        // There are at most as many open incidents as teams.
        let open = try await coordinator.read { try $0.openIncidents() }.filter { access.mayRead($0) }
        return list(open[...], nextCursor: nil)
    }

    private func seeIncident(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let access = try context.access(in: coordinator.directory)
        let incident = try await incident(context, access)
        let roll = try await roll(of: incident, for: access)
        return .json { writer in
            writer.beginObject()
            writer.members(of: roll.incident)
            writeHorizon(of: incident, to: &writer)
            writer.members(of: roll)
            writer.endObject()
        }
    }

    private func list(_ incidents: ArraySlice<Incident>, nextCursor: String?) -> Response {
        let directory = coordinator.directory
        return .json { writer in
            writer.beginObject()
            writer.member("items", listing: incidents) { writer, incident in
                writer.beginObject()
                let named = directory.named(incident)
                writer.members(of: named)
                writeHorizon(of: incident, to: &writer)
                writer.member(displayNames: named.displayNames)
                writer.endObject()
            }
            writer.member("nextCursor", nextCursor)
            writer.endObject()
        }
    }

    /// Writes of a closed incident until when the server keeps its positions and changes: from then on it removes them,
    /// those of the call first. The record and the report stay.
    private func writeHorizon(of incident: Incident, to writer: inout JSONWriter) {
        guard !incident.isOpen else { return }
        let keptSeconds = configuration.retentionDays * 86_400
        writer.member("positionsKeptUntil", incident.startedAt.advanced(bySeconds: keptSeconds))
    }

    private func response(
        _ incident: Incident, _ status: HTTPResponse.Status, _ counts: RollCounts? = nil
    ) -> Response {
        .json(status) { writer in
            writer.beginObject()
            let named = coordinator.directory.named(incident)
            writer.members(of: named)
            if let counts { writer.member("counts", counts) }
            writer.member(displayNames: named.displayNames)
            writer.endObject()
        }
    }
}

/// The kinds of incidents, with their names in the API.
private enum IncidentKind: String, CaseIterable {
    case real, drill

    var kind: Incident.Kind { self == .drill ? .drill : .real }
}

extension Query {
    /// A cursor from an earlier answer.
    fileprivate mutating func incident(_ name: String) -> IncidentNumber? {
        guard let text = text(name) else { return nil }
        guard let numbers = Cursor.decode(text, count: 1), let number = Int32(exactly: numbers[0]) else {
            return fault(name, "is not a cursor from an answer")
        }
        return IncidentNumber(number)
    }
}
