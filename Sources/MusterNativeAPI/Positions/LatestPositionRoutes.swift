import Hummingbird
import MusterCore
import MusterServer
import MusterWire

/// Routes for the latest positions of devices.
struct LatestPositionRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .get, "\(Self.root)/positions", admits: .roles([.admin, .analyst, .leader, .member], devices: true),
                .init(
                    "Positions",
                    "Read where each visible device is, the offsets of wrong clocks, and the log's sequence number.",
                    query: [Self.ofUser] + Self.paging,
                    answers: [.init(200, "Positions.", json: "LatestPositions")]),
                handler: listLatest))
    }

    private func listLatest(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (page, directory) = try visibleDevices(request, context)
        let (known, sequence) = try await whereabouts(of: page.items.map(\.number))
        return .json(answering: request) { writer in
            writer.beginObject()
            writer.member("sequence", sequence.rawValue)
            writer.key("items")
            writer.beginArray()
            for device in page.items {
                guard let position = known[device.number]?.position else { continue }
                writer.value(
                    position, device: directory.qualifiedName(of: device.number),
                    reporter: position.reporter.map { directory.name(of: $0) })
            }
            writer.endArray()
            writer.key("clocks")
            writer.beginArray()
            for device in page.items {
                guard let skew = known[device.number]?.skew else { continue }
                writer.value(skew, device: directory.qualifiedName(of: device.number))
            }
            writer.endArray()
            writer.member("nextCursor", page.nextCursor)
            writer.endObject()
        }
    }
}
