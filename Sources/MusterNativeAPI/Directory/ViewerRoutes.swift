import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// The route that lists who sees a person: users by their role, the bearers of links, and the bearers of tokens that
/// other users made for the person's devices.
struct ViewerRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .get, "\(Self.root)/users/{user}/viewers",
                admits: .roles([.admin, .analyst, .leader, .member], devices: false),
                .init(
                    "Users", "List who may see where you are or, as a leader, where a person of the team is.",
                    query: Self.paging, answers: [.init(200, "Who sees the person.", json: "ViewerPage")]),
                handler: listViewers))
    }

    private func listViewers(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let access = try context.access(in: coordinator.directory)
        let user = try user(context, access)
        guard access.mayReadViewers(of: user) else { throw Problem.forbidden }
        var query = Query(request)
        let limit = query.limit()
        let cursor = query.viewer("cursor")
        try query.finish()
        let directory = access.directory
        var viewers = directory.viewers(of: user).map { Viewer.user($0) }
        for device in directory.devices(of: user.number).compactMap({ directory.devices[$0] }) {
            let tokens = try await identity.tokens(of: device.number)
            viewers += tokens.filter { $0.maker != user.number }.map { Viewer.token($0, of: device) }
        }
        viewers += try await links(showing: user.number).map { Viewer.link($0) }
        let rest = viewers.sorted { $0.order.lexicographicallyPrecedes($1.order) }
            .drop { viewer in cursor.map { !$0.lexicographicallyPrecedes(viewer.order) } ?? false }
        let page = rest.prefix(limit)
        return .json { writer in
            writer.beginObject()
            writer.member("items", listing: page) { writer, viewer in
                writer.beginObject()
                writer.members(of: viewer, in: directory)
                writer.endObject()
            }
            writer.member("nextCursor", rest.count > limit ? page.last.map { Cursor.encode($0.order) } : nil)
            writer.endObject()
        }
    }

    /// The links that show a person: those to the person, and those to an incident on whose roll the person is.
    private func links(showing user: UserNumber) async throws -> [Link] {
        let links = try await identity.openLinks()
        let incidents = Set(links.compactMap { $0.kind == .incident ? $0.purpose.incident : nil })
        let showing = try await coordinator.read { store in
            try incidents.filter { Roll(try store.roll(of: $0)).members[user] != nil }
        }
        return links.filter { link in
            switch link.kind {
            case .person: link.purpose.user == user
            case .incident: link.purpose.incident.map { showing.contains($0) } ?? false
            case .visitors, .invitation: false
            }
        }
    }
}

/// A user who may see a person, or a secret whose bearer may.
private enum Viewer {
    /// A user whose role lets them see the person. The server does not store since when.
    case user(User)
    /// A token that another user made for a device of the person: its bearer sees what the person sees.
    case token(DeviceToken, of: Device)
    /// A link to the person, or to an incident on whose roll the person is.
    case link(Link)

    /// The sort key of the list: users by number, then tokens by age, then links by age.
    var order: [Int64] {
        switch self {
        case .user(let user): [0, Int64(user.number.rawValue), 0]
        case .token(let token, _): [1, token.createdAt.milliseconds, Self.number(of: token.id)]
        case .link(let link): [2, link.createdAt.milliseconds, Self.number(of: link.id)]
        }
    }

    private static func number(of id: String) -> Int64 { id.utf8.prefix(7).reduce(0) { $0 << 8 | Int64($1) } }
}

extension JSONWriter {
    fileprivate mutating func members(of viewer: Viewer, in directory: Directory) {
        switch viewer {
        case .user(let user):
            member("name", user.name)
            member("displayName", user.displayName)
            member("role", user.role.rawValue)
        case .token(let token, let device):
            member("token", token.id)
            member("device", device.name)
            if let maker = token.maker { member("madeBy", directory.name(of: maker)) }
            member("since", token.createdAt)
        case .link(let link):
            member("link", link.id)
            member("kind", link.kind.rawValue)
            if let incident = link.purpose.incident { member("incident", Int64(incident.rawValue)) }
            member("madeBy", directory.name(of: link.giver))
            member("note", link.note)
            member("since", link.createdAt)
            member("expires", link.expiresAt)
        }
    }
}

extension Query {
    /// Parses the cursor that an earlier list of viewers answered.
    fileprivate mutating func viewer(_ name: String) -> [Int64]? {
        guard let text = text(name) else { return nil }
        return Cursor.decode(text, count: 3) ?? fault(name, "is not a cursor from an answer")
    }
}
