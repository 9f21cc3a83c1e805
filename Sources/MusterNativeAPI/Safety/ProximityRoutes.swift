import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Routes for proximity rules.
struct ProximityRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        let rules = "\(Self.root)/teams/{team}/proximity-rules"
        let readers: Route.Admission = .roles([.admin, .analyst, .leader], devices: false)
        let leaders: Route.Admission = .roles([.admin, .leader], devices: false)
        let rule = Route.Answer(200, "The rule, and how far the people are whom it counts.", json: "ProximityRule")
        routes.add(
            Route(
                .get, rules, admits: readers,
                .init(
                    "Proximity", "List a team's proximity rules.",
                    answers: [.init(200, "The rules, at this moment.", json: "ProximityRules")]), handler: list))
        routes.add(
            Route(
                .get, "\(rules)/{rule}", admits: readers,
                .init("Proximity", "Read a proximity rule.", answers: [rule]), handler: see))
        routes.add(
            Route(
                .put, "\(rules)/{rule}", admits: leaders,
                .init(
                    "Proximity",
                    "Set a proximity rule of a team: a fence around a person or device that moves, or who must stay "
                        + "near it. It replaces the one of this name.",
                    body: Self.json("NewProximityRule"), answers: [rule]), handler: putRule))
        routes.add(
            Route(
                .delete, "\(rules)/{rule}", admits: leaders,
                .init("Proximity", "Remove a proximity rule.", answers: [.init(204, "Gone.")]), handler: remove))
    }

    private func list(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let team = try readableTeam(context)
        let now = configuration.now()
        let (rules, directory) = try await coordinator.inspect { engine, directory, _ in
            (engine.proximityRules(of: team.number).map { MeasuredRule($0, by: engine, now: now) }, directory)
        }
        return .json { writer in
            writer.beginObject()
            writer.member("items", listing: rules) { $0.value($1.named(in: directory)) }
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
        let terms = try await ProximityFields(request, for: team, access)
        let author = access.principal.user
        try await coordinator.withDecision(by: context.author) { [coordinator] engine, transaction, decision, now in
            // An edit may have removed the team meanwhile.
            guard coordinator.directory.teams[team.number] != nil else { throw Problem.notFound }
            let number = engine.proximityRule(named: name, of: team.number)?.number
            let rule = ProximityRule(
                number: try number ?? transaction.nextProximityNumber(), team: team.number, name: name,
                centre: terms.centre, subject: terms.subject, radiusMetres: terms.radiusMetres, demand: terms.demand,
                note: terms.note, setBy: author, setAt: now)
            try engine.putProximityRule(rule, now: now, into: &decision)
        }
        return try await response(name, of: team)
    }

    private func remove(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (team, access) = try ledTeam(context)
        let (name, author) = (try context.parameter("rule"), access.principal.user)
        try await coordinator.withDecision(by: context.author) { engine, _, decision, now in
            guard let rule = engine.proximityRule(named: name, of: team.number) else {
                throw ProximityError.hasNoRule
            }
            try engine.removeProximityRule(rule.number, by: author, now: now, into: &decision)
        }
        return Response(status: .noContent)
    }

    private func response(_ name: String, of team: Team) async throws -> Response {
        let now = configuration.now()
        let (found, directory) = try await coordinator.inspect { engine, directory, _ in
            (
                engine.proximityRule(named: name, of: team.number).map { MeasuredRule($0, by: engine, now: now) },
                directory
            )
        }
        guard let found else { throw ProximityError.hasNoRule }
        return .json { $0.value(found.named(in: directory)) }
    }
}

/// A rule, the distances of the people whom it counts, and its alarms.
private struct MeasuredRule: Sendable {
    let rule: ProximityRule
    let readings: [ProximityReading]
    let alarms: [ProximityAlarm]

    init(_ rule: ProximityRule, by engine: Engine, now: Instant) {
        self.rule = rule
        readings = engine.proximity(of: rule, now: now)
        alarms = engine.proximityAlarms(of: rule.number)
    }

    func named(in directory: Directory) -> NamedProximityRule { directory.named(rule, readings, alarms) }
}
