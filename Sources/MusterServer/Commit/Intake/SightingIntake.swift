package import MusterCore

/// Translates the sightings that a device reports into observations.
///
/// A scanner hears the radios of all passers-by. Only sightings of tags that belong to devices are kept: this protects
/// the privacy of strangers and saves disk space.
package struct SightingIntake: Sendable {
    private let device: Device
    private let directory: Directory

    /// - Parameter device: the device that listened.
    package init(_ device: Device, in directory: Directory) {
        self.device = device
        self.directory = directory
    }

    /// Returns the observations in the order of time, and the number of sightings of beacons that are no device's tag.
    ///
    /// - Parameters:
    ///   - listenedUntil: until when the device listened, by its own clock; nil when it does not say.
    ///   - receivedAt: the server's time.
    package func observations(
        of sightings: [Sighting], listenedUntil: Instant?, receivedAt: Instant
    ) -> (kept: [Observation], strangers: Int) {
        let isScanner = directory.users[device.user]?.role == .gateway
        let known = isScanner ? sightings.filter { directory.tag($0.beacon) != nil } : sightings
        var kept = known.sorted { $0.sampleTime < $1.sampleTime }.map { Observation.sighting($0, of: device.number) }
        let last = isScanner ? sightings.map(\.sampleTime).max() : nil
        if let until = listenedUntil.map({ max($0, last ?? $0) }) ?? last {
            kept.append(.listening(Listening(sampleTime: until, receivedTime: receivedAt), of: device.number))
        }
        return (kept, sightings.count - known.count)
    }
}
