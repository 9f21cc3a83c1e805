import HTTPTypes
import Hummingbird
import MusterCore
package import MusterServer
import MusterStore
import MusterWire
import NIOCore

/// Receives reports of unmodified OwnTracks apps in their HTTP mode (https://owntracks.org/booklet/tech/http/).
///
/// An iPhone drops a queued fix on any 2xx or 4xx answer, and keeps it on any other. So every error that may pass, or
/// that a person can fix, is answered with 503, even a wrong password. Reports that can never be parsed are
/// acknowledged and counted. `docs/owntracks.md` has the table.
package struct OwnTracksEndpoint: Endpoint {
    let coordinator: StoreCoordinator
    let identity: Identity
    let metrics: Metrics
    let configuration: Configuration

    package init(_ parts: ServerParts) {
        coordinator = parts.coordinator
        identity = parts.identity
        metrics = parts.metrics
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
                            .init(200, "Positions and cards for the app to show.", json: "OwnTracksReply"),
                            .init(503, "The app keeps the report and tries again."),
                        ]), handler: receive))
        }
    }

    private func receive(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        guard let principal = context.principal else { throw IdentityError.missing }
        let body = try await request.collectBody(.standard)
        let now = configuration.now()
        let posted: OwnTracksRequest
        do {
            posted = try body.withUnsafeReadableBytes { try OwnTracksRequest(parsing: $0, receivedAt: now) }
        } catch let fault as JSONError {
            metrics.count(event: "owntracks_unreadable")
            throw Problem.malformed(
                "Not valid JSON: byte \(fault.offset).", [.init(fault.pointer, "\(fault.reason)")])
        }
        var report = OwnTracksReport(posted, sender: OwnTracksSender(request), receivedAt: now)
        let device = try await device(of: report, for: principal)
        guard let device else {
            // The report names no device that this user may report for; a person can fix that.
            metrics.count(event: "owntracks_unknown_device")
            throw Problem.unavailable("There is no such device.", retryAfterSeconds: Self.mendSeconds)
        }
        let box = try await open(&report, of: device)
        for event in report.events { metrics.count(event: event) }
        let observations = report.observations(
            of: device.number, by: Access(principal, in: coordinator.directory).reporter(of: device.number),
            from: now.advanced(bySeconds: -configuration.retentionDays * 86_400),
            to: now.advanced(bySeconds: ReportLimits.futureToleranceSeconds),
            region: { beaconRegion($0, of: device) })
        if observations.count < report.count { metrics.count(event: "owntracks_wrong_time") }
        try await store(observations, by: principal)
        return try await reply(to: principal, sealedIn: box)
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

    /// The seconds to wait before trying again where a person must fix something first.
    static let mendSeconds = 300

    // MARK: Who

    /// The device that a report is about: the token's device, or else the one that the app names. It belongs to the
    /// user who reports or, for a gateway or an admin, to the user that the app names. A device that a user names for
    /// the first time is created.
    private func device(of report: OwnTracksReport, for principal: Principal) async throws -> Device? {
        let directory = coordinator.directory
        if let device = principal.device { return directory.devices[device] }
        let name = report.deviceName
        let access = Access(principal, in: directory)
        let named = report.userName.flatMap { directory.users[$0] }
        let own = directory.users[principal.user]
        let owner =
            switch principal.role {
            case .gateway: named
            // An iPhone sends "user" where the field is empty.
            case .admin: named ?? own
            case .leader, .member, .analyst: own
            }
        guard let user = owner else { return nil }
        if let device = directory.device(named: name, of: user.number) {
            return access.mayReport(for: device) ? device : nil
        }
        guard user.number == principal.user, access.mayChangeDevices(of: user) else { return nil }
        return try await coordinator.edit(by: Author(principal)) { directory, draft in
            if let device = directory.device(named: name, of: user.number) { return device }
            guard directory.users[user.number] != nil,
                directory.devices(of: user.number).count < Directory.deviceLimit
            else { return nil }
            let device = Device(number: try draft.transaction.nextDeviceNumber(), name: name, user: user.number)
            draft.edits = [.putDevice(device)]
            return device
        }
    }

    // MARK: Beacons

    /// The beacon region that a transition names: by its id or name, or as older iPhones do by `name:UUID:major:minor`.
    private func beaconRegion(_ transition: OwnTracksTransition, of device: Device) -> RegionNumber? {
        let directory = coordinator.directory
        guard let tracker = directory.tracker(of: device), let name = transition.name else { return nil }
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        let uuid = parts.count > 1 ? BeaconUUID(parts[1]) : nil
        for collection in tracker.collections {
            for number in directory.regions(in: collection) {
                guard let region = directory.regions[number],
                    case .beacons(let own, let major, let minor) = region.beacon?.source
                else { continue }
                if let uuid {
                    let numbers = parts.dropFirst(2).map { UInt16($0) }
                    guard own == uuid, major == (numbers.first ?? nil), minor == (numbers.dropFirst().first ?? nil)
                    else { continue }
                    return number
                }
                if region.id == name || region.name.lowercased() == name.lowercased() { return number }
            }
        }
        return nil
    }

    // MARK: Encryption

    /// Decrypts the encrypted messages of a report.
    ///
    /// - Returns: the box to encrypt the answer with; nil when nothing was encrypted.
    /// - Throws: `Problem.unavailable` when the server has no key for the device.
    private func open(_ report: inout OwnTracksReport, of device: Device) async throws -> SecretBox? {
        guard report.isSealed else { return nil }
        let stored = try await coordinator.read {
            try $0.credential(.encryptionKey, key: Credential.key(of: device.number))
        }
        guard let stored, let box = SecretBox(secret: stored.secret) else {
            metrics.count(event: "owntracks_no_key")
            throw Problem.unavailable("There is no key for this device.", retryAfterSeconds: Self.mendSeconds)
        }
        report.open(with: box)
        return box
    }
}
