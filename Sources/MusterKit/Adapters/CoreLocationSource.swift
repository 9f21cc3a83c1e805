#if canImport(CoreLocation)
    public import CoreLocation
    import Foundation
    public import MusterCore
    import MusterGeometry
    import MusterMutex

    /// The location source of an Apple device: Core Location's live updates.
    ///
    /// Needs iOS 17 or macOS 15. The app's Info.plist must state why it uses locations
    /// (`NSLocationWhenInUseUsageDescription`, and for `.always` also `NSLocationAlwaysAndWhenInUseUsageDescription`),
    /// and lists `location` under `UIBackgroundModes` if fixes are needed while the app is not on the screen. Core
    /// Location asks the user for the permission when `fixes()` or `updates()` is read for the first time.
    ///
    /// On iOS 17 Core Location says less: `updates()` has `noPosition` as soon as one update has no position.
    public struct CoreLocationSource: LocationUpdateSource {
        private let configuration: CLLocationUpdate.LiveConfiguration
        private let authorization: LocationAuthorization

        /// A source that has not started. Reading `fixes()` or `updates()` starts it.
        ///
        /// - Parameters:
        ///   - configuration: how the device moves, for example `.fitness` for someone on foot.
        ///   - authorization: the permission that Core Location asks the user for while fixes are read.
        public init(
            _ configuration: CLLocationUpdate.LiveConfiguration = .default,
            authorization: LocationAuthorization = .whenInUse
        ) {
            self.configuration = configuration
            self.authorization = authorization
        }

        /// The device's fixes. The stream ends when its reader stops or the system ends the updates. While the
        /// permission is missing, the stream stays open and has no fixes.
        public func fixes() -> AsyncStream<Position> {
            stream(permission: { _, _ in }) { update, continuation in
                if let fix = update.location.flatMap(Self.position) { continuation.yield(fix) }
            }
        }

        /// The device's fixes, and each change of whether it may and can deliver them: the person withdrew the
        /// permission or gave it again, say. The stream ends as `fixes()` does.
        public func updates() -> AsyncStream<LocationUpdate> {
            let told = Mutex(ToldAvailability())
            return stream { permission, continuation in
                let news = told.withLock { $0.news(permission: permission) }
                if let news { continuation.yield(.availability(news)) }
            } update: { update, continuation in
                let news = told.withLock { Self.news(of: update, &$0) }
                if let news { continuation.yield(.availability(news)) }
                if let fix = update.location.flatMap(Self.position) { continuation.yield(.fix(fix)) }
            }
        }

        /// Translates the device's updates, and on iOS 17 what the permission allows, while the stream is read.
        private func stream<Element: Sendable>(
            permission tell: @escaping @Sendable (LocationAvailability, AsyncStream<Element>.Continuation) -> Void,
            update take: @escaping @Sendable (CLLocationUpdate, AsyncStream<Element>.Continuation) -> Void
        ) -> AsyncStream<Element> {
            AsyncStream(bufferingPolicy: .bufferingNewest(1_000)) { continuation in
                let task = Task {
                    // The system keeps the permission, and on iOS the updates in the background, while these exist.
                    let endRequest = await authorization.request { tell($0, continuation) }
                    defer { endRequest() }
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

        /// The availability by an update, if it was not told last.
        private static func news(
            of update: CLLocationUpdate, _ told: inout ToldAvailability
        ) -> LocationAvailability? {
            if #available(iOS 18, *) { return told.news(availability(update)) }
            return told.news(hasPosition: update.location != nil)
        }

        /// Whether the device delivers fixes, by the diagnostic properties of an update.
        @available(iOS 18, *)
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
