import Hummingbird
import MusterCore
import MusterServer
import MusterWire

/// The question "where are you now?": a leader asks, and the person's devices are told.
struct LocationRequestRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .post, "\(Self.root)/users/{user}/location-request",
                admits: .roles([.admin, .leader], devices: false),
                .init(
                    "Push",
                    "Ask someone where they are now: on their push devices and in their live feed. Their next position "
                        + "is the answer.",
                    answers: [.init(202, "Asked. It says whom the question can reach.", json: "LocationRequest")]),
                handler: ask))
    }

    private func ask(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let access = try context.access(in: coordinator.directory)
        let user = try user(context, access)
        guard access.mayAskForLocation(of: user) else { throw Problem.forbidden }
        let author = Author(access.principal)
        let devices = try await server.pushes.devices(of: user.number)
        let heardAt = try await coordinator.inspect { engine, directory, _ in
            directory.devices.all.lazy.filter { $0.user == user.number }
                .compactMap { engine.latestPosition(of: $0.number)?.sampleTime }.max()
        }
        let now = configuration.now()
        try await coordinator.edit(by: author) { _, draft in
            draft.actions.append(Action(.locationAsked, by: author.user, user: user.number))
        }
        return .json(.accepted) { writer in
            writer.beginObject()
            writer.member("user", user.name)
            writer.member("askedAt", now)
            writer.member("pushDevices", listing: devices) { writer, found in
                writer.beginObject()
                writer.member("id", found.device.id)
                writer.member("platform", found.device.platform.rawValue)
                writer.endObject()
            }
            if let heardAt { writer.member("lastPositionAt", heardAt) }
            writer.endObject()
        }
    }
}
