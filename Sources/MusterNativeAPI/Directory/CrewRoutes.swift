import Hummingbird
import MusterCore
import MusterServer
import MusterWire

/// Routes that list, show, add, rename and remove the crews of a team.
struct CrewRoutes: NativeRoutes {
    let server: ServerParts

    /// The message for a text that `Crew.isName` refuses.
    static let nameRule =
        "must be 1 to \(Crew.nameLimit) visible characters and single spaces between them, not only dots"

    func register(in routes: inout RouteTable) {
        let crews = "\(Self.root)/teams/{team}/crews"
        let readers: Route.Admission = .roles([.admin, .analyst, .leader], devices: false)
        let leaders: Route.Admission = .roles([.admin, .leader], devices: false)
        let crew = Route.Answer(200, "The crew, and how many people it has.", json: "Crew")
        routes.add(
            Route(
                .get, crews, admits: readers,
                .init(
                    "Teams", "List a team's crews: its named parts.", query: Self.paging,
                    answers: [.init(200, "Crews, each with the number of its people.", json: "CrewPage")]),
                handler: listCrews))
        routes.add(
            Route(
                .post, crews, admits: leaders,
                .init(
                    "Teams", "Create a crew without people. `PATCH /users/{user}` puts a user into it.",
                    body: Self.json("NewCrew"), answers: [.init(201, "Made.", json: "Crew")]), handler: makeCrew))
        routes.add(
            Route(
                .get, "\(crews)/{crew}", admits: readers, .init("Teams", "Read a crew.", answers: [crew]),
                handler: seeCrew))
        routes.add(
            Route(
                .patch, "\(crews)/{crew}", admits: leaders,
                .init("Teams", "Rename a crew. Its people stay in it.", body: Self.json("CrewPatch"), answers: [crew]),
                handler: renameCrew))
        routes.add(
            Route(
                .delete, "\(crews)/{crew}", admits: leaders,
                .init("Teams", "Remove a crew. Its people stay in the team.", answers: [.init(204, "Gone.")]),
                handler: removeCrew))
    }

    private func listCrews(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var query = Query(request)
        let limit = query.limit()
        try query.finish()
        let access = try context.access(in: coordinator.directory)
        let team = try teamOfCrews(context, access)
        let page = try Page(of: access.directory.crews(in: team.number), limit: limit, after: query.text("cursor"))
        let sizes = access.directory.crewSizes(in: team.number)
        return .json { writer in
            page.write(to: &writer) { $0.crew($1, of: team, people: sizes[$1.number] ?? 0) }
        }
    }

    private func makeCrew(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let name = try await Self.name(in: request)
        let (team, crew) = try await coordinator.edit(by: context.author) { directory, draft in
            let team = try changedTeam(context, context.access(in: directory))
            try Self.requireFree(name, in: team, directory)
            guard directory.crewCount(in: team.number) < Crew.limitPerTeam else {
                throw Problem.conflict("A team has at most \(Crew.limitPerTeam) crews.")
            }
            return (team, try draft.addCrew(named: name, to: team.number))
        }
        return .json(.created) { $0.crew(crew, of: team, people: 0) }
    }

    private func seeCrew(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let access = try context.access(in: coordinator.directory)
        let team = try teamOfCrews(context, access)
        return response(try crew(context, in: team, access.directory), of: team)
    }

    private func renameCrew(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let name = try await Self.name(in: request)
        let (team, crew) = try await coordinator.edit(by: context.author) { directory, draft in
            let team = try changedTeam(context, context.access(in: directory))
            var crew = try self.crew(context, in: team, directory)
            guard crew.name != name else { return (team, crew) }
            try Self.requireFree(name, in: team, directory)
            crew.name = name
            draft.edits = [.putCrew(crew)]
            return (team, crew)
        }
        return response(crew, of: team)
    }

    private func removeCrew(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        try await coordinator.edit(by: context.author) { directory, draft in
            let team = try changedTeam(context, context.access(in: directory))
            draft.edits = directory.removal(of: try crew(context, in: team, directory).number)
        }
        return .noContent
    }

    /// The team in the path, if the caller may list its crews.
    private func teamOfCrews(_ context: AppRequestContext, _ access: Access) throws(Problem) -> Team {
        let team = try team(context, access)
        guard access.mayReadCrews(of: team) else { throw .forbidden }
        return team
    }

    /// The team in the path, if the caller may change its crews.
    private func changedTeam(_ context: AppRequestContext, _ access: Access) throws(Problem) -> Team {
        let team = try team(context, access)
        guard access.mayChangeCrews(of: team) else { throw .forbidden }
        return team
    }

    private func crew(_ context: AppRequestContext, in team: Team, _ directory: Directory) throws(Problem) -> Crew {
        guard let crew = directory.crew(named: try context.parameter("crew"), in: team.number) else {
            throw .notFound
        }
        return crew
    }

    /// Parses the name in a body, its only member.
    private static func name(in request: Request) async throws -> String {
        var fields = try await Fields(request)
        let name = fields.text("name", isRequired: true)
        if let name, !Crew.isName(name) { fields.addFault("name", nameRule) }
        try fields.finish()
        guard let name else { throw Problem.internalError }
        return name
    }

    private static func requireFree(_ name: String, in team: Team, _ directory: Directory) throws(Problem) {
        guard directory.crew(named: name, in: team.number) == nil else {
            throw .conflict("The crew \(name) already exists in the team \(team.name).")
        }
    }

    private func response(_ crew: Crew, of team: Team) -> Response {
        let people = coordinator.directory.crewSizes(in: team.number)[crew.number] ?? 0
        return .json { $0.crew(crew, of: team, people: people) }
    }
}

/// The crew that a request puts a user into.
struct CrewChange: Sendable {
    /// The crew's name; `.some(nil)` where the request takes the user out of the crew, nil where it names none.
    private let name: String??

    /// Reads the member `crew`.
    init(_ fields: inout Fields) {
        name = fields.has("crew") ? .some(fields.text("crew")) : nil
    }

    /// Puts the user into the crew of their team, as it is after the request's other changes.
    ///
    /// - Throws: `Problem.invalid` for a user without a team, and for a crew that the team does not have.
    func apply(to user: inout User, in directory: Directory) throws(Problem) {
        guard let name else { return }
        guard let name else {
            user.crew = nil
            return
        }
        guard let team = user.team else { throw .invalid("/crew", "needs a team, because a crew is a part of one") }
        guard let crew = directory.crew(named: name, in: team) else {
            throw .invalid("/crew", "there is no such crew in the team")
        }
        user.crew = crew.number
    }
}

extension JSONWriter {
    fileprivate mutating func crew(_ crew: Crew, of team: Team, people: Int) {
        beginObject()
        member("name", crew.name)
        member("team", team.name)
        member("people", people)
        endObject()
    }
}
