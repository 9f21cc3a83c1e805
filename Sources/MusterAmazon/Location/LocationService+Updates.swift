import HTTPTypes
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Amazon Location's operations that receive positions: `BatchUpdateDevicePosition` and `VerifyDevicePosition`.
extension LocationService {
    func addPositionUpdates(to routes: inout RouteTable) {
        let tracker = "\(Self.trackers)/{tracker}"
        add(
            "BatchUpdateDevicePosition", .post, "\(tracker)/positions", admits: Route.Admission.everyRole,
            to: &routes, updatePositions)
        add(
            "VerifyDevicePosition", .post, "\(tracker)/positions/verify",
            admits: [.admin, .analyst, .leader, .member], to: &routes, verifyPosition)
    }

    private func updatePositions(_ call: AmazonCall) async throws -> [UInt8] {
        let updates = try call.read { AmazonPositionUpdate.list("Updates", of: $0, &$1) }
        let directory = coordinator.directory
        let (tracker, team) = try self.tracker(call, for: .reports, in: directory)
        let access = call.access(in: directory)
        let makes = access.mayReportForAnyone(of: team)
        return try await report(updates, to: tracker, of: team, as: .init(access: access, makesDevices: makes))
    }

    private func verifyPosition(_ call: AmazonCall) async throws -> [UInt8] {
        _ = try tracker(call, for: .positions, in: coordinator.directory)
        throw AmazonError.validation(
            "Positions cannot be verified: Muster has no data about addresses, access points and cells.", .other)
    }

    /// The sender of a report.
    struct Reporter: Sendable {
        var access: Access
        /// Whether reports create devices that do not exist yet, and may come from this sender for devices so created.
        var makesDevices: Bool

        /// Whether a position of this device may come from this sender. An implicit user's device has no other sender;
        /// for a person's device `Access` decides.
        func mayReport(for device: Device) -> Bool {
            access.mayReport(for: device)
                || (makesDevices && access.directory.users[device.user]?.isImplicit ?? false)
        }

        /// Whether a report of this sender may create a device for a user who has none yet.
        func mayMakeDevice(of user: User) -> Bool {
            access.mayCreateDeviceByReport(of: user, forAnyone: makesDevices)
        }
    }

    /// Stores position updates of a tracker's devices. Updates that are valid and allowed are on disk before the
    /// answer; the answer lists the others one by one.
    func report(
        _ updates: [AmazonPositionUpdate], to tracker: Tracker, of team: Team, as reporter: Reporter
    ) async throws -> [UInt8] {
        var directory = coordinator.directory
        let unknown = updates.map(\.deviceID).filter { directory.amazonDevice($0, in: team, of: tracker) == nil }
        var notMade: [String: QuotaError] = [:]
        if !unknown.isEmpty {
            notMade = try await makeDevices(unknown, of: team.number, as: reporter)
            directory = coordinator.directory
        }
        var reporter = reporter
        reporter.access = Access(reporter.access.principal, in: directory)
        let now = configuration.now()
        var observations: [(update: AmazonPositionUpdate, observation: Observation)] = []
        var failures: [(update: AmazonPositionUpdate, code: String, message: String)] = []
        var overQuota: [QuotaError] = []
        for update in updates {
            let device = directory.amazonDevice(update.deviceID, in: team, of: tracker)
            if let device, reporter.mayReport(for: device) {
                if let fault = fault(in: update, at: now) {
                    failures.append((update, "ValidationError", fault))
                } else if var position = update.position(receivedAt: now) {
                    position.reporter = reporter.access.reporter(of: device.number)
                    observations.append((update, .position(position, of: device.number)))
                }
            } else if device == nil, let fault = notMade[update.deviceID] {
                overQuota.append(fault)
                failures.append((update, "ResourceNotFoundError", fault.words))
            } else if device == nil, reporter.makesDevices {
                failures.append((update, "ResourceNotFoundError", "There is no device \(update.deviceID)."))
            } else {
                failures.append((update, "AccessDeniedError", "You may not report for \(update.deviceID)."))
            }
        }
        let refused = try await coordinator.ingestWithinQuotas(
            observations.map(\.observation), by: reporter.access.principal)
        for (index, fault) in refused.sorted(by: { $0.key < $1.key }) {
            overQuota.append(fault)
            failures.append((observations[index].update, "ThrottlingError", fault.words))
        }
        // If no update fits the quotas, the whole request is refused, so that AWS clients learn when to try again.
        if overQuota.count == updates.count, let fault = overQuota.max(by: { $0.waitSeconds < $1.waitSeconds }) {
            throw AmazonError(mapping: fault)
        }
        return JSONWriter.object { writer in
            writer.member("Errors", listing: failures) { writer, failure in
                writer.beginObject()
                writer.member("DeviceId", failure.update.deviceID)
                writer.member("SampleTime", failure.update.sampleTime)
                writer.amazonItemError(failure.code, failure.message)
                writer.endObject()
            }
        }
    }

