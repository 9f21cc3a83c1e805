import HTTPTypes
import Hummingbird
import MusterCore
import MusterStore
import MusterWire

extension NativeEndpoint {
    func addIncidents(to routes: inout RouteTable) {
        let readers: Route.Admission = .roles([.admin, .analyst, .leader, .member], devices: true)
        let leaders: Route.Admission = .roles([.admin, .leader], devices: false)
        let page = Route.Answer(200, "Incidents.", json: "IncidentPage")
        routes.add(
            Route(
                .post, "\(Self.root)/teams/{team}/incidents", admits: leaders,
                .init(
                    "Incidents", "Evacuate: start an incident of a team, or a drill. A team has at most one open.",
                    body: Self.json("NewIncident"), answers: [.init(201, "Started.", json: "Incident")]),
                handler: startIncident))
        routes.add(
            Route(
                .get, "\(Self.root)/teams/{team}/incidents", admits: readers,
                .init("Incidents", "A team's incidents, newest first.", query: Self.paging, answers: [page]),
                handler: listTeamIncidents))
        routes.add(
            Route(
                .get, "\(Self.root)/incidents", admits: readers,
                .init("Incidents", "Every incident that is open and may be seen.", answers: [page]),
                handler: listOpenIncidents))
        routes.add(
            Route(
                .get, "\(Self.root)/incidents/{incident}",
                admits: .roles([.admin, .analyst, .leader, .member], devices: false),
                .init(
                    "Incidents", "An incident with its roll call. A member finds itself alone on it.",
                    answers: [.init(200, "The incident, at this moment.", json: "IncidentRoll")]),
                handler: seeIncident))
        routes.add(
            Route(
                .post, "\(Self.root)/incidents/{incident}/close", admits: leaders,
                .init(
                    "Incidents", "Close an incident by hand, for a reason.", body: Self.json("IncidentClosing"),
                    answers: [.init(200, "Closed.", json: "Incident")]), handler: closeIncident))
    }

    private func startIncident(_ request: Request, _ exchange: Exchange) async throws -> Response {
        let access = try exchange.access(in: ledger.directory)
        let team = try team(exchange, access)
        guard access.mayLead(team) else { throw Problem.forbidden }
        var fields = try await Fields(request)
        let kind: IncidentKind? = fields.word("kind", isRequired: true)
        let note = fields.text("note", limitBytes: Incident.noteLimitBytes)
        try fields.finish()
        guard let kind else { throw Problem.internalError }
        let user = access.principal.user
        do {
            let incident = try await ledger.decide { engine, transaction, decision, now in
                let incident = Incident(
                    number: try transaction.nextIncidentNumber(), team: team.number,
                    kind: kind == .drill ? .drill : .real, note: note, startedAt: now, startedBy: user)
                try engine.start(incident, now: now, into: &decision)
                return decision.incident(of: team.number) ?? incident
            }
            return answer(incident, .created)
        } catch let fault as IncidentFault {
            throw Problem.conflict(fault.sentence(of: team))
        }
    }

    private func closeIncident(_ request: Request, _ exchange: Exchange) async throws -> Response {
        let access = try exchange.access(in: ledger.directory)
        let incident = try await incident(exchange, access)
        guard let team = access.directory.teams[incident.team], access.mayLead(team) else { throw Problem.forbidden }
        var fields = try await Fields(request)
        let reason = fields.text("reason", isRequired: true, limitBytes: Incident.noteLimitBytes)
        try fields.finish()
        guard let reason else { throw Problem.internalError }
        let user = access.principal.user
        do {
            let closed = try await ledger.decide { engine, _, decision, now in
                try engine.close(
                    incident.number, of: team.number, by: user, reason: reason, now: now, into: &decision)
                return decision.incident(of: team.number) ?? incident
            }
            return answer(closed, .ok)
        } catch let fault as IncidentFault {
            throw Problem.conflict(fault.sentence(of: team))
        }
    }

