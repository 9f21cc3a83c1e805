import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Routes for attendance rules.
struct AttendanceRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        let rules = "\(Self.root)/teams/{team}/attendance-rules"
        let readers: Route.Admission = .roles([.admin, .analyst, .leader], devices: false)
        let leaders: Route.Admission = .roles([.admin, .leader], devices: false)
        let rule = Route.Answer(200, "The rule, and where the people are whom it counts.", json: "AttendanceRule")
        routes.add(
            Route(
                .get, rules, admits: readers,
                .init(
                    "Attendance", "List a team's attendance rules.",
                    answers: [.init(200, "The rules, at this moment.", json: "AttendanceRules")]), handler: list))
        routes.add(
            Route(
                .get, "\(rules)/{rule}", admits: readers,
                .init("Attendance", "Read an attendance rule.", answers: [rule]), handler: see))
        routes.add(
            Route(
                .put, "\(rules)/{rule}", admits: leaders,
                .init(
                    "Attendance",
                    "Set an attendance rule of a team: who should be in a region. It replaces the one of this name.",
                    body: Self.json("NewAttendanceRule"), answers: [rule]), handler: putRule))
        routes.add(
            Route(
                .delete, "\(rules)/{rule}", admits: leaders,
                .init("Attendance", "Remove an attendance rule.", answers: [.init(204, "Gone.")]), handler: remove))
    }

    private func list(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let team = try readableTeam(context)
        let now = configuration.now()
        let (rules, directory) = try await coordinator.inspect { engine, directory, _ in
            (engine.attendanceRules(of: team.number).map { ($0, engine.count($0, now: now)) }, directory)
        }
        return .json { writer in
            writer.beginObject()
            writer.member("items", listing: rules) { $0.value(directory.named($1.0, $1.1)) }
            writer.endObject()
        }
    }

    private func see(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        try await response(try context.parameter("rule"), of: readableTeam(context))
    }

    private func putRule(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (team, access) = try ledTeam(context)
        let name = try context.parameter("rule")
        guard EntityName.isValid(name) else { throw Problem.invalid("/name", "must be \(Fields.nameRule)") }
        let terms = try await AttendanceFields(request, for: team, access, now: configuration.now())
        let author = access.principal.user
        try await coordinator.withDecision(by: context.author) { [coordinator] engine, transaction, decision, now in
            // An edit may have removed what the rule refers to meanwhile.
            let directory = coordinator.directory
            guard directory.teams[team.number] != nil, directory.regions[terms.region] != nil else {
                throw Problem.notFound
            }
            let number = engine.attendanceRule(named: name, of: team.number)?.number
            let rule = AttendanceRule(
                number: try number ?? transaction.nextAttendanceNumber(), team: team.number, name: name,
                region: terms.region, subject: terms.subject, demand: terms.demand,
                opensIncident: terms.opensIncident, note: terms.note, setBy: author, setAt: now)
            try engine.putAttendanceRule(rule, now: now, into: &decision)
        }
        return try await response(name, of: team)
    }

    private func remove(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (team, access) = try ledTeam(context)
        let (name, author) = (try context.parameter("rule"), access.principal.user)
        try await coordinator.withDecision(by: context.author) { engine, _, decision, now in
            guard let rule = engine.attendanceRule(named: name, of: team.number) else {
                throw AttendanceError.hasNoRule
            }
            try engine.removeAttendanceRule(rule.number, by: author, now: now, into: &decision)
        }
        return Response(status: .noContent)
    }

    private func response(_ name: String, of team: Team) async throws -> Response {
        let now = configuration.now()
        let (found, directory) = try await coordinator.inspect { engine, directory, _ in
            (
                engine.attendanceRule(named: name, of: team.number).map { ($0, engine.count($0, now: now)) },
                directory
            )
        }
        guard let (rule, count) = found else { throw AttendanceError.hasNoRule }
        return .json { $0.value(directory.named(rule, count)) }
    }
}
