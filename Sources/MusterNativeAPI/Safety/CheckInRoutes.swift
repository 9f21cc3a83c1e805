import Hummingbird
import MusterCore
import MusterServer
import MusterWire

/// Routes for check-in timers.
struct CheckInRoutes: NativeRoutes {
    let server: ServerParts
    /// How often a user may start and end the timers of one person.
    private let rates = RequestRates(.init(tries: 20, perSecond: 1.0 / 30))

    func register(in routes: inout RouteTable) {
        let path = "\(Self.root)/users/{user}/check-in-timer"
        let timer = Route.Answer(200, "The timer.", json: "CheckInTimer")
        routes.add(
            Route(
                .put, path, admits: .roles([.admin, .leader, .member], devices: false),
                .init(
                    "Safety",
                    "Start your check-in timer or, as a leader, that of a person. It replaces the present one.",
                    body: Self.json("NewCheckInTimer"), answers: [timer]), handler: start))
        routes.add(
            Route(
                .get, path, admits: .roles([.admin, .leader, .member], devices: true),
                .init("Safety", "Read your check-in timer, or that of a person of the team.", answers: [timer]),
                handler: see))
        routes.add(
            Route(
                .delete, path, admits: .roles([.admin, .leader, .member], devices: false),
                .init("Safety", "End a check-in timer.", answers: [.init(204, "Ended.")]), handler: end))
        routes.add(
            Route(
                .post, "\(Self.root)/users/{user}/check-ins",
                admits: .roles([.admin, .leader, .member], devices: true),
                .init(
                    "Safety",
                    "Check in. A leader does so for a person of whom they have heard. The next is due after the "
                        + "timer's interval.",
                    body: Self.json("NewCheckIn"), answers: [timer]), handler: checkIn))
    }

    private func start(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (user, access) = try timed(context)
        let now = configuration.now()
        var fields = try await Fields(request)
        let interval = fields.number("intervalSeconds", in: CheckInTimer.intervalLimits, isRequired: true)
        let leaderAfter = fields.number("leaderAfterSeconds", in: CheckInTimer.graceLimits)
        let sosAfter = fields.number("sosAfterSeconds", in: CheckInTimer.graceLimits)
        let opensIncident = fields.boolean("opensIncident") ?? false
        let note = fields.text("note", limitBytes: CheckInTimer.noteLimitBytes)
        let moment = fields.wordTime(at: now)
        if opensIncident, !access.mayStartIncident(for: user) {
            fields.addFault("opensIncident", "is for a leader of the person's team, or an admin, to set")
        }
        try fields.finish()
        guard let interval else { throw Problem.internalError }
        let author = access.principal.user
        try spendRequest(about: user, by: author)
        let timer = try await coordinator.withDecision(by: context.author) { [coordinator] engine, _, decision, now in
            // An edit may have removed the user meanwhile.
            guard coordinator.directory.users[user.number] != nil else { throw Problem.notFound }
            let timer = CheckInTimer(
                intervalSeconds: interval, leaderAfterSeconds: leaderAfter ?? CheckInTimer.defaultLeaderAfterSeconds,
                sosAfterSeconds: sosAfter ?? CheckInTimer.defaultSOSAfterSeconds, opensIncident: opensIncident,
                note: note, setBy: author, lastWord: moment, now: now)
            try engine.startTimer(timer, of: user.number, into: &decision)
            return timer
        }
        return response(timer)
    }

    private func see(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let user = try timed(context).user
        let timer = try await coordinator.inspect { engine, _, _ in engine.checkInTimer(of: user.number) }
        guard let timer else { throw CheckInError.hasNoTimer }
        return response(timer)
    }

    private func end(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (user, access) = try timed(context)
        let author = access.principal.user
        try spendRequest(about: user, by: author)
        try await coordinator.withDecision(by: context.author) { engine, _, decision, now in
            try engine.endTimer(of: user.number, by: author, now: now, into: &decision)
        }
        return Response(status: .noContent)
    }

    private func checkIn(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (user, access) = try timed(context)
        var fields = try await Fields(request)
        let moment = fields.wordTime(at: configuration.now())
        try fields.finish()
        let author = access.principal.user
        let timer = try await coordinator.withDecision(by: context.author) { engine, _, decision, now in
            try engine.checkIn(user.number, at: moment, by: author, now: now, into: &decision)
        }
        return response(timer)
    }

    /// The user in the path, if the caller may see and set the user's timer.
    ///
    /// - Throws: `Problem.notFound` where the caller may not see the user; `.forbidden` where the caller may see the
    ///   user and not the timer.
    private func timed(_ context: AppRequestContext) throws -> (user: User, access: Access) {
        let access = try context.access(in: coordinator.directory)
        let user = try user(context, access)
        guard access.mayKeepTimer(of: user) else { throw Problem.forbidden }
        return (user, access)
    }

    /// Limits starts and ends of timers, because each alerts leaders, runs rules and writes to the disk.
    private func spendRequest(about user: User, by author: UserNumber) throws(Problem) {
        let wait = rates.spendRequest("\(author.rawValue) \(user.number.rawValue)", at: configuration.now())
        if wait > 0 { throw .tooManyRequests(retryAfterSeconds: wait) }
    }

    private func response(_ timer: CheckInTimer) -> Response {
        let directory = coordinator.directory
        return .json { writer in
            writer.beginObject()
            writer.members(of: directory.named(timer))
            writer.endObject()
        }
    }
}

extension Fields {
    /// Parses the time of a check-in: `sampleTime`, or now. A check-in that arrives late, from a phone that was
    /// offline, counts from its own time. One that is older than the longest interval is a fault.
    fileprivate mutating func wordTime(at now: Instant) -> Instant {
        guard let moment = instant("sampleTime") else { return now }
        if moment > now.advanced(bySeconds: ReportLimits.futureToleranceSeconds) {
            addFault("sampleTime", "is more than 60 s ahead of \(now.rfc3339)")
        }
        let earliest = now.advanced(bySeconds: -CheckInTimer.intervalLimits.upperBound)
        if moment < earliest { addFault("sampleTime", "is before \(earliest.rfc3339), a day ago") }
        return moment
    }
}
