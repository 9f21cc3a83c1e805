#if canImport(CoreLocation)
    public import CoreLocation
    import Foundation
    public import MusterCore
    import MusterGeometry
    import Synchronization

    /// The location source of an Apple device: Core Location's live updates.
    ///
    /// Needs iOS 18 or macOS 15. The app's Info.plist must state why it uses locations
    /// (`NSLocationWhenInUseUsageDescription`, and for `.always` also `NSLocationAlwaysAndWhenInUseUsageDescription`),
    /// and lists `location` under `UIBackgroundModes` if fixes are needed while the app is not on the screen. Core
    /// Location asks the user for the permission when `fixes()` or `updates()` is read for the first time.
    public struct CoreLocationSource: LocationUpdateSource {
        private let configuration: CLLocationUpdate.LiveConfiguration
        private let authorization: CLServiceSession.AuthorizationRequirement

        /// A source that has not started. Reading `fixes()` or `updates()` starts it.
        ///
        /// - Parameters:
        ///   - configuration: how the device moves, for example `.fitness` for someone on foot.
        ///   - authorization: the permission that Core Location asks the user for while fixes are read.
        public init(
            _ configuration: CLLocationUpdate.LiveConfiguration = .default,
            authorization: CLServiceSession.AuthorizationRequirement = .whenInUse
        ) {
            self.configuration = configuration
            self.authorization = authorization
        }

        /// The device's fixes. The stream ends when its reader stops or the system ends the updates. While the
        /// permission is missing, the stream stays open and has no fixes.
        public func fixes() -> AsyncStream<Position> {
            stream { update, continuation in
                if let fix = update.location.flatMap(Self.position) { continuation.yield(fix) }
            }
        }

        /// The device's fixes, and each change of whether it may and can deliver them: the person withdrew the
        /// permission or gave it again, say. The stream ends as `fixes()` does.
        public func updates() -> AsyncStream<LocationUpdate> {
            let last = Mutex<LocationAvailability?>(nil)
            return stream { update, continuation in
                let availability = Self.availability(update)
                let isNew = last.withLock { last in
                    defer { last = availability }
                    return availability != last
                }
                if isNew { continuation.yield(.availability(availability)) }
                if let fix = update.location.flatMap(Self.position) { continuation.yield(.fix(fix)) }
            }
        }

        /// Translates the device's updates while the stream is read.
        private func stream<Element: Sendable>(
            _ take: @escaping @Sendable (CLLocationUpdate, AsyncStream<Element>.Continuation) -> Void
        ) -> AsyncStream<Element> {
            AsyncStream(bufferingPolicy: .bufferingNewest(1_000)) { continuation in
                let task = Task {
                    // The system keeps the permission, and on iOS the updates in the background, while these exist.
                    let service = CLServiceSession(authorization: authorization)
                    defer { service.invalidate() }
                    #if !os(macOS)
                        let background = CLBackgroundActivitySession()
                        defer { background.invalidate() }
                    #endif
                    do {
                        for try await update in CLLocationUpdate.liveUpdates(configuration) {
                            take(update, continuation)
                        }
                    } catch {
                        // The system ended the updates: the stream ends as at the end of a track.
                    }
                    continuation.finish()
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }

        /// Whether the device delivers fixes, by the diagnostic properties of an update.
        private static func availability(_ update: CLLocationUpdate) -> LocationAvailability {
            if update.authorizationDeniedGlobally { return .deniedForAllApps }
            if update.authorizationRestricted { return .restricted }
            if update.authorizationDenied { return .denied }
            if update.locationUnavailable { return .noPosition }
            return update.accuracyLimited ? .reducedAccuracy : .available
        }

        /// The fix in the project's units; nil where Core Location marks the horizontal position as invalid.
        private static func position(_ location: CLLocation) -> Position? {
            guard location.horizontalAccuracy >= 0,
                let coordinate = try? Coordinate(
                    latitude: location.coordinate.latitude, longitude: location.coordinate.longitude)
            else { return nil }
            let time = Instant(seconds: location.timestamp.timeIntervalSince1970)
            return Position(
                coordinate: coordinate, sampleTime: time, receivedTime: time,
                accuracy: Metres(location.horizontalAccuracy),
                altitude: location.verticalAccuracy > 0 ? Metres(location.ellipsoidalAltitude) : nil,
                speed: location.speed >= 0 ? location.speed : nil,
                heading: location.course >= 0 ? location.course : nil)
        }
    }
#endif
