import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Routes by which leaders and admins give links, list them and withdraw them.
struct LinkRoutes: NativeRoutes {
    let server: ServerParts

    /// The largest length of a note, in bytes of UTF-8.
    static let noteLimitBytes = 400

    func register(in routes: inout RouteTable) {
        let leaders: Route.Admission = .roles([.admin, .leader], devices: false)
        let links = "\(Self.root)/links"
        routes.add(
            Route(
                .post, links, admits: leaders,
                .init(
                    "Links", "Give a link: a right without an account, until a time.", body: Self.json("NewLink"),
                    answers: [.init(201, "The link. The server shows its URL only once.", json: "GivenLink")]),
                handler: makeLink))
        routes.add(
            Route(
                .get, links, admits: leaders,
                .init(
                    "Links", "List the open links that you may withdraw, newest first.",
                    query: Self.paging, answers: [.init(200, "Links, without their URLs.", json: "LinkPage")]),
                handler: listLinks))
        routes.add(
            Route(
                .delete, "\(links)/{link}", admits: leaders,
                .init("Links", "Withdraw a link. Its token is refused at once.", answers: [.init(204, "Withdrawn.")]),
                handler: withdraw))
    }

    private func makeLink(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let access = try context.access(in: coordinator.directory)
        guard let author = context.author else { throw Problem.unauthorized }
        var fields = try await Fields(request)
        let wish = LinkWish(&fields)
        let seconds = fields.number("expiresSeconds", in: Identity.linkSeconds, isRequired: true)
        let note = fields.text("note", limitBytes: Self.noteLimitBytes)
        try fields.finish()
        guard let seconds, let kind = wish.kind else { throw Problem.internalError }
        let purpose = try await purpose(of: wish, kind, access)
        guard access.mayGive(purpose) else { throw Problem.forbidden(kind.rightInWords) }
        let (link, token) = try await identity.makeLink(
            for: purpose, lasting: seconds, note: note ?? "", by: author)
        let server = request.serverAddress(in: configuration)
        return .json(.created) { writer in
            writer.beginObject()
            writer.members(of: link, in: coordinator.directory)
            writer.member("url", "\(server)\(kind.page)#\(token)")
            if purpose.isForMaps { writer.member("kmlURL", server + SharedMap.path(of: token, .networkLink)) }
            writer.endObject()
        }
    }

    /// What the caller asks a link for, looked up.
    ///
    /// - Throws: `Problem.invalid` for what does not exist or the caller may not see.
    private func purpose(of wish: LinkWish, _ kind: Link.Kind, _ access: Access) async throws -> Link.Purpose {
        let directory = access.directory
        switch kind {
        case .person, .invitation:
            guard let user = wish.user.flatMap({ directory.users[$0] }), access.mayReadAccount(of: user) else {
                throw Problem.invalid("/user", "there is no such user")
            }
            return Link.Purpose(kind, user: user.number, team: user.team, isForMaps: wish.isForMaps)
        case .incident:
            let number = wish.incident ?? IncidentNumber(0)
            guard let incident = try await coordinator.read({ try $0.incident(number) }), access.mayRead(incident)
            else { throw Problem.invalid("/incident", "there is no such incident") }
            guard directory.teams[incident.team] != nil else {
                throw Problem.invalid("/incident", "is of a team that no longer exists")
            }
            return Link.Purpose(
                kind, incident: incident.number, team: incident.team, isForMaps: wish.isForMaps)
        case .visitors:
            guard let team = wish.team.flatMap({ directory.teams[$0] }), access.mayRead(team) else {
                throw Problem.invalid("/team", "there is no such team")
            }
            return Link.Purpose(kind, team: team.number, visitorState: wish.state?.state ?? .safe)
        }
    }

