import Hummingbird
import MusterCore
package import MusterServer
import MusterWire
package import ServiceLifecycle

/// Official warnings of weather and civil protection services, from feeds in the Common Alerting Protocol (CAP 1.2), as
/// regions that expire (docs/warnings.md).
package struct WarningsEndpoint: Endpoint {
    private let parts: ServerParts
    private let follower: WarningFollower

    package init(_ parts: ServerParts) {
        self.parts = parts
        follower = WarningFollower(parts)
    }

    /// A server for one command has no settings of feeds: it leaves the regions as they are.
    package var services: [any Service] { parts.configuration.isForOneCommand ? [] : [follower] }

    package func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .get, "\(APIPaths.root)/warnings", admits: .roles([.admin, .leader], devices: false),
                .init(
                    "Regions",
                    "List the feeds of official warnings, and how it stands with each. A leader gets those of the own "
                        + "team. Their regions are those of the collection that is named.",
                    answers: [.init(200, "Feeds, in the order of the settings.", json: "WarningFeedList")]),
                handler: listFeeds))
    }

    private func listFeeds(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let directory = parts.coordinator.directory
        let access = try context.access(in: directory)
        let now = parts.configuration.now()
        let statuses = parts.warnings.all.filter { access.mayReadWarningSources(of: directory.teams[$0.team]) }
        return .json { writer in
            writer.beginObject()
            writer.member("items", listing: statuses) { writer, status in
                let team = directory.teams[status.team]
                let collection = team.flatMap { directory.warningCollection(of: $0.number) }
                writer.value(status, collection: collection?.name, at: now)
            }
            writer.endObject()
        }
    }
}

extension JSONWriter {
    fileprivate mutating func value(_ status: WarningStatus, collection: String?, at now: Instant) {
        beginObject()
        member("team", status.team)
        member("host", status.host)
        if let collection { member("collection", collection) }
        if let heardAt = status.heardAt { member("heardAt", heardAt) }
        if let fault = status.fault { member("fault", fault) }
        member("failures", status.failures)
        member("silent", status.isSilent(at: now))
        member("warnings", status.counts.warnings)
        member("regions", status.counts.regions)
        member("withoutArea", status.counts.withoutArea)
        member("refusedShapes", status.counts.refusedShapes)
        member("leftOut", status.counts.leftOut)
        member("unread", status.counts.unread)
        if let reason = status.counts.reason { member("reason", reason) }
        endObject()
    }
}
