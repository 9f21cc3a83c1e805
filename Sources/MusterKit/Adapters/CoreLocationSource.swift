#if canImport(CoreLocation)
    import CoreLocation
    public import MusterCore
    import MusterGeometry

    /// The receiver of an Apple device. The app has asked for the permission and says in its Info.plist why.
    public struct CoreLocationSource: LocationSource {
        private let configuration: CLLocationUpdate.LiveConfiguration

        /// The receiver, used as the app moves.
        public init(_ configuration: CLLocationUpdate.LiveConfiguration = .default) {
            self.configuration = configuration
        }

        /// Fixes as the system gives them.
        public func fixes() -> AsyncStream<Position> {
            AsyncStream(bufferingPolicy: .bufferingNewest(1_000)) { continuation in
                let task = Task {
                    do {
                        for try await update in CLLocationUpdate.liveUpdates(configuration) {
                            if let fix = update.location.flatMap(Self.position) { continuation.yield(fix) }
                        }
                    } catch {
                        // The system ends updates when the permission is taken away.
                    }
                    continuation.finish()
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }

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
