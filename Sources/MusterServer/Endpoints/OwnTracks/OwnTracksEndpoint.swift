import HTTPTypes
import Hummingbird
import MusterCore
import MusterStore
import MusterWire
import NIOCore

/// Where OwnTracks apps report, as they are: their HTTP mode (https://owntracks.org/booklet/tech/http/).
///
/// An iPhone forgets a queued fix on any answer of 2xx and of 4xx, and keeps it on anything else. So whatever may pass,
/// or a person can mend, is 503 here, also a wrong password; and what can never be read is acknowledged and counted.
/// `docs/owntracks.md` has the table.
package struct OwnTracksEndpoint: Sendable {
    let coordinator: StoreCoordinator
    let identity: Identity
    let metrics: Metrics
    let configuration: Configuration

    /// The endpoint over a coordinator.
    package init(coordinator: StoreCoordinator, identity: Identity, metrics: Metrics, configuration: Configuration) {
        self.coordinator = coordinator
        self.identity = identity
        self.metrics = metrics
        self.configuration = configuration
    }

    /// Adds `/owntracks`, and `/pub`, which the OwnTracks Recorder has. What stands behind them in an address that
    /// somebody typed is no reason for a phone to lose a fix: it names the user and device, or nothing.
    package func register(in routes: inout RouteTable) {
        for path in ["/owntracks", "/pub", "/owntracks/{path...}", "/pub/{path...}"] {
            routes.add(
                Route(
                    .post, path, admits: .provenByHandler(Route.Admission.everyRole),
                    .init(
                        "OwnTracks", "What an OwnTracks app posts.",
                        query: [
                            .init("u", "The user, where `X-Limit-U` is not sent.", schema: #"{"type":"string"}"#),
                            .init("d", "The device, where `X-Limit-D` is not sent.", schema: #"{"type":"string"}"#),
                        ], body: ["application/json": "OwnTracksMessage"],
                        answers: [
                            .init(200, "What the app should show; `[]` is nothing.", json: "OwnTracksReply"),
                            .init(503, "Keep it, and try again."),
                        ]), handler: receiveOrRefuseForNow))
        }
    }

    /// A phone knows 503 as what may pass, and keeps its fixes; so that is what it is told of a full disk, too.
    private func receiveOrRefuseForNow(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        do {
            return try await receive(request, context)
        } catch CoordinatorError.unwritable {
            throw Problem.unavailable(StorageWords.refusal, retryAfterSeconds: StorageWords.retryAfterSeconds)
        }
    }

    private func receive(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let principal = try await prove(request, context)
        let body = try await request.collectBody(.standard)
        let now = configuration.now()
        let posted: OwnTracksRequest
        do {
            posted = try body.withUnsafeReadableBytes { try OwnTracksRequest(parsing: $0, receivedAt: now) }
        } catch let fault as JSONError {
            metrics.count(event: "owntracks_unreadable")
            throw Problem.malformed(
                "Not readable as JSON: byte \(fault.offset).", [.init(fault.pointer, "\(fault.reason)")])
        }
        var report = OwnTracksReport(posted, sender: OwnTracksSender(request), receivedAt: now)
        let device = try await device(of: report, for: principal)
        guard let device else {
            // Somebody who reports for nobody: a person can mend it.
            metrics.count(event: "owntracks_unknown_device")
            throw Problem.unavailable("There is no such device.", retryAfterSeconds: Self.mendSeconds)
        }
        let box = try await open(&report, of: device)
        for event in report.events { metrics.count(event: event) }
        let observations = report.observations(
            of: device.number, by: Access(principal, in: coordinator.directory).reporter(of: device.number),
            from: now.advanced(bySeconds: -configuration.retentionDays * 86_400),
            to: now.advanced(bySeconds: NativeEndpoint.futureToleranceSeconds))
        if observations.count < report.count { metrics.count(event: "owntracks_wrong_time") }
        try await store(observations, by: principal)
        return try await reply(to: principal, sealedIn: box)
    }

    /// Stores what was reported. What is over a quota is 503 here, too: a phone keeps the fix, and sends it when there
    /// is room.
    private func store(_ observations: [Observation], by principal: Principal) async throws {
        do {
            _ = try await coordinator.ingest(observations, by: principal)
        } catch {
            guard case .overQuota(let fault) = error else { throw error }
            metrics.count(event: "owntracks_over_quota")
            throw Problem.unavailable(fault.words, retryAfterSeconds: fault.retryAfterSeconds ?? Self.mendSeconds)
        }
    }

    /// How long to wait before trying again what a person must mend first, in seconds.
    static let mendSeconds = 300

    // MARK: Who

    /// Proves who reports.
    ///
    /// - Throws: `Problem.unauthorized` when no credential is shown at all; `.unavailable` for a wrong one, so that a
    ///   phone whose token was changed keeps its fixes until somebody gives it the new one.
    private func prove(_ request: Request, _ context: AppRequestContext) async throws -> Principal {
        do {
            return try await identity.authenticate(request.headers[.authorization], from: context.remoteAddress)
        } catch IdentityError.missing {
            var problem = Problem.unauthorized
            problem.headers[.wwwAuthenticate] = #"Basic realm="muster", charset="UTF-8""#
            throw problem
        } catch IdentityError.refused {
            metrics.count(event: "owntracks_refused")
            throw Problem.unavailable("Name, password or token is wrong.", retryAfterSeconds: Self.mendSeconds)
        } catch IdentityError.tooManyTries(let seconds) {
            throw Problem.unavailable("Too many tries.", retryAfterSeconds: seconds)
        }
    }

    /// The device that a report is of: the token's; else the one that the app names, among those of the user, or, for a
    /// gateway and an admin, of the user that is named. A device that the user itself names for the first time is made.
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
            // An iPhone says "user" where nothing was filled in.
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
                directory.devices(of: user.number).count < NativeEndpoint.deviceLimit
            else { return nil }
            let device = Device(number: try draft.transaction.nextDeviceNumber(), name: name, user: user.number)
            draft.edits = [.putDevice(device)]
            return device
        }
    }

    // MARK: Encryption

    /// Opens what is sealed.
    ///
    /// - Returns: the box to seal the answer in; nil when nothing was sealed.
    /// - Throws: `Problem.unavailable` when no key is known for the device.
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

extension Credential {
    /// The key under which what belongs to a device is stored: its number, big-endian.
    static func key(of device: DeviceNumber) -> [UInt8] {
        let number = UInt32(bitPattern: device.rawValue)
        return (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32($0))) }
    }
}
