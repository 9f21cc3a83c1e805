import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// The route for admins that lists the single deliveries that wait for a target: how often each was attempted, what the
/// target answered last, and when the next attempt may be.
extension TargetRoutes {
    /// What a waiting delivery is, by its attempts.
    private enum WaitingState: String {
        /// It was never attempted.
        case new
        /// An attempt failed, and another follows.
        case retrying
    }

    private static let state = Route.Parameter(
        "state", "Only those that were never attempted, or only those of which an attempt failed.",
        schema: Schema.words("new", "retrying"))

    func addWaitingDeliveries(to routes: inout RouteTable) {
        routes.add(
            Route(
                .get, "\(Self.targets)/{target}/deliveries/waiting", admits: Self.admins,
                .init(
                    "Targets",
                    "List the deliveries that wait for a target, the oldest first. A page may have fewer items than "
                        + "asked for, and yet not be the last.",
                    query: [Self.ofRule, Self.state] + Self.paging,
                    answers: [.init(200, "Deliveries, without their bodies.", json: "WaitingDeliveryPage")]),
                handler: listWaiting))
    }

    private func listWaiting(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let target = try namedTarget(context, in: coordinator.directory).number
        var query = Query(request)
        let limit = query.limit()
        var filter = WaitingFilter(rule: query.text("rule"))
        if let text = query.text("state") {
            if let state = WaitingState(rawValue: text) {
                filter.isTried = state == .retrying
            } else {
                query.addFault("state", "must be new or retrying")
            }
        }
        try query.finish()
        let (wanted, start) = (filter, try Self.start(of: query))
        let page = try await coordinator.read {
            try $0.waitingDeliveries(of: target, matching: wanted, after: start, limit: limit)
        }
        return .json { writer in
            writer.beginObject()
            writer.member("items", listing: page.items) { writer, delivery in
                writer.beginObject()
                writer.member("number", delivery.number.rawValue)
                writer.member("rule", delivery.content.rule)
                writer.member("event", delivery.content.event)
                writer.member("createdAt", delivery.content.createdAt)
                writer.member("attempts", delivery.attempts)
                writer.member("nextAttemptAt", delivery.nextAttemptAt)
                writer.member("reason", delivery.lastError)
                writer.endObject()
            }
            if let end = page.end { writer.member("nextCursor", Cursor.encode([end.rawValue])) }
            writer.endObject()
        }
    }
}