    private func listTeamIncidents(_ request: Request, _ exchange: Exchange) async throws -> Response {
        let team = try team(exchange, exchange.access(in: ledger.directory)).number
        var query = Query(request)
        let limit = query.limit()
        let cursor = query.incident("cursor")
        try query.finish()
        let found = try await ledger.read { store in
            try store.incidents(of: team, before: cursor, limit: limit + 1)
        }
        let page = found.prefix(limit)
        let next = found.count > limit ? page.last.map { Cursor.encode([Int64($0.number.rawValue)]) } : nil
        return list(page, nextCursor: next)
    }

    private func listOpenIncidents(_ request: Request, _ exchange: Exchange) async throws -> Response {
        let access = try exchange.access(in: ledger.directory)
        // As many as there are teams at most.
        let open = try await ledger.read { try $0.openIncidents() }.filter { access.mayRead($0) }
        return list(open[...], nextCursor: nil)
    }

    private func seeIncident(_ request: Request, _ exchange: Exchange) async throws -> Response {
        let access = try exchange.access(in: ledger.directory)
        let incident = try await incident(exchange, access)
        let roll = try await roll(of: incident, for: access)
        return .json { writer in
            writer.beginObject()
            writer.members(of: roll.incident)
            writer.members(of: roll)
            writer.endObject()
        }
    }

    /// The incident that the path names, if it may be seen.
    ///
    /// - Throws: `Problem.notFound` when there is none, or not for these eyes.
    func incident(_ exchange: Exchange, _ access: Access) async throws -> Incident {
        guard let number = Int32(try exchange.parameter("incident")), number > 0,
            let incident = try await ledger.read({ try $0.incident(IncidentNumber(number)) }), access.mayRead(incident)
        else { throw Problem.notFound }
        return incident
    }

    /// Who of an incident is accounted for: all of it, or whoever asks alone, who may not see the others.
    func roll(of incident: Incident, for access: Access) async throws -> NamedRoll {
        let entries = try await ledger.read { try $0.roll(of: incident.number) }.filter { entry in
            access.mayReadRoll(of: incident) || entry.person == access.principal.user
        }
        guard incident.isOpen else { return access.directory.roll(of: incident, entries) { $0.lastSeen } }
        let people = entries.map(\.person)
        let places = try await ledger.inspect { engine, _, _ in people.map { engine.lastSeen($0) } }
        let newest = Dictionary(uniqueKeysWithValues: zip(people, places))
        return access.directory.roll(of: incident, entries) { (newest[$0.person] ?? nil) ?? $0.lastSeen }
    }

    private func list(_ incidents: ArraySlice<Incident>, nextCursor: String?) -> Response {
        let directory = ledger.directory
        return .json { writer in
            writer.beginObject()
            writer.member("items", listing: incidents) { writer, incident in
                writer.beginObject()
                writer.members(of: directory.named(incident))
                writer.endObject()
            }
            writer.member("nextCursor", nextCursor)
            writer.endObject()
        }
    }

    private func answer(_ incident: Incident, _ status: HTTPResponse.Status) -> Response {
        .json(status) { writer in
            writer.beginObject()
            writer.members(of: ledger.directory.named(incident))
            writer.endObject()
        }
    }
}

/// A kind of incident by the name that the wire has for it.
private enum IncidentKind: String, CaseIterable {
    case real, drill
}

extension IncidentFault {
    /// What to tell whoever asked.
    fileprivate func sentence(of team: Team) -> String {
        switch self {
        case .isOpen(let number): "Incident \(number.rawValue) of \(team.name) is open."
        case .nobodyToAccountFor: "Nobody is in \(team.name): there is nobody to account for."
        case .isNotOpen: "This incident is closed already."
        }
    }
}

extension Query {
    /// A cursor that an answer held.
    fileprivate mutating func incident(_ name: String) -> IncidentNumber? {
        guard let text = text(name) else { return nil }
        guard let numbers = Cursor.decode(text, count: 1), let number = Int32(exactly: numbers[0]) else {
            return fault(name, "is none that an answer held")
        }
        return IncidentNumber(number)
    }
}
