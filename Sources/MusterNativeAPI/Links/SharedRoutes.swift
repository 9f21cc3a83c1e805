import HTTPTypes
import Hummingbird
import MusterCore
import MusterHTTP
import MusterServer
import MusterWire
import NIOCore

/// Routes for the bearer of a link. They admit the token of a link alone, and no other route admits it.
struct SharedRoutes: NativeRoutes {
    let server: ServerParts
    private let answers = SharedAnswers()
    /// The answers for programs of maps.
    let maps = SharedAnswers()

    init(server: ServerParts) { self.server = server }

    func register(in routes: inout RouteTable) {
        let shared = "\(Self.root)/shared"
        routes.add(
            Route(
                .get, shared, admits: .link,
                .init(
                    "Links", "Read what a link shows.",
                    answers: [
                        .init(200, "What the link shows, at most a second old.", json: "Shared"),
                        .init(304, "Nothing has changed since the answer that `If-None-Match` names."),
                    ]),
                handler: see))
        routes.add(
            Route(
                .post, "\(shared)/visitors", admits: .link,
                .init(
                    "Links", "Put yourself on the roll of the team's open incident, by a link of kind `visitors`.",
                    body: Self.json("SharedVisitor"),
                    answers: [.init(201, "On the roll; a repeated id changes nothing.", json: "SharedVisit")]),
                handler: addVisitor))
        routes.add(
            Route(
                .post, "\(shared)/password", admits: .link,
                .init(
                    "Links", "Set your password, once, by a link of kind `invitation`.",
                    body: Self.json("SharedPassword"), answers: [.init(204, "Set; the link is used up.")]),
                handler: setPassword))
        registerMaps(in: &routes)
    }

    private func see(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let link = try Self.link(context)
        let answer = try await answers.answer(
            to: link, at: coordinator.lastSequence
        ) { [self] in try await render(link) }
        return answer.response(to: request, as: "application/json")
    }

    /// Renders what a link shows now.
    ///
    /// - Throws: `IdentityError.refused` when what it shows no longer exists.
    private func render(_ link: Link) async throws -> SharedAnswer {
        SharedAnswer(try await content(of: link), of: link, at: configuration.now())
    }

    private func addVisitor(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let link = try Self.link(context, .visitors)
        var fields = try await Fields(request)
        let id = fields.text("id", isRequired: true, limitBytes: 100)
        if id?.isEmpty == true { fields.addFault("id", "must not be empty") }
        let name = fields.text("name", isRequired: true, limitBytes: RollRoutes.visitorNameLimitBytes)
        if let name, !name.isOneLine || name.allSatisfy(\.isWhitespace) {
            fields.addFault("name", "must be a name, on one line")
        }
        let note = fields.text("note", limitBytes: Identity.visitNoteLimitBytes)
        try fields.finish()
        guard let id, let name else { throw Problem.internalError }
        let visit = try await identity.addVisitor(named: name, note: note, id: id, by: link)
        return .json(.created) { writer in
            writer.beginObject()
            writer.member("name", visit.name)
            writer.member("time", visit.at)
            writer.endObject()
        }
    }

    private func setPassword(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let link = try Self.link(context, .invitation)
        var fields = try await Fields(request)
        let password = fields.text("password", isRequired: true)
        try fields.finish()
        try await identity.setPassword(password ?? "", invitedBy: link)
        return .noContent
    }

    /// The link of a request.
    ///
    /// - Throws: `Problem.notFound` for a link of another kind than the route is for.
    static func link(_ context: AppRequestContext, _ kind: Link.Kind? = nil) throws(Problem) -> Link {
        guard let link = context.link else { throw .unauthorized }
        guard kind == nil || kind == link.kind else { throw .notFound }
        return link
    }
}

extension String {
    /// Whether the text has no line breaks or other control characters.
    fileprivate var isOneLine: Bool {
        let breaks: [Unicode.GeneralCategory] = [.control, .lineSeparator, .paragraphSeparator]
        return !unicodeScalars.contains { breaks.contains($0.properties.generalCategory) }
    }
}
