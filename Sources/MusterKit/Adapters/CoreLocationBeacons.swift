#if canImport(CoreLocation)
    import CoreLocation
    import Foundation
    import MusterCore
    import MusterGeometry

    /// The beacons that an Apple device hears: ranging by Core Location, and monitoring that wakes the app up.
    ///
    /// Needs iOS 17 or macOS 15, and the permissions of `CoreLocationSource`. Ranging continues while the app is on the
    /// screen, and in the background for as long as the app runs. It runs there with `location` under
    /// `UIBackgroundModes` and a permission of `.always`, or while `Muster.track` reads a `CoreLocationSource`. An app
    /// that was ended is started again by the system at a boundary if it may use locations always; it then has some
    /// seconds, in which it should open its `Muster` and listen to a source of the same name.
    ///
    /// The system monitors 20 regions an app. The monitor chooses the beacons of the regions that the device is in,
    /// then the nearest.
    public struct CoreLocationBeacons: BeaconSource {
        private let name: String
        private let authorization: LocationAuthorization

        /// The number of regions that Core Location monitors for an app.
        public var identityLimit: Int? { 20 }

        /// A source that has not started.
        ///
        /// - Parameters:
        ///   - name: the name of the system's monitor, the same at each start of the app.
        ///   - authorization: the permission that Core Location asks the user for while the source is listened to.
        public init(
            name: String = "musterBeacons", authorization: LocationAuthorization = .always
        ) {
            self.name = name
            self.authorization = authorization
        }

        /// The beacons that the device hears, about once a second.
        public func listen(
            for choices: AsyncStream<[BeaconIdentity]>
        ) -> AsyncThrowingStream<BeaconNews, any Error> {
            AsyncThrowingStream(bufferingPolicy: .bufferingNewest(600)) { continuation in
                let task = Task { @MainActor in
                    // The system keeps the permission, and on iOS the ranging in the background, while these exist.
                    let endRequest = await authorization.request { _ in }
                    defer { endRequest() }
                    #if !os(macOS)
                        let background = CLBackgroundActivitySession()
                        defer { background.invalidate() }
                    #endif
                    let monitor = await CLMonitor(name)
                    // The system starts the app again only while someone reads the events. Ranging is newer evidence
                    // than a boundary that was crossed, so ranging alone decides.
                    let waking = Task {
                        do { for try await _ in await monitor.events {} } catch {}
                    }
                    defer { waking.cancel() }
                    let ranging = BeaconRanging { continuation.yield($0) }
                    defer { ranging.range([]) }
                    for await choice in choices {
                        ranging.range(choice)
                        await Self.monitor(choice, by: monitor)
                    }
                    continuation.finish()
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }

        /// Makes the system monitor these beacons and no others.
        private static func monitor(_ choice: [BeaconIdentity], by monitor: CLMonitor) async {
            let wanted = Dictionary(choice.map { ($0.identifier, $0) }) { first, _ in first }
            let present = Set(await monitor.identifiers)
            for identifier in present where wanted[identifier] == nil { await monitor.remove(identifier) }
            for (identifier, identity) in wanted where !present.contains(identifier) {
                await monitor.add(identity.condition, identifier: identifier, assuming: .unknown)
            }
        }
    }

    /// Ranges beacons, and combines the sightings of all identities in one second into one piece of news.
    @MainActor private final class BeaconRanging: NSObject, CLLocationManagerDelegate {
        private let manager = CLLocationManager()
        private let tell: @Sendable (BeaconNews) -> Void
        private var choice: [BeaconIdentity] = []
        /// The identities that were ranged since the last news.
        private var ranged: Set<BeaconIdentity> = []
        private var sightings: [Sighting] = []

        init(_ tell: @escaping @Sendable (BeaconNews) -> Void) {
            self.tell = tell
            super.init()
            manager.delegate = self
        }

        func range(_ choice: [BeaconIdentity]) {
            for former in self.choice where !choice.contains(former) {
                manager.stopRangingBeacons(satisfying: former.constraint)
            }
            for new in choice where !self.choice.contains(new) {
                manager.startRangingBeacons(satisfying: new.constraint)
            }
            self.choice = choice
            ranged.formIntersection(choice)
        }

        nonisolated func locationManager(
            _ manager: CLLocationManager, didRange beacons: [CLBeacon],
            satisfying constraint: CLBeaconIdentityConstraint
        ) {
            let heard = beacons.compactMap { Sighting($0) }
            let identity = BeaconIdentity(constraint)
            // The manager was made on the main thread, so it calls there.
            MainActor.assumeIsolated { add(heard, of: identity) }
        }

        nonisolated func locationManager(
            _ manager: CLLocationManager, didFailRangingFor constraint: CLBeaconIdentityConstraint, error: any Error
        ) {
            tell(.unavailable(reason: error.localizedDescription))
        }

        private func add(_ heard: [Sighting], of identity: BeaconIdentity?) {
            guard let identity, choice.contains(identity) else { return }
            // This identity was ranged twice since the last news, so another identity is not being ranged at the
            // moment.
            if ranged.contains(identity) { tellRound() }
            ranged.insert(identity)
            sightings += heard
            if ranged.count == choice.count { tellRound() }
        }

        private func tellRound() {
            let now = Instant(seconds: Date().timeIntervalSince1970)
            let newest = sightings.map(\.sampleTime).max() ?? now
            tell(.heard(sightings, until: max(newest, now)))
            (sightings, ranged) = ([], [])
        }
    }

    extension BeaconIdentity {
        fileprivate init?(_ constraint: CLBeaconIdentityConstraint) {
            guard let uuid = BeaconUUID(constraint.uuid.uuidString) else { return nil }
            self.init(uuid: uuid, major: constraint.major, minor: constraint.minor)
        }

        /// The name by which the system's monitor knows the identity.
        fileprivate var identifier: String {
            ([uuid.description] + [major, minor].compactMap { $0.map { String($0) } }).joined(separator: ":")
        }

        private var foundationUUID: UUID { UUID(uuidString: uuid.description) ?? UUID() }

        fileprivate var constraint: CLBeaconIdentityConstraint {
            guard let major else { return CLBeaconIdentityConstraint(uuid: foundationUUID) }
            guard let minor else { return CLBeaconIdentityConstraint(uuid: foundationUUID, major: major) }
            return CLBeaconIdentityConstraint(uuid: foundationUUID, major: major, minor: minor)
        }

        fileprivate var condition: CLMonitor.BeaconIdentityCondition {
            guard let major else { return CLMonitor.BeaconIdentityCondition(uuid: foundationUUID) }
            guard let minor else { return CLMonitor.BeaconIdentityCondition(uuid: foundationUUID, major: major) }
            return CLMonitor.BeaconIdentityCondition(uuid: foundationUUID, major: major, minor: minor)
        }
    }

    extension Sighting {
        /// The sighting of a ranged beacon; nil where Core Location has heard nothing of it in this second.
        fileprivate init?(_ beacon: CLBeacon) {
            guard beacon.proximity != .unknown, beacon.rssi != 0, let uuid = BeaconUUID(beacon.uuid.uuidString) else {
                return nil
            }
            let time = Instant(seconds: beacon.timestamp.timeIntervalSince1970)
            let proximity: Proximity =
                switch beacon.proximity {
                case .immediate: .immediate
                case .near: .near
                case .far: .far
                default: .unknown
                }
            self.init(
                of: Beacon(uuid: uuid, major: beacon.major.uint16Value, minor: beacon.minor.uint16Value),
                sampleTime: time, receivedTime: time, distance: beacon.accuracy >= 0 ? Metres(beacon.accuracy) : nil,
                signalStrength: Double(beacon.rssi), proximity: proximity)
        }
    }
#endif
