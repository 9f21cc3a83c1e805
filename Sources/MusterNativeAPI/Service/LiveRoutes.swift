import HTTPTypes
import Hummingbird
import MusterCore
import MusterHTTP
import MusterServer

/// Routes for the live feed of changes.
struct LiveRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        let follower = FeedFollower(server)
        routes.add(
            Route(
                .get, "\(Self.root)/live",
                admits: .roles([.admin, .analyst, .leader, .member], devices: true),
                .init(
                    "Changes",
                    "Receive changes of the log as they happen, as server-sent events. Only changes that you may see.",
                    query: [
                        .init(
                            "since", "The sequence number after which to begin; by default the newest.",
                            schema: Schema.since)
                    ], answers: [.init(200, "A stream of server-sent events.", body: ["text/event-stream": "Text"])])
            ) { request, context in
                // An answer to HEAD has no body, so it opens no feed.
                if request.method == .head { return Response(status: .ok, headers: LiveFeed.headers) }
                guard let principal = context.principal, let proof = context.proof else { throw Problem.unauthorized }
                let owner = FeedOwner(principal)
                let cursor = try Self.cursor(of: request) ?? server.coordinator.lastSequence
                let feed = LiveFeed(server, proof: proof, since: cursor)
                do throws(FeedShares.Refusal) {
                    return Response(
                        status: .ok, headers: LiveFeed.headers,
                        body: try follower.open(feed, by: owner, on: context.channel))
                } catch {
                    throw error == .isStopping
                        ? Problem.unavailable(error.words, retryAfterSeconds: 30)
                        : Problem.tooManyRequests(retryAfterSeconds: 30, error.words)
                }
            })
    }

    /// The position where a feed begins: after the browser's last event, or else after the query's sequence.
    private static func cursor(of request: Request) throws(Problem) -> LogSequence? {
        if let text = request.headers[.lastEventID], let number = Int64(text),
            (0...Query.largestSequence).contains(number)
        {
            return LogSequence(number)
        }
        var query = Query(request)
        let since = query.sequence("since")
        try query.finish()
        return since
    }
}
