import Hummingbird
import MusterCore
import MusterServer
import MusterWire

/// Routes by which a person says that they pause, so that their silence is explained. The server accepts their reports
/// all the same, and a pause changes nobody's safety.
struct PauseRoutes: NativeRoutes {
    let server: ServerParts
    /// How often a user may begin, change and end their pause. Everyone who sees the user is told each time.
    private let rates = RequestRates(.init(tries: 20, perSecond: 1.0 / 30))

    init(server: ServerParts) { self.server = server }

    func register(in routes: inout RouteTable) {
        let path = "\(Self.root)/users/{user}/pause"
        let people: Route.Admission = .roles([.admin, .analyst, .leader, .member], devices: false)
        routes.add(
            Route(
                .put, path, admits: people,
                .init(
                    "Safety",
                    "Say that you pause until a time, where your team allows it and no incident asks for you. It "
                        + "explains your silence and makes nobody safe; what your devices report is taken as ever.",
                    body: Self.json("NewPause"), answers: [.init(200, "The pause.", json: "Pause")]), handler: begin))
        routes.add(
            Route(
                .delete, path, admits: people,
                .init("Safety", "End your pause.", answers: [.init(204, "There is no pause now.")]), handler: end))
    }

    private func begin(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let user = try own(context)
        let now = configuration.now()
        var fields = try await Fields(request)
        let until = fields.pauseEnd(at: now)
        let note = fields.text("note", limitBytes: Pause.noteLimitBytes)
        try fields.finish()
        guard let until else { throw Problem.internalError }
        try spendRequest(of: user)
        let pause = try await coordinator.withDecision(by: context.author) { engine, _, decision, now in
            // Time may have passed while the request waited for the writer.
            let end = min(max(until, now.advanced(bySeconds: 1)), now.advanced(bySeconds: Pause.limitSeconds))
            return try engine.beginPause(of: user.number, until: end, note: note, now: now, into: &decision)
        }
        return .json { writer in
            writer.beginObject()
            writer.members(of: pause)
            writer.endObject()
        }
    }

    private func end(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let user = try own(context)
        try spendRequest(of: user)
        try await coordinator.withDecision(by: context.author) { engine, _, decision, _ in
            engine.endPause(of: user.number, into: &decision)
        }
        return .noContent
    }

    /// Returns the user in the path, who must be the caller.
    ///
    /// - Throws: `Problem.notFound` where the caller may not see the user; `.forbidden` for any other user.
    private func own(_ context: AppRequestContext) throws -> User {
        let access = try context.access(in: coordinator.directory)
        let user = try user(context, access)
        guard access.mayPause(user) else { throw Problem.forbidden("People pause for themselves alone.") }
        return user
    }

    private func spendRequest(of user: User) throws(Problem) {
        let wait = rates.spendRequest("\(user.number.rawValue)", at: configuration.now())
        if wait > 0 { throw .tooManyRequests(retryAfterSeconds: wait) }
    }
}

extension Fields {
    /// Parses when a pause is to end: `until`, or `untilSeconds` from now. A client's clock may be a minute ahead.
    fileprivate mutating func pauseEnd(at now: Instant) -> Instant? {
        let latest = now.advanced(bySeconds: Pause.limitSeconds)
        let seconds = number("untilSeconds", in: 1...Pause.limitSeconds)
        guard has("until") else {
            if !has("untilSeconds") { addFault("until", "or untilSeconds must say when the pause ends") }
            return seconds.map { now.advanced(bySeconds: $0) }
        }
        guard let until = instant("until") else { return nil }
        if has("untilSeconds") { addFault("untilSeconds", "must not be sent together with until") }
        if until <= now { addFault("until", "is over already: it is \(now.rfc3339)") }
        if until > latest.advanced(bySeconds: ReportLimits.futureToleranceSeconds) {
            addFault("until", "is more than 12 hours from \(now.rfc3339)")
        }
        return min(until, latest)
    }
}
