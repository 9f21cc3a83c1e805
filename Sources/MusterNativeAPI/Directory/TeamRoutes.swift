import Hummingbird
import MusterCore
import MusterServer
import MusterWire

/// Routes that list, show, add, edit and remove teams.
struct TeamRoutes: NativeRoutes {
    let server: ServerParts

    /// The allowed silence limit of a team, in seconds: ten seconds to a week.
    static let silenceRange: ClosedRange<Double> = 10...604_800

    func register(in routes: inout RouteTable) {
        let teams = "\(Self.root)/teams"
        let team = Route.Answer(200, "The team.", json: "Team")
        let readers: Route.Admission = .roles([.admin, .analyst, .leader, .member], devices: true)
        routes.add(
            Route(
                .get, teams, admits: readers,
                .init(
                    "Teams", "List teams. Admins and analysts see all teams, others their own.", query: Self.paging,
                    answers: [.init(200, "Teams.", json: "TeamPage")]), handler: listTeams))
        routes.add(
            Route(
                .post, teams, admits: .roles([.admin], devices: false),
                .init(
                    "Teams", "Create a team, and its tracker with links to the collections that teams share.",
                    body: Self.json("NewTeam"), answers: [.init(201, "Made.", json: "Team")]), handler: makeTeam))
        routes.add(
            Route(
                .get, "\(teams)/{team}", admits: readers, .init("Teams", "Read a team.", answers: [team]),
                handler: seeTeam))
        routes.add(
            Route(
                .patch, "\(teams)/{team}", admits: .roles([.admin, .leader], devices: false),
                .init(
                    "Teams", "Change a team's silence limit and its settings for incidents.",
                    body: Self.json("TeamPatch"), answers: [team]),
                handler: changeTeam))
        routes.add(
            Route(
                .delete, "\(teams)/{team}", admits: .roles([.admin], devices: false),
                .init(
                    "Teams", "Remove a team and its tracker, unless an incident of it is open. Its users stay.",
                    answers: [.init(204, "Gone.")]), handler: removeTeam))
    }

    private func listTeams(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var query = Query(request)
        let limit = query.limit()
        try query.finish()
        let directory = coordinator.directory
        let access = try context.access(in: directory)
        let visible = directory.teams.all.lazy.filter { access.mayRead($0) }
        let page = try Page(of: visible, limit: limit, after: query.text("cursor"))
        return .json { writer in page.write(to: &writer) { $0.team($1, in: directory) } }
    }

    private func makeTeam(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var fields = try await Fields(request)
        let name = fields.name("name", isRequired: true)
        let silence = fields.number("silenceSeconds", in: Self.silenceRange)
        let settings = IncidentSettingsPatch(&fields)
        try fields.finish()
        guard let name else { throw Problem.internalError }
        let team = try await coordinator.edit(by: context.author) { directory, draft in
            guard directory.teams[name] == nil else { throw Problem.conflict("The team \(name) already exists.") }
            guard directory.trackers[name] == nil else {
                throw Problem.conflict("The tracker \(name) already exists, and a team's tracker has the team's name.")
            }
            return try draft.addTeam(
                named: name, silenceSeconds: silence ?? Team.defaultSilenceSeconds,
                incidents: settings.applied(to: .init()), in: directory)
        }
        return response(team, .created)
    }

    private func seeTeam(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        response(try team(context, context.access(in: coordinator.directory)), .ok)
    }

    private func changeTeam(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var fields = try await Fields(request)
        let silence = fields.number("silenceSeconds", in: Self.silenceRange)
        let settings = IncidentSettingsPatch(&fields)
        try fields.finish()
        let team = try await coordinator.edit(by: context.author) { directory, draft in
            let access = try context.access(in: directory)
            var team = try self.team(context, access)
            guard access.mayChange(team) else { throw Problem.forbidden }
            guard settings.closesRealIncidents == nil || access.mayLetRealIncidentsClose else {
                throw Problem.forbidden
            }
            if let silence { team.silenceSeconds = silence }
            team.incidents = settings.applied(to: team.incidents)
            draft.edits = [.putTeam(team)]
            return team
        }
        return response(team, .ok)
    }

    private func removeTeam(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        try await coordinator.edit(by: context.author) { directory, draft in
            let team = try self.team(context, context.access(in: directory))
            draft.edits = directory.removal(of: team.number)
        }
        return .noContent
    }

    private func response(_ team: Team, _ status: HTTPResponse.Status) -> Response {
        .json(status) { $0.team(team, in: coordinator.directory) }
    }
}

/// The changes in a request to a team's settings for incidents; nil leaves a setting as it is.
private struct IncidentSettingsPatch: Sendable {
    var closesDrills: Bool?
    var closesRealIncidents: Bool?
    var closesAfterSeconds: Double?
    var declaredHoldsSeconds: Double?
    var showsSafetyAlways: Bool?
    var allowsPause: Bool?
    /// The outer nil leaves the setting, the inner nil ends it.
    var parEverySeconds: Double??

    /// The time for which everyone must have stayed accounted for before an incident closes, in seconds: up to a day.
    static let closesAfterRange: ClosedRange<Double> = 0...86_400
    /// The time for which a declaration holds, in seconds: a minute to thirty days.
    static let declaredHoldsRange: ClosedRange<Double> = 60...2_592_000

    init(_ fields: inout Fields) {
        closesDrills = fields.boolean("closesDrills")
        closesRealIncidents = fields.boolean("closesRealIncidents")
        closesAfterSeconds = fields.number("closesAfterSeconds", in: Self.closesAfterRange)
        declaredHoldsSeconds = fields.number("declaredHoldsSeconds", in: Self.declaredHoldsRange)
        showsSafetyAlways = fields.boolean("showsSafetyAlways")
        allowsPause = fields.boolean("allowsPause")
        if fields.has("parEverySeconds") {
            parEverySeconds = .some(fields.number("parEverySeconds", in: PARTimer.everyLimits))
        }
    }

    func applied(to settings: IncidentSettings) -> IncidentSettings {
        IncidentSettings(
            closesDrills: closesDrills ?? settings.closesDrills,
            closesRealIncidents: closesRealIncidents ?? settings.closesRealIncidents,
            closesAfterSeconds: closesAfterSeconds ?? settings.closesAfterSeconds,
            declaredHoldsSeconds: declaredHoldsSeconds ?? settings.declaredHoldsSeconds,
            showsSafetyAlways: showsSafetyAlways ?? settings.showsSafetyAlways,
            parEverySeconds: parEverySeconds ?? settings.parEverySeconds,
            allowsPause: allowsPause ?? settings.allowsPause)
    }
}

extension JSONWriter {
    /// Writes a team: name, tracker, silence limit, and its settings for incidents.
    mutating func team(_ team: Team, in directory: Directory) {
        beginObject()
        member("name", team.name)
        member("tracker", directory.trackers[team.tracker]?.name)
        member("silenceSeconds", team.silenceSeconds)
        member("closesDrills", team.incidents.closesDrills)
        member("closesRealIncidents", team.incidents.closesRealIncidents)
        member("closesAfterSeconds", team.incidents.closesAfterSeconds)
        member("declaredHoldsSeconds", team.incidents.declaredHoldsSeconds)
        member("showsSafetyAlways", team.incidents.showsSafetyAlways)
        member("parEverySeconds", orNull: team.incidents.parEverySeconds)
        member("allowsPause", team.incidents.allowsPause)
        endObject()
    }
}