    private func listLinks(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var query = Query(request)
        let limit = query.limit()
        let cursor = query.link("cursor")
        try query.finish()
        let access = try context.access(in: coordinator.directory)
        let rest = try await identity.openLinks().filter { access.mayManage($0) }
            .drop { link in cursor.map { !link.order.lexicographicallyPrecedes($0) } ?? false }
        let page = rest.prefix(limit)
        return .json { writer in
            writer.beginObject()
            writer.member("items", listing: page) { writer, link in
                writer.beginObject()
                writer.members(of: link, in: access.directory)
                writer.endObject()
            }
            writer.member("nextCursor", rest.count > limit ? page.last?.cursor : nil)
            writer.endObject()
        }
    }

    private func withdraw(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let access = try context.access(in: coordinator.directory)
        let id = try context.parameter("link")
        guard let author = context.author,
            let link = try await identity.openLinks().first(where: { $0.id == id && access.mayManage($0) })
        else { throw Problem.notFound }
        try await identity.withdraw(link, by: author)
        return .noContent
    }
}

/// The members of a request for a link that depend on its kind.
private struct LinkWish {
    let kind: Link.Kind?
    var user: String?
    var incident: IncidentNumber?
    var team: String?
    var state: VisitorState?
    /// Whether programs of maps may read what the link shows.
    var isForMaps = false

    /// The states of visitors who enter by themselves, with their names in the API.
    enum VisitorState: String, CaseIterable {
        case safe, unaccounted

        var state: Safety.State { self == .safe ? .safe : .unknown }
    }

    /// Reads the members that the kind has. All others are faults, because they mean nothing with it.
    init(_ fields: inout Fields) {
        kind = fields.word("kind", isRequired: true)
        if kind == .person || kind == .incident { isForMaps = fields.boolean("kml") ?? false }
        switch kind {
        case .person, .invitation: user = fields.text("user", isRequired: true)
        case .incident:
            let number = fields.number("incident", in: 1...Double(Int32.max), isRequired: true)
            incident = number.flatMap { Int32(exactly: $0) }.map { IncidentNumber($0) }
        case .visitors:
            team = fields.text("team", isRequired: true)
            state = fields.word("state")
        case nil: break
        }
    }
}

extension Link.Kind {
    /// The path of the page that the link opens.
    fileprivate var page: String {
        switch self {
        case .person, .incident: "/console/share/"
        case .visitors: "/console/visit/"
        case .invitation: "/console/invite/"
        }
    }
}

extension Link.Kind {
    /// Who may give a link of this kind.
    fileprivate var rightInWords: String {
        switch self {
        case .person: "A leader shares the people of their own team; an admin shares everyone but gateways."
        case .incident, .visitors: "This is for the leaders of the team, and for admins."
        case .invitation: "A leader invites the members of their own team; an admin invites everyone but themselves."
        }
    }
}

extension Link {
    /// The place of a link in lists, newest first: its time, and the first bytes of its id.
    fileprivate var order: [Int64] {
        [createdAt.milliseconds, id.utf8.prefix(7).reduce(0) { $0 << 8 | Int64($1) }]
    }

    fileprivate var cursor: String { Cursor.encode(order) }
}

extension Query {
    /// A cursor from an earlier list of links.
    fileprivate mutating func link(_ name: String) -> [Int64]? {
        guard let text = text(name) else { return nil }
        return Cursor.decode(text, count: 2) ?? fault(name, "is not a cursor from an answer")
    }
}

extension JSONWriter {
    fileprivate mutating func members(of link: Link, in directory: Directory) {
        member("link", link.id)
        member("kind", link.kind.rawValue)
        if let user = link.purpose.user { member("user", directory.name(of: user)) }
        if let incident = link.purpose.incident { member("incident", Int64(incident.rawValue)) }
        if let team = link.purpose.team.flatMap({ directory.teams[$0] }) { member("team", team.name) }
        if link.kind == .visitors { member("state", link.purpose.visitorState == .safe ? "safe" : "unaccounted") }
        if link.purpose.isForMaps { member("kml", true) }
        member("createdTime", link.createdAt)
        member("createdBy", directory.name(of: link.giver))
        member("expiresTime", link.expiresAt)
        member("note", link.note)
    }
}
