import Hummingbird
import MusterCore
import MusterServer
import MusterWire

/// The routes for the question "where are you now?". A leader asks, and the server notifies the person's devices. Later
/// the leader reads through which channels the question was sent, and whether the person has reported since.
struct LocationRequestRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        let path = "\(Self.root)/users/{user}/location-request"
        let leaders: Route.Admission = .roles([.admin, .leader], devices: false)
        routes.add(
            Route(
                .post, path, admits: leaders,
                .init(
                    "Push",
                    "Ask someone where they are now: on their push devices, in their live feed, and in the answer to "
                        + "the next report of their OwnTracks app. Their next position is the answer.",
                    answers: [.init(202, "Asked. It says whom the question can reach.", json: "LocationRequest")]),
                handler: askForLocation))
        routes.add(
            Route(
                .get, path, admits: leaders,
                .init(
                    "Push",
                    "See what became of the last question where someone is: by which channels it went out, and whether "
                        + "they were heard since.",
                    answers: [.init(200, "The question.", json: "LocationRequest")]), handler: see))
    }

    private var questions: LocationRequests { server.pushes.locationRequests }

    private func askForLocation(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let access = try context.access(in: coordinator.directory)
        let user = try askable(context, access)
        let author = Author(access.principal)
        // The question is recorded before it is stored, because a push may be sent before the transaction's receipt
        // arrives here.
        let former = questions.recordQuestion(to: user.number, by: author.user, at: configuration.now())
        do {
            try await coordinator.edit(by: author) { _, draft in
                draft.actions.append(Action(.locationAsked, by: author.user, user: user.number))
            }
        } catch {
            questions.restore(former, to: user.number)
            throw error
        }
        return try await questionResponse(about: user, .accepted)
    }

    private func see(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let access = try context.access(in: coordinator.directory)
        return try await questionResponse(about: try askable(context, access), .ok)
    }

    private func askable(_ context: AppRequestContext, _ access: Access) throws -> User {
        let user = try user(context, access)
        guard access.mayAskForLocation(of: user) else { throw Problem.forbidden }
        return user
    }

    /// - Throws: `Problem.notFound` when nobody asked; the errors of reading the store.
    private func questionResponse(about user: User, _ status: HTTPResponse.Status) async throws -> Response {
        guard let question = questions.question(to: user.number) else {
            throw Problem.notFound
        }
        let devices = try await server.pushes.devices(of: user.number).filter { $0.device.activity == nil }
        let known = try await coordinator.inspect { engine, directory, _ in
            let own = directory.devices(of: user.number)
            return (
                located: own.compactMap { engine.latestPosition(of: $0)?.sampleTime }.max(),
                heard: own.compactMap { engine.heardTime(of: $0) }.max()
            )
        }
        let directory = coordinator.directory
        return .json(status) { writer in
            writer.beginObject()
            writer.member("user", user.name)
            writer.member("by", directory.users[question.author]?.name)
            writer.member("askedAt", question.askedAt)
            writer.member("endsAt", question.endsAt)
            writer.member("pushDevices", listing: devices) { writer, found in
                writer.beginObject()
                writer.member("id", found.device.id)
                writer.member("platform", found.device.platform.rawValue)
                writer.endObject()
            }
            writer.member("channels", listing: question.sendings) { $0.sending($1, in: directory) }
            writer.member("state", Self.state(of: question, located: known.located, heard: known.heard))
            if let heard = known.heard, heard >= question.askedAt { writer.member("heardAt", heard) }
            if let located = known.located { writer.member("lastPositionAt", located) }
            writer.endObject()
        }
    }

    /// The state of a question: whether a position measured after it, any other report, or nothing has arrived since.
    private static func state(of question: LocationRequests.Question, located: Instant?, heard: Instant?) -> String {
        if let located, question.isAnswered(at: located) { return "answered" }
        if let heard, heard >= question.askedAt { return "heard" }
        return "unheard"
    }
}

extension JSONWriter {
    fileprivate mutating func sending(_ sending: LocationRequests.Sending, in directory: Directory) {
        beginObject()
        switch sending.channel {
        case .push(let device, let platform):
            member("channel", platform.rawValue)
            member("device", device)
        case .ownTracks(let device):
            member("channel", "owntracks")
            member("device", directory.devices[device]?.name)
        case .liveFeed: member("channel", "live")
        }
        member("at", sending.at)
        member("outcome", sending.outcome)
        member("reason", sending.reason)
        endObject()
    }
}
