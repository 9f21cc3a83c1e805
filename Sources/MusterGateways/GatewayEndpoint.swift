import Hummingbird
import MusterCore
package import MusterServer
import MusterWire
import NIOCore

/// Receives the reports of gateways, which hear tags, in the format of each maker. So far the only format is that of
/// Ruuvi Gateway (https://docs.ruuvi.com/gw-data-formats/http-time-stamped-data-from-bluetooth-sensors).
///
/// A gateway is a device of a user with the role gateway. Its place is given by the beacon regions that name the
/// gateway as their scanner (docs/beacons.md).
package struct GatewayEndpoint: Endpoint {
    private let coordinator: StoreCoordinator
    private let metrics: Metrics
    private let occasionalLog: OccasionalLog
    private let configuration: Configuration

    package init(_ parts: ServerParts) {
        coordinator = parts.coordinator
        metrics = parts.metrics
        occasionalLog = parts.occasionalLog
        configuration = parts.configuration
    }

    package func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .post, "/ruuvi", admits: .roles([.gateway, .member], devices: true),
                .init(
                    "Gateways",
                    "Receive what a Ruuvi Gateway heard. The token is the device's, or the device has the gateway's "
                        + "address as its name, with hyphens.",
                    body: ["application/json": "RuuviPost"],
                    answers: [.init(200, "Stored durably.", json: "RuuviReceipt")]), handler: receive))
    }

    private func receive(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        guard let principal = context.principal else { throw IdentityError.missing }
        guard Access(principal, in: coordinator.directory).mayReportAsGateway else {
            throw Problem.forbidden("Only a gateway posts here.")
        }
        try request.requireJSON()
        let body = try await request.collectBody(.standard)
        let now = configuration.now()
        let earliest = now.advanced(bySeconds: -configuration.retentionDays * 86_400)
        let latest = now.advanced(bySeconds: ReportLimits.futureToleranceSeconds)
        let report = try body.withUnsafeReadableBytes {
            try RuuviReport(parsing: $0, receivedAt: now, plausible: max(earliest, Self.firstGateway)...latest)
        }
        // The directory may have changed while the body arrived.
        let directory = coordinator.directory
        let scanner = try scanner(report, principal, directory)
        let observations = SightingIntake(scanner, in: directory)
            .observations(of: report.sightings, listenedUntil: report.postedAt, receivedAt: now)
        if report.encryptedCount > 0 { occasionalLog.warnOfEncryption(metrics, heardBy: scanner, in: directory) }
        if report.unknownCount > 0 { metrics.count(event: "beacon_unknown_format") }
        if report.malformedCount > 0 { metrics.count(event: "beacon_malformed") }
        if report.untimedCount > 0 { metrics.count(event: "beacon_wrong_time") }
        if !observations.kept.isEmpty { _ = try await coordinator.ingest(observations.kept, by: principal) }
        return .json { writer in
            writer.beginObject()
            writer.member("stored", report.sightings.count - observations.strangers)
            writer.member("strangers", observations.strangers)
            writer.member("unknown", report.unknownCount)
            writer.member("malformed", report.malformedCount)
            writer.member("wrongTime", report.untimedCount)
            writer.endObject()
        }
    }

    /// The year before the first gateways were sold. A clock that shows an earlier time was never set, and counts from
    /// its own beginning.
    private static let firstGateway = Instant(milliseconds: 1_577_836_800_000)

    /// The device that posts: the token's device, or the one whose name is the gateway's Bluetooth address.
    private func scanner(
        _ report: RuuviReport, _ principal: Principal, _ directory: Directory
    ) throws(Problem) -> Device {
        if let number = principal.device, let device = directory.devices[number] { return device }
        let name = (report.gatewayAddress ?? "").replacing(":", with: "-")
        guard let device = directory.device(named: name, of: principal.user) else {
            throw .invalid("/data/gw_mac", "there is no such device: add one that is named by it, with hyphens")
        }
        return device
    }
}
