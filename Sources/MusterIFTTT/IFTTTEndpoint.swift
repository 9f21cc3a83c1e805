import HTTPTypes
import Hummingbird
import MusterCore
package import MusterServer
import MusterStore
import MusterWire

/// IFTTT's service API for triggers (https://ifttt.com/docs/api_reference): a service that polls asks what was fired,
/// and runs an action for each item that it has not seen. The items are the signals of the caller's own devices.
package struct IFTTTEndpoint: Endpoint {
    private let coordinator: StoreCoordinator

    package init(_ parts: ServerParts) { coordinator = parts.coordinator }

    private static let all: Route.Admission = .roles([.admin, .analyst, .leader, .member], devices: true)
    private static let limit: Int64 = 50
    private static let ingredients = ["text1", "text2", "text3", "url1", "url2", "url3"]

    package func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .get, "/ifttt/v1/status", admits: Self.all, over: IFTTTProtocol(),
                .init("IFTTT", "Whether the service is there.", answers: [.init(200, "It is.")])
            ) { _, _ in Response(status: .ok) })
        routes.add(
            Route(
                .get, "/ifttt/v1/user/info", admits: Self.all, over: IFTTTProtocol(),
                .init("IFTTT", "Who you are.", answers: [.init(200, "Your name.", json: "Object")]), handler: whoAmI))
        routes.add(
            Route(
                .post, "/ifttt/v1/triggers/{slug}", admits: Self.all, over: IFTTTProtocol(),
                .init(
                    "IFTTT", "List what your device of this name fired, the newest first.",
                    body: ["application/json": "Object"], answers: [.init(200, "The items.", json: "Object")]),
                handler: listItems))
    }

    private func whoAmI(_ request: Request, _ context: AppRequestContext) throws -> Response {
        guard let principal = context.principal else { throw IdentityError.missing }
        return .json { writer in
            writer.beginObject()
            writer.key("data")
            writer.beginObject()
            writer.member("name", principal.name)
            writer.member("id", principal.name)
            writer.endObject()
            writer.endObject()
        }
    }

    private func listItems(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let body = try await request.collectBody(.small)
        let tree = try body.withUnsafeReadableBytes { $0.isEmpty ? .object([]) : try JSONValue(parsing: $0) }
        var limit = Self.limit
        if let asked = tree["limit"] {
            guard let number = asked.integer, number >= 0 else {
                throw IFTTTRefusal(.badRequest, "limit is not a number: give a whole number, 0 or more.")
            }
            limit = min(number, Self.limit)
        }
        let access = try context.access(in: coordinator.directory)
        let device = try device(try context.parameter("slug"), access)
        let found = try await coordinator.read { [limit] store in
            try store.signals(
                of: device.number, from: Instant(milliseconds: .min), to: Instant(milliseconds: .max), before: nil,
                limit: Int(limit))
        }
        return .json { writer in
            writer.beginObject()
            writer.member("data", listing: found) { $0.item($1.signal, ingredients: Self.ingredients) }
            writer.endObject()
        }
    }

    /// The caller's own device of a slug. A slug has underscores where a name may have hyphens.
    private func device(_ slug: String, _ access: Access) throws -> Device {
        let user = access.principal.user
        let found =
            access.directory.device(named: slug, of: user)
            ?? access.directory.device(named: slug.replacing("_", with: "-"), of: user)
        guard let found, access.mayRead(found) else {
            throw IFTTTRefusal(.notFound, "You have no device \(slug).")
        }
        return found
    }
}

extension JSONWriter {
    /// Writes a signal as an item. `meta` is what IFTTT tells items apart by.
    fileprivate mutating func item(_ signal: Signal, ingredients: [String]) {
        beginObject()
        member("name", signal.name)
        member("created_at", signal.sampleTime)
        for name in ingredients {
            key(name)
            value(signal.values.first { $0.key == name }?.text ?? "")
        }
        key("meta")
        beginObject()
        member("id", signal.id)
        member("timestamp", signal.receivedTime.milliseconds / 1000)
        endObject()
        endObject()
    }
}
