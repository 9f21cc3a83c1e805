import Hummingbird
import MusterCore
import MusterServer
import MusterStore

/// Routes that list, show, add, edit and remove users.
struct UserRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        let users = "\(Self.root)/users"
        let user = Route.Answer(200, "The user.", json: "User")
        routes.add(
            Route(
                .get, users, admits: .roles([.admin, .leader], devices: false),
                .init(
                    "Users", "List users. An admin sees all users, a leader those of the team.",
                    query: Self.paging + [
                        .init(
                            "inNoTeam", "Only members and leaders in no team: they are on no roll.",
                            schema: #"{"type":"boolean"}"#)
                    ],
                    answers: [.init(200, "Users.", json: "UserPage")]), handler: listUsers))
        routes.add(
            Route(
                .post, users, admits: .roles([.admin], devices: false),
                .init(
                    "Users", "Create a user.", body: Self.json("NewUser"),
                    answers: [.init(201, "Made.", json: "User")]), handler: makeUser))
        routes.add(
            Route(
                .get, "\(users)/{user}", admits: .roles(Route.Admission.everyRole, devices: false),
                .init("Users", "Read a user.", answers: [user]), handler: seeUser))
        routes.add(
            Route(
                .patch, "\(users)/{user}", admits: .roles([.admin, .leader], devices: false),
                .init(
                    "Users",
                    "Change a user's role, team, crew, database roles, e-mail address, telephone number or display "
                        + "name. A leader changes only the crew, of the team's people.",
                    body: Self.json("UserPatch"), answers: [user]),
                handler: changeUser))
        routes.add(
            Route(
                .delete, "\(users)/{user}", admits: .roles([.admin], devices: false),
                .init(
                    "Users", "Remove a user with the user's devices and everything they reported.",
                    answers: [.init(204, "Gone.")]), handler: removeUser))
    }

    private func listUsers(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var query = Query(request)
        let limit = query.limit()
        let areInNoTeam = query.boolean("inNoTeam") ?? false
        try query.finish()
        let directory = coordinator.directory
        let access = try context.access(in: directory)
        let visible = directory.users.all.lazy.filter { user in
            guard access.mayReadAccount(of: user) else { return false }
            return !areInNoTeam || (user.team == nil && [.member, .leader].contains(user.role))
        }
        let page = try Page(of: visible, limit: limit, after: query.text("cursor"))
        return .json { writer in page.write(to: &writer) { $0.user($1, in: directory) } }
    }

    private func makeUser(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var fields = try await Fields(request)
        let name = fields.name("name", isRequired: true)
        if let name, !EntityName.isFreeForUsers(name) { fields.addFault("name", EntityName.userNameRule) }
        let role: Role? = fields.word("role", isRequired: true)
        let team = fields.text("team")
        let password = fields.text("password")
        let crew = CrewChange(&fields)
        let databaseRoles = Self.databaseRoles(in: &fields)
        let contacts = ContactChanges(&fields)
        try fields.finish()
        guard let name, let role else { throw Problem.internalError }
        var stored: StoredPassword?
        if let password { stored = try await identity.prepare(password, ofUserNamed: name) }
        let user = try await identity.addUser(named: name, role: role, password: stored, by: context.author) {
            user, directory in
            user.team = try Self.team(named: team, in: directory)
            user.databaseRoles = databaseRoles ?? []
            try crew.apply(to: &user, in: directory)
            contacts.apply(to: &user)
        }
        return response(user, .created, showsWarning: true)
    }

    private func seeUser(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let directory = coordinator.directory
        return response(try account(context, context.access(in: directory)), .ok)
    }

    private func changeUser(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var fields = try await Fields(request)
        let role: Role? = fields.word("role")
        let changesTeam = fields.has("team")
        let team = fields.text("team")
        let crew = CrewChange(&fields)
        let databaseRoles = Self.databaseRoles(in: &fields)
        let contacts = ContactChanges(&fields)
        let changesAccount = ["role", "team", "databaseRoles", "email", "phone", "displayName"].contains {
            fields.has($0)
        }
        let changesPhone = fields.has("phone")
        try fields.finish()
        let user = try await coordinator.edit(by: context.author) { directory, draft in
            let access = try context.access(in: directory)
            var user = try account(context, access)
            guard changesAccount ? access.mayChangeAccounts : access.mayChangeCrew(of: user) else {
                throw Problem.forbidden
            }
            if let role, role != user.role {
                try Self.requireAnotherAdmin(than: user, in: directory)
                user.role = role
            }
            if changesTeam { user.team = try Self.team(named: team, in: directory) }
            if let databaseRoles { user.databaseRoles = databaseRoles }
            try crew.apply(to: &user, in: directory)
            contacts.apply(to: &user)
            if access.mayChangeAccounts { user.isImplicit = false }
            draft.edits.append(.putUser(user))
            return user
        }
        // The warning names people of other teams, which a leader who changes a crew may not read.
        return response(user, .ok, showsWarning: changesPhone)
    }

    private func removeUser(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        guard let principal = context.principal else { throw Problem.unauthorized }
        try await identity.removeUser(by: principal, as: context.author) { try account(context, $0) }
        return .noContent
    }

    /// - Parameter showsWarning: whether to say where texts by SMS of the user would not count as theirs.
    private func response(_ user: User, _ status: HTTPResponse.Status, showsWarning: Bool = false) -> Response {
        let (directory, sms) = (coordinator.directory, server.configuration.sms)
        let isWarned = showsWarning && sms.gateway != nil
        let warning = isWarned ? directory.senderFault(of: user, country: sms.country)?.words(of: user) : nil
        return .json(status) { $0.user(user, in: directory, phoneWarning: warning) }
    }

    /// The member `databaseRoles`; nil where it is absent.
    private static func databaseRoles(in fields: inout Fields) -> [String]? {
        guard let names = fields.names("databaseRoles", limit: User.databaseRoleLimit) else { return nil }
        for (index, name) in names.enumerated() {
            if !User.isDatabaseRole(name) {
                fields.addFault(
                    "databaseRoles",
                    "item \(index): a role has 1 to \(User.databaseRoleBytes) bytes without control characters, begins "
                        + "with no underscore, and is not one of Muster's own roles")
            } else if names[..<index].contains(name) {
                fields.addFault("databaseRoles", "item \(index): repeats an item before it")
            }
        }
        return names
    }

    /// The team of that name; nil where no name is given.
    ///
    /// - Throws: `Problem.invalid` when the team does not exist.
    static func team(named name: String?, in directory: Directory) throws(Problem) -> TeamNumber? {
        guard let name else { return nil }
        guard let team = directory.teams[name] else { throw .invalid("/team", "there is no such team") }
        return team.number
    }

    /// Checks that another admin remains when this user is no longer an admin.
    private static func requireAnotherAdmin(than user: User, in directory: Directory) throws(Problem) {
        guard directory.hasAnotherAdmin(than: user.number) else { throw .conflict("This is the last admin.") }
    }
}
