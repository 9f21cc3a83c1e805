import Hummingbird
import MusterCore
import MusterGeometry
import MusterServer
import MusterWire

/// Routes for the presence of devices in regions.
struct PresenceRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .get, "\(Self.root)/presences", admits: .roles([.admin, .analyst, .leader, .member], devices: true),
                .init(
                    "Positions",
                    "List, for each visible device, its presence in the regions near it with its probability. A page "
                        + "does not split a device.",
                    query: [Self.ofUser] + Self.paging, answers: [.init(200, "Presences.", json: "Presences")]),
                handler: listPresences))
    }

    private func listPresences(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (page, directory) = try visibleDevices(request, context)
        let devices = page.items.map(\.number)
        let (reports, sequence) = try await coordinator.inspect { engine, _, sequence in
            let reports = devices.flatMap { engine.reports(of: $0) }
            return (reports.map { ($0, engine.track(of: $0.device, in: $0.region)) }, sequence)
        }
        return .json(answering: request) { writer in
            writer.beginObject()
            writer.member("sequence", sequence.rawValue)
            writer.member("items", listing: reports) { $0.presence($1.0, heard: $1.1, in: directory) }
            writer.member("nextCursor", page.nextCursor)
            writer.endObject()
        }
    }
}

extension JSONWriter {
    fileprivate mutating func presence(_ report: PresenceReport, heard track: BeaconTrack?, in directory: Directory) {
        beginObject()
        member("device", directory.qualifiedName(of: report.device))
        member("user", directory.devices[report.device].flatMap { directory.users[$0.user]?.name })
        key("region")
        value(directory.named(report.region))
        members(of: report)
        if let track, directory.regions[report.region]?.beacon != nil {
            member("proximity", track.proximity.wireName.description)
            if track.isSignalKnown {
                member("distance", BeaconPolicy.distance(signal: Double(track.signal)).value)
            }
        }
        endObject()
    }
}
