import Hummingbird
import MusterCore
import MusterServer
import MusterWire

/// Routes by which a leader changes the roll of an incident by hand: adds a visitor, takes a person off, or declares a
/// person's safety.
struct RollRoutes: NativeRoutes {
    let server: ServerParts

    /// The largest length of a visitor's name, in bytes of UTF-8.
    static let visitorNameLimitBytes = 200

    func register(in routes: inout RouteTable) {
        let leaders: Route.Admission = .roles([.admin, .leader], devices: false)
        let roll = "\(Self.root)/incidents/{incident}/roll"
        routes.add(
            Route(
                .post, roll, admits: leaders,
                .init(
                    "Incidents", "Add a visitor without a phone to the roll of an open incident.",
                    body: Self.json("NewVisitor"),
                    answers: [.init(201, "Added; the line in the incident's record.", json: "RecordLine")]),
                handler: addVisitor))
        routes.add(
            Route(
                .post, "\(roll)/{person}/mark", admits: leaders,
                .init(
                    "Incidents", "Declare how a visitor, or a person removed from the server, is.",
                    body: Self.json("RollMark"), answers: [.init(200, "Marked.", json: "RecordLine")]),
                handler: mark))
        routes.add(
            Route(
                .post, "\(roll)/{person}/removal", admits: leaders,
                .init(
                    "Incidents",
                    "Take a person off the roll of an open incident, with a reason. Nobody then waits for them.",
                    body: Self.json("IncidentReason"), answers: [.init(200, "Taken off.", json: "RecordLine")]),
                handler: takeOff))
    }

    private func addVisitor(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (incident, access) = try await ledIncident(context)
        var fields = try await Fields(request)
        let name = fields.text("name", isRequired: true, limitBytes: Self.visitorNameLimitBytes)
        if let name, name.allSatisfy(\.isWhitespace) { fields.addFault("name", "must not be empty") }
        let state: RollState? = fields.word("state")
        let note = fields.text("note", limitBytes: Incident.noteLimitBytes)
        let id = Self.senderID(in: &fields)
        try fields.finish()
        guard let name else { throw Problem.internalError }
        let user = access.principal.user
        let line = try await coordinator.withDecision(by: context.author) { engine, transaction, decision, now in
            let known = try transaction.line(.visitor, of: incident.number, sentAs: id, by: user) { $0.name == name }
            if let known { return known }
            return try engine.addVisitor(
                named: name, (state ?? .unaccounted).state, note: note, to: incident.number, of: incident.team,
                by: user, id: id, now: now, into: &decision)
        }
        return .json(.created) { $0.value(access.directory.named(line)) }
    }

    private func mark(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (incident, access) = try await ledIncident(context)
        let person = try rollNumber(context)
        var fields = try await Fields(request)
        let state: RollState? = fields.word("state", isRequired: true)
        let note = fields.text("note", limitBytes: Incident.noteLimitBytes)
        let id = Self.senderID(in: &fields)
        try fields.finish()
        guard let state = state?.state else { throw Problem.internalError }
        let user = access.principal.user
        let line = try await coordinator.withDecision(by: context.author) { engine, transaction, decision, now in
            let known = try transaction.line(.changed, about: person, of: incident.number, sentAs: id, by: user) {
                $0.safety.state == state
            }
            if let known { return known }
            return try engine.mark(
                person, state, note: note, on: incident.number, of: incident.team, by: user, id: id, now: now,
                into: &decision)
        }
        return .json { $0.value(access.directory.named(line)) }
    }

    private func takeOff(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (incident, access) = try await ledIncident(context)
        let person = try rollNumber(context)
        let (reason, id) = try await Self.reason(in: request)
        let user = access.principal.user
        let line = try await coordinator.withDecision(by: context.author) { engine, transaction, decision, now in
            let known = try transaction.line(.takenOff, about: person, of: incident.number, sentAs: id, by: user)
            if let known { return known }
            return try engine.takeOff(
                person, reason: reason, from: incident.number, of: incident.team, by: user, id: id, now: now,
                into: &decision)
        }
        return .json { $0.value(access.directory.named(line)) }
    }

    /// The number of the person in the path.
    private func rollNumber(_ context: AppRequestContext) throws -> UserNumber {
        guard let number = Int32(try context.parameter("person")), number != 0 else { throw Problem.notFound }
        return UserNumber(number)
    }
}

/// The states of people on a roll, with their names in the API.
private enum RollState: String, CaseIterable {
    case safe, offSite, needsHelp, unaccounted

    var state: Safety.State {
        switch self {
        case .safe: .safe
        case .offSite: .offSite
        case .needsHelp: .needsHelp
        case .unaccounted: .unknown
        }
    }
}
