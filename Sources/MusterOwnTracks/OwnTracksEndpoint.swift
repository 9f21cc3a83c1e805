import HTTPTypes
import Hummingbird
import MusterCore
package import MusterServer
import MusterWire
import NIOCore

/// Receives reports of unmodified OwnTracks apps in their HTTP mode (https://owntracks.org/booklet/tech/http/).
///
/// An iPhone drops a queued fix on any 2xx or 4xx answer, and keeps it on any other. So every error that is temporary,
/// or that a person can fix, is answered with 503, even a wrong password. Reports that can never be parsed are counted,
/// kept for an operator (`RefusedReports`) and acknowledged. `docs/owntracks.md` has the table.
package struct OwnTracksEndpoint: Endpoint {
    let coordinator: StoreCoordinator
    let intake: OwnTracksIntake
    let locationRequests: LocationRequests
    let metrics: Metrics
    let refused: RefusedReports
    let configuration: Configuration

    package init(_ parts: ServerParts) {
        coordinator = parts.coordinator
        intake = OwnTracksIntake(parts)
        locationRequests = parts.pushes.locationRequests
        metrics = parts.metrics
        refused = parts.refused
        configuration = parts.configuration
    }

    /// Adds `/owntracks`, and `/pub`, the path of the OwnTracks Recorder. Further path segments in an address that a
    /// person typed into the app name the user and device, or are ignored; a phone should not lose a fix because of
    /// them.
    package func register(in routes: inout RouteTable) {
        for path in ["/owntracks", "/pub", "/owntracks/{path...}", "/pub/{path...}"] {
            routes.add(
                Route(
                    .post, path, admits: .roles(Route.Admission.everyRole, devices: true),
                    over: OwnTracksProtocol(metrics: metrics),
                    .init(
                        "OwnTracks", "Receive the reports of an OwnTracks app.",
                        query: [
                            .init("u", "The user, if the request has no `X-Limit-U`.", schema: #"{"type":"string"}"#),
                            .init("d", "The device, if the request has no `X-Limit-D`.", schema: #"{"type":"string"}"#),
                        ], body: ["application/json": "OwnTracksMessage"],
                        answers: [
                            .init(
                                200, "Positions and cards for the app to show, and a command to report.",
                                json: "OwnTracksReply"),
                            .init(503, "The app keeps the report and tries again."),
                        ]), handler: receive))
        }
    }

    private func receive(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        guard let principal = context.principal else { throw IdentityError.missing }
        let body = try await request.collectBody(.standard)
        let now = configuration.now()
        let sender = OwnTracksSender(request)
        let posted: OwnTracksRequest
        do {
            posted = try body.withUnsafeReadableBytes { try OwnTracksRequest(parsing: $0, receivedAt: now) }
        } catch let fault as JSONError {
            // An iPhone forgets the report on any 2xx or 4xx answer, and on any other answer a phone sends it for ever.
            // So the server keeps the report and acknowledges it.
            metrics.count(event: "owntracks_unreadable")
            let lost = refused.report(
                Array(buffer: body), from: principal, at: sender.topic,
                because: "Byte \(fault.offset): \(fault.reason).")
            refused.warn(of: lost, event: "owntracks_unreadable")
            try await refused.store([lost])
            return .json { writer in
                writer.beginArray()
                writer.endArray()
            }
        }
        let report = try await intake.report(posted, from: sender, by: principal, receivedAt: now)
        // First, so that a phone that has to send all of it again does not fill the refused reports.
        try await store(report.observations, by: principal)
        if let reason = report.fault {
            let lost = refused.report(
                Array(buffer: body), from: principal, of: report.device, at: sender.topic, because: reason)
            refused.warn(of: lost, event: "owntracks_malformed")
            try await refused.store([lost])
        }
        return try await reply(to: principal, from: report.device, sealedIn: report.box)
    }

    /// Stores the observations. Answers 503 for an exceeded quota, too, so that the phone keeps the fix and sends it
    /// when there is room.
    private func store(_ observations: [Observation], by principal: Principal) async throws {
        do {
            _ = try await coordinator.ingest(observations, by: principal)
        } catch {
            guard case .overQuota(let fault) = error else { throw error }
            metrics.count(event: "owntracks_over_quota")
            throw Problem.unavailable(fault.words, retryAfterSeconds: fault.retryAfterSeconds ?? Self.mendSeconds)
        }
    }

    /// The seconds to wait before trying again if a person must fix something first.
    static let mendSeconds = 300
}
