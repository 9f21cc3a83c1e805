import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire
import NIOCore

/// The route that reads where a team's people were, to replay it.
struct ReplayRoutes: NativeRoutes {
    let server: ServerParts

    /// The longest time that one request covers, seconds.
    private static let longestSeconds: Double = 900

    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .get, "\(Self.root)/teams/{team}/history", admits: .roles([.admin, .analyst, .leader], devices: false),
                .init(
                    "Positions",
                    "Read where a team's people were and how they were, over at most 15 minutes, in columns.",
                    query: [
                        .init("from", "The first sample time, RFC 3339.", schema: Schema.time),
                        .init("to", "The end of the sample times, exclusive, RFC 3339.", schema: Schema.time),
                    ], answers: [.init(200, "The movements and the states.", json: "TeamReplay")]),
                handler: seeHistory))
    }

    private func seeHistory(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let directory = coordinator.directory
        let team = try team(context, context.access(in: directory))
        var query = Query(request)
        let (from, to) = (query.instant("from"), query.instant("to"))
        for (name, time) in [("from", from), ("to", to)] where time == nil && query.text(name) == nil {
            query.addFault(name, "is required")
        }
        if let from, let to {
            let seconds = to.seconds(since: from)
            if seconds <= 0 { query.addFault("to", "must be later than from") }
            if seconds > Self.longestSeconds {
                query.addFault(
                    "to", "must be at most 15 minutes after from: request a longer time in pieces")
            }
        }
        try query.finish()
        guard let from, let to else { throw Problem.internalError }
        let now = coordinator.now()
        let span = TeamReplay.Span(
            from: from, to: to, horizon: now.advanced(bySeconds: -configuration.retentionDays * 86_400), now: now)
        do {
            let bytes = try await coordinator.read { store in
                var replay = TeamReplay(of: team, over: span, in: directory)
                return try replay.write(from: store, in: directory)
            }
            return Response(
                status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
                body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
        } catch let fault as TeamReplay.TooLong {
            throw Problem.invalid(
                "?to",
                "would be \(fault.fixes) fixes; an answer has at most \(TeamReplay.fixLimit): end the time at "
                    + fault.end.rfc3339)
        }
    }
}
