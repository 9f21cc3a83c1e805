/// A report that a device listened for beacons. Even without a sighting it shows that the device was working, so the
/// absence of a beacon can be believed.
public struct Listening: Hashable, Sendable {
    /// The end of the listening, by the device's clock.
    public var sampleTime: Instant
    /// When the server received the report.
    public var receivedTime: Instant
    /// What the device reports besides its sightings.
    public var outcome: Outcome

    /// What a device reports besides its sightings.
    public enum Outcome: Hashable, Sendable {
        /// The device heard no beacons other than those that it reported as sightings.
        case heardNothingElse
        /// The device's operating system reports that it entered a beacon region.
        case entered(RegionNumber)
        /// The device's operating system reports that it left a beacon region.
        case left(RegionNumber)
    }

    public init(sampleTime: Instant, receivedTime: Instant, outcome: Outcome = .heardNothingElse) {
        self.sampleTime = sampleTime
        self.receivedTime = receivedTime
        self.outcome = outcome
    }
}
