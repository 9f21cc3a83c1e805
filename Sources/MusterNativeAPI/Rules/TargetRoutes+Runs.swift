import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Sends a target's waiting deliveries: those that are held until a person or a timer asks for them, and dead letters.
extension TargetRoutes {
    func addRuns(to routes: inout RouteTable) {
        routes.add(
            Route(
                .post, "\(Self.targets)/{target}/run", admits: Self.admins,
                .init(
                    "Targets",
                    "Deliver what waits for a target now, and its dead letters again. What comes later to a target "
                        + "that is run by hand waits for the next run.",
                    answers: [
                        .init(200, "The number of deliveries, and the last number among them.", json: "TargetRun")
                    ]), handler: runTarget))
        routes.add(
            Route(
                .get, "\(Self.targets)/{target}/deliveries", admits: Self.admins,
                .init(
                    "Targets", "Count a target's waiting deliveries and dead letters.",
                    query: [
                        .init(
                            "through", "The last number to count, from a run; without it, all.",
                            schema: #"{"type":"integer","minimum":0}"#)
                    ], answers: [.init(200, "The counts.", json: "TargetDeliveries")]), handler: countDeliveries))
    }

    private func runTarget(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let target = try namedTarget(context, in: coordinator.directory)
        guard target.kind != .sms else {
            throw Problem.conflict("A target of texts is not run: deliver its dead letters again by their numbers.")
        }
        guard target.isEnabled else { throw Problem.conflict("The target \(target.name) is disabled.") }
        let waiting = coordinator.store.pendingDeliveryCounts[target.number] ?? 0
        let redriven = try await forEachPage(of: target.number, .lettersRedriven, context) {
            try $0.redrive($1, at: $2)
        }
        let (count, through) = try await coordinator.edit(by: context.author) { directory, draft in
            var target = try namedTarget(context, in: directory)
            // This runs on the writer's thread, so no delivery is added between these two reads and the edit.
            let (held, last) = (coordinator.store.pendingDeliveryCounts[target.number] ?? 0, coordinator.lastDelivery)
            guard let released = target.mode.through else { return (waiting + redriven, last) }
            // The store keeps the bound, so the deliveries are sent even if the client disconnects now.
            if held > 0, released < last.rawValue {
                target.mode = .byHand(through: last.rawValue)
                draft.edits = [.putTarget(target)]
            }
            return (held, last)
        }
        dispatcher.follow(target.number)
        dispatcher.announce()
        return .json { writer in
            writer.beginObject()
            writer.member("count", count)
            writer.member("through", through.rawValue)
            writer.endObject()
        }
    }

    private func countDeliveries(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let target = try namedTarget(context, in: coordinator.directory).number
        var query = Query(request)
        let through = DeliveryNumber(query.integer("through", in: 0...Query.largestSequence) ?? .max)
        try query.finish()
        let counts = try await coordinator.read { try $0.deliveryCounts(of: target, through: through) }
        return .json { writer in
            writer.beginObject()
            writer.member("pending", counts.pending)
            writer.member("deadLetters", counts.deadLetters)
            writer.endObject()
        }
    }
}
