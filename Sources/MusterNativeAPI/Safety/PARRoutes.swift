import HTTPTypes
import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Routes by which a leader requests PAR, reports crews, and hands an incident over to another leader.
struct PARRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        let leaders: Route.Admission = .roles([.admin, .leader], devices: false)
        let incident = "\(Self.root)/incidents/{incident}"
        let answer = Route.Answer(200, "The incident, with its PAR.", json: "Incident")
        routes.add(
            Route(
                .post, "\(incident)/par", admits: leaders,
                .init(
                    "Incidents", "Request a PAR of all crews now. One that is open ends as it is.",
                    body: Self.json("NewPAR"), answers: [answer]), handler: requestPAR))
        routes.add(
            Route(
                .put, "\(incident)/par", admits: leaders,
                .init(
                    "Incidents", "Set when PAR is requested by itself, or that it is not.",
                    body: Self.json("PARTimer"), answers: [answer]), handler: setTimer))
        routes.add(
            Route(
                .post, "\(incident)/par/reports", admits: leaders,
                .init(
                    "Incidents", "Report how many people of a crew, or how many visitors, are present.",
                    body: Self.json("PARReport"), answers: [answer]), handler: report))
        routes.add(
            Route(
                .post, "\(incident)/handover", admits: leaders,
                .init(
                    "Incidents", "Hand the lead of an open incident over to a leader of its team, or to an admin.",
                    body: Self.json("Handover"), answers: [answer]), handler: handOver))
    }

    private func requestPAR(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (incident, access) = try await ledIncident(context)
        var fields = try await Fields(request)
        let note = fields.text("note", limitBytes: Incident.noteLimitBytes)
        let id = Self.senderID(in: &fields)
        try fields.finish()
        let user = access.principal.user
        return try await respond(incident, access, .parRequested, sentAs: id) { engine, decision, now in
            try engine.requestPAR(
                of: incident.number, of: incident.team, note: note, by: user, id: id, now: now, into: &decision)
        }
    }

    private func setTimer(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (incident, access) = try await ledIncident(context)
        var fields = try await Fields(request)
        if !fields.has("everySeconds") { fields.addFault("everySeconds", "is required: a number, or null for by hand") }
        let everySeconds = fields.number("everySeconds", in: PARTimer.everyLimits)
        let graceSeconds = fields.number("graceSeconds", in: PARTimer.graceLimits)
        try fields.finish()
        let user = access.principal.user
        return try await respond(incident, access) { engine, decision, now in
            let present = engine.par(of: incident.number, after: decision).timer
            let timer = PARTimer(everySeconds: everySeconds, graceSeconds: graceSeconds ?? present.graceSeconds)
            try engine.setPARTimer(
                timer, of: incident.number, of: incident.team, by: user, now: now, into: &decision)
        }
    }

    private func report(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (incident, access) = try await ledIncident(context)
        var fields = try await Fields(request)
        let crew = fields.text("crew", limitBytes: 4 * Crew.nameLimit)
        let isOfVisitors = fields.boolean("visitors") ?? false
        if isOfVisitors, crew != nil { fields.addFault("crew", "cannot be with visitors: they are in no crew") }
        let present = fields.wholeNumber("present", in: PARRound.presentLimits, isRequired: true)
        let number = fields.wholeNumber("number", in: 1...Double(PARRound.limit))
        let note = fields.text("note", limitBytes: Incident.noteLimitBytes)
        let id = Self.senderID(in: &fields)
        try fields.finish()
        guard let present else { throw Problem.internalError }
        let user = access.principal.user
        let isSame: @Sendable (IncidentEntry) -> Bool = { line in
            guard case .par(let round)? = line.detail else { return false }
            return round.crews.contains {
                $0.name == crew && $0.isVisitors == isOfVisitors && $0.present == present
            }
        }
        return try await respond(incident, access, .parReported, sentAs: id, where: isSame) { engine, decision, now in
            try engine.reportPAR(
                crew, isOfVisitors: isOfVisitors, present: present, note: note, number: number, of: incident.number,
                of: incident.team, by: user, id: id, now: now, into: &decision)
        }
    }

    private func handOver(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (incident, access) = try await ledIncident(context)
        var fields = try await Fields(request)
        let name = fields.name("to", isRequired: true)
        let note = fields.text("note", limitBytes: Incident.noteLimitBytes)
        let id = Self.senderID(in: &fields)
        try fields.finish()
        guard let name else { throw Problem.internalError }
        let user = access.principal.user
        let isSame: @Sendable (IncidentEntry) -> Bool = { $0.name == name }
        return try await respond(incident, access, .handedOver, sentAs: id, where: isSame) {
            [coordinator] engine, decision, now in
            let directory = coordinator.directory
            // A user who may not lead is answered like an unknown name: a leader does not see who else there is.
            guard let leader = directory.users[name],
                Access.mayLeadIncidents(of: incident.team, leader.number, in: directory)
            else { throw Problem.invalid("/to", "must be a leader of the incident's team, or an admin") }
            try engine.handOver(
                incident.number, of: incident.team, to: leader.number, named: leader.name, note: note, by: user,
                id: id, now: now, into: &decision)
        }
    }

    /// Decides something about an incident, unless an earlier request with the same sender's id did, and responds with
    /// the incident as it is then.
    private func respond(
        _ incident: Incident, _ access: Access, _ event: IncidentEntry.Event? = nil, sentAs id: String? = nil,
        where isSame: @escaping @Sendable (IncidentEntry) -> Bool = { _ in true },
        _ decide: @escaping @Sendable (Engine, inout Decision, Instant) throws -> Void
    ) async throws -> Response {
        let user = access.principal.user
        let (changed, par) = try await coordinator.withDecision(by: Author(access.principal)) {
            engine, transaction, decision, now in
            let known = try event.flatMap {
                try transaction.line($0, of: incident.number, sentAs: id, by: user, where: isSame)
            }
            if known == nil { try decide(engine, &decision, now) }
            let changed = try decision.incident(of: incident.team) ?? transaction.incident(incident.number) ?? incident
            return (changed, engine.par(of: incident.number, after: decision))
        }
        let directory = coordinator.directory
        return .json { writer in
            writer.beginObject()
            writer.members(of: directory.named(changed))
            writer.members(of: directory.named(par))
            writer.member(displayNames: directory.displayNames(for: changed.users + par.users))
            writer.endObject()
        }
    }
}

extension Fields {
    /// A whole number within a range; nil when it is absent, null or invalid.
    fileprivate mutating func wholeNumber(
        _ key: String, in range: ClosedRange<Double>, isRequired: Bool = false
    ) -> Int32? {
        guard let number = number(key, in: range, isRequired: isRequired) else { return nil }
        guard let whole = Int32(exactly: number) else { return fault(key, "must be a whole number") }
        return whole
    }
}
