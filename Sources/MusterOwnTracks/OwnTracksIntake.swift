package import MusterCore
package import MusterServer
import MusterStore
package import MusterWire

/// Translates messages of OwnTracks apps into observations: finds the device that they are about, and decrypts them.
/// Both the HTTP mode and the MQTT mode of the apps use it.
package struct OwnTracksIntake: Sendable {
    private let coordinator: StoreCoordinator
    private let metrics: Metrics
    private let configuration: Configuration

    package init(_ parts: ServerParts) {
        coordinator = parts.coordinator
        metrics = parts.metrics
        configuration = parts.configuration
    }

    /// The observations of a request, and the key for the answer.
    package struct Report: Sendable {
        package let device: DeviceNumber
        package let observations: [Observation]
        /// Why a message of the request could not be read or decrypted, in words; nil when all could.
        package let fault: String?
        /// Encrypts the answer with the report's key; nil when the report was not encrypted.
        package let box: SecretBox?
    }

    /// Translates the messages of one request.
    ///
    /// - Throws: `OwnTracksRefusal`; `CoordinatorError` and `StoreError` when the store cannot answer now.
    package func report(
        _ posted: OwnTracksRequest, from sender: OwnTracksSender, by principal: Principal, receivedAt now: Instant
    ) async throws -> Report {
        var report = OwnTracksReport(posted, sender: sender, receivedAt: now)
        guard let device = try await device(of: report, for: principal) else {
            // The report names no device for which this user may report. The operator sees the count.
            metrics.count(event: "owntracks_unknown_device")
            throw OwnTracksRefusal.unknownDevice
        }
        let box = try await open(&report, of: device)
        for event in report.events { metrics.count(event: event) }
        let observations = report.observations(
            of: device.number, by: Access(principal, in: coordinator.directory).reporter(of: device.number),
            from: now.advanced(bySeconds: -configuration.retentionDays * 86_400),
            to: now.advanced(bySeconds: ReportLimits.futureToleranceSeconds),
            region: { beaconRegion($0, of: device) })
        if observations.count < report.count { metrics.count(event: "owntracks_wrong_time") }
        return Report(device: device.number, observations: observations, fault: report.fault, box: box)
    }

    /// The device that a report is about: the token's device, or else the one that the app names. It belongs to the
    /// user who reports or, for a gateway or an admin, to the user that the app names. A device that a user names for
    /// the first time is created.
    private func device(of report: OwnTracksReport, for principal: Principal) async throws -> Device? {
        let directory = coordinator.directory
        if let device = principal.device { return directory.devices[device] }
        let name = report.deviceName
        let access = Access(principal, in: directory)
        let named = report.userName.flatMap { directory.users[$0] }
        guard let user = access.reportedUser(naming: named) else { return nil }
        if let device = directory.device(named: name, of: user.number) {
            return access.mayReport(for: device) ? device : nil
        }
        guard user.number == principal.user, access.mayChangeDevices(of: user) else { return nil }
        return try await coordinator.makeDevice(named: name, of: user.number, by: Author(principal))
    }

    // MARK: Beacons

    /// The beacon region that a transition names: by its id or name, or as `name:UUID:major:minor` from older iPhone
    /// apps.
    private func beaconRegion(_ transition: OwnTracksTransition, of device: Device) -> RegionNumber? {
        let directory = coordinator.directory
        guard let tracker = directory.tracker(of: device), let name = transition.name else { return nil }
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        let uuid = parts.count > 1 ? BeaconUUID(parts[1]) : nil
        var named: [RegionNumber] = []
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
                if region.id == name { return number }
                if region.name.lowercased() == name.lowercased() { named.append(number) }
            }
        }
        // A name that two regions have is ambiguous.
        return named.count == 1 ? named.first : nil
    }

    // MARK: Encryption

    /// Decrypts the encrypted messages of a report.
    ///
    /// - Returns: the box to encrypt the answer with; nil when nothing was encrypted.
    /// - Throws: `OwnTracksRefusal.noKey` when the server has no key for the device.
    private func open(_ report: inout OwnTracksReport, of device: Device) async throws -> SecretBox? {
        guard report.isSealed else { return nil }
        let stored = try await coordinator.read {
            try $0.credential(.encryptionKey, key: Credential.key(of: device.number))
        }
        guard let stored, let box = SecretBox(secret: stored.secret) else {
            metrics.count(event: "owntracks_no_key")
            throw OwnTracksRefusal.noKey
        }
        report.open(with: box)
        return box
    }
}

/// The reason why a report is refused until a person fixes something.
package enum OwnTracksRefusal: Error, Hashable {
    /// The report names no device that its sender may report for.
    case unknownDevice
    /// The report is encrypted, and the server has no key for the device.
    case noKey

    /// A message for people.
    package var words: String {
        switch self {
        case .unknownDevice: "There is no such device."
        case .noKey: "There is no key for this device."
        }
    }
}
