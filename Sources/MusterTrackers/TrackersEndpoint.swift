import HTTPTypes
import Hummingbird
import MusterCore
package import MusterServer
import MusterStore
import MusterWire
import NIOCore

/// Receives the reports of tracker apps: what speaks OsmAnd's protocol, such as Traccar Client and GPSLogger; Overland;
/// μlogger (`docs/trackers.md`).
///
/// An app keeps a report until the server answers it with 2xx, and sends nothing newer before. So what is stored is
/// acknowledged, and so is what can never be read, which the server counts and keeps for an operator
/// (`RefusedReports`). Every error that is temporary, or that a person can fix, is 503.
package struct TrackersEndpoint: Endpoint {
    private let coordinator: StoreCoordinator
    private let metrics: Metrics
    private let refused: RefusedReports
    private let configuration: Configuration

    package init(_ parts: ServerParts) {
        coordinator = parts.coordinator
        metrics = parts.metrics
        refused = parts.refused
        configuration = parts.configuration
    }

    /// The seconds to wait before trying again if a person must fix something first.
    static let mendSeconds = 300

    package func register(in routes: inout RouteTable) {
        for app in TrackerApp.allCases {
            for method in app.methods {
                for path in app.paths {
                    routes.add(
                        Route(
                            method, path, admits: .roles(Route.Admission.everyRole, devices: true),
                            over: TrackersProtocol(app: app, metrics: metrics), app.documentation
                        ) { request, context in try await receive(request, context, from: app) })
                }
            }
        }
    }

    private func receive(
        _ request: Request, _ context: AppRequestContext, from app: TrackerApp
    ) async throws -> Response {
        let access = try context.access(in: coordinator.directory)
        guard let number = access.principal.device, let device = access.directory.devices[number] else {
            throw Problem.forbidden("Only the token of a device reports here.")
        }
        let posted = try await TrackerRequest(request)
        // A person who opens the address in a browser, or a program that looks whether it is there.
        if posted.bytes.isEmpty || request.method == .head { return app.acknowledgement }
        let now = configuration.now()
        let report: TrackerReport
        do {
            report = try posted.report(from: app, receivedAt: now)
        } catch {
            let words = "\(error.pointer.isEmpty ? "Byte \(error.offset)" : error.pointer): \(error.reason)."
            try await store(refusedFor: words, posted, of: device, by: access.principal, from: app)
            return app.acknowledgement
        }
        let positions = positions(report, of: device, by: access, receivedAt: now)
        let calls = calls(report, of: device, by: access, from: app, receivedAt: now)
        // First, so that an app that has to send all of it again does not fill the refused reports.
        try await store(positions, calls, by: access.principal)
        if let fault = report.fault {
            try await store(refusedFor: fault, posted, of: device, by: access.principal, from: app)
        }
        var answer = app.acknowledgement
        if app == .uLogger, posted.fields.texts("action") == ["auth"], let token = posted.token, token.isWholeToken {
            answer.headers[.setCookie] = TrackersProtocol.cookie(token, isSecure: configuration.tls != nil)
        }
        return answer
    }

    // MARK: Observations

    private func earliest(at now: Instant) -> Instant {
        now.advanced(bySeconds: -configuration.retentionDays * 86_400)
    }

    /// The positions that are not older than what the server keeps. A position whose device's clock is ahead is stored,
    /// because it shows the clock's offset.
    private func positions(
        _ report: TrackerReport, of device: Device, by access: Access, receivedAt now: Instant
    ) -> [Observation] {
        let earliest = earliest(at: now)
        let reporter = access.reporter(of: device.number)
        let timely = report.positions.filter { earliest <= $0.sampleTime }.map { position -> Observation in
            var position = position
            position.reporter = reporter
            return .position(position, of: device.number)
        }
        if timely.count < report.positions.count { metrics.count(event: "trackers_wrong_time") }
        return timely
    }

    /// The calls for help that the device may make for its user.
    private func calls(
        _ report: TrackerReport, of device: Device, by access: Access, from app: TrackerApp, receivedAt now: Instant
    ) -> [Observation] {
        guard !report.calls.isEmpty, let owner = access.directory.users[device.user] else { return [] }
        guard access.mayDeclare(.sos, of: owner) else {
            metrics.count(event: "trackers_sos_not_allowed")
            return []
        }
        let plausible = earliest(at: now)...now.advanced(bySeconds: ReportLimits.futureToleranceSeconds)
        return report.calls.map { call in
            .declaration(declaration(call, of: device, from: app, plausible: plausible, receivedAt: now))
        }
    }

    /// The declaration of a call for help. The app sends the call again until it hears that it arrived: the id is the
    /// same then. A call whose time cannot be right counts as made now, because a wrong clock must cost nobody help.
    private func declaration(
        _ call: TrackerReport.Call, of device: Device, from app: TrackerApp, plausible: ClosedRange<Instant>,
        receivedAt now: Instant
    ) -> Declaration {
        let stated = call.sampleTime ?? now
        return Declaration(
            id: "\(app.rawValue)-\(device.number.rawValue)-\(stated.milliseconds)", subject: device.user,
            author: device.user, device: device.number, kind: .sos,
            sampleTime: plausible.contains(stated) ? stated : now, receivedTime: now, coordinate: call.coordinate)
    }

    // MARK: Storing

    /// Stores the observations; they are on disk when this returns. Answers 503 for an exceeded quota, too, so that the
    /// app keeps the report and sends it when there is room. A quota holds back no call for help.
    private func store(_ positions: [Observation], _ calls: [Observation], by principal: Principal) async throws {
        if positions.isEmpty, calls.isEmpty { return }
        do {
            _ = try await coordinator.ingest(calls + positions, by: principal)
        } catch {
            guard case .overQuota(let fault) = error else { throw error }
            metrics.count(event: "trackers_over_quota")
            if !calls.isEmpty { _ = try await coordinator.ingest(calls, by: principal) }
            throw Problem.unavailable(fault.words, retryAfterSeconds: fault.retryAfterSeconds ?? Self.mendSeconds)
        }
    }

    /// Keeps a report that could not be read, or not all of it, for an operator.
    private func store(
        refusedFor reason: String, _ posted: TrackerRequest, of device: Device, by principal: Principal,
        from app: TrackerApp
    ) async throws {
        metrics.count(event: "trackers_unreadable")
        // The path may hold the token, and is not kept.
        let lost = refused.report(
            posted.bytes, from: principal, of: device.number, at: app.rawValue, because: reason)
        refused.warn(of: lost, event: "trackers_unreadable")
        try await refused.store([lost])
    }
}