    /// The fault of an update beyond the API model's rules; nil for a valid update.
    private func fault(in update: AmazonPositionUpdate, at now: Instant) -> String? {
        if update.coordinate == nil { return "Position is off the globe: longitude -180 to 180, latitude -90 to 90." }
        if update.sampleTime > now.advanced(bySeconds: ReportLimits.futureToleranceSeconds) {
            return "SampleTime is more than 60 s ahead of \(now.rfc3339)."
        }
        if update.sampleTime < now.advanced(bySeconds: -configuration.retentionDays * 86_400) {
            return "SampleTime is older than the \(JSONWriter.text(configuration.retentionDays)) days that are kept."
        }
        return nil
    }

    /// Creates the devices that do not exist yet, and the implicit users that own them, as far as quotas allow.
    ///
    /// - Returns: why others were not created, by their ids.
    private func makeDevices(
        _ ids: [String], of number: TeamNumber, as reporter: Reporter
    ) async throws -> [String: QuotaError] {
        // Avoids a transaction if nothing may be created.
        guard reporter.makesDevices || ids.contains(reporter.access.principal.name) else { return [:] }
        let quotas = coordinator.quotas
        let notMade = try await coordinator.edit(by: Author(reporter.access.principal)) { directory, draft in
            var notMade: [String: QuotaError] = [:]
            guard let team = directory.teams[number], let tracker = directory.trackers[team.tracker] else {
                return notMade
            }
            var left = quotas.implicitUsersLeft(of: team, in: directory)
            var made: Set<String> = []
            for id in ids where made.insert(id).inserted && AmazonText.id.allows(id) {
                guard directory.amazonDevice(id, in: team, of: tracker) == nil else { continue }
                if let user = directory.amazonUser(id, in: team, of: tracker) {
                    guard reporter.mayMakeDevice(of: user) else { continue }
                    let device = try draft.transaction.nextDeviceNumber()
                    draft.edits.append(.putDevice(Device(number: device, name: id, user: user.number)))
                } else if reporter.makesDevices {
                    if left.count == 0 {
                        notMade[id] = left.fault
                    } else if try Self.makeImplicitUser(id, of: team, tracker, in: directory, &draft) {
                        left.count -= 1
                    }
                }
            }
            return notMade
        }
        for fault in notMade.values { quotas.noteRefusal(fault) }
        return notMade
    }

    /// - Returns: whether the user was created; other users may hold both names that it could have.
    private static func makeImplicitUser(
        _ id: String, of team: Team, _ tracker: Tracker, in directory: Directory, _ draft: inout Draft
    ) throws -> Bool {
        let name = directory.users[id] == nil ? id : "\(id)@\(tracker.name)"
        guard directory.users[name] == nil else { return false }
        let user = User(
            number: try draft.transaction.nextUserNumber(), name: name, role: .member, team: team.number,
            isImplicit: true)
        let device = Device(number: try draft.transaction.nextDeviceNumber(), name: id, user: user.number)
        draft.edits += [.putUser(user), .putDevice(device)]
        return true
    }
}
