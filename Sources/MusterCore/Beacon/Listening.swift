/// A device listened for beacons. Without a sighting this still says that the device was alive, which is what makes an
/// absence believable.
public struct Listening: Hashable, Sendable {
    /// Until when the device listened, by its own clock.
    public var sampleTime: Instant
    /// When Muster received it.
    public var receivedTime: Instant
    /// What the device found out.
    public var outcome: Outcome

    /// What came of listening.
    public enum Outcome: Hashable, Sendable {
        /// What the device heard, if anything, it reported as sightings.
        case heardNothingElse
        /// The device's own system says that it entered a beacon region.
        case entered(RegionNumber)
        /// The device's own system says that it left a beacon region.
        case left(RegionNumber)
    }

    /// Creates a report from its fields.
    public init(sampleTime: Instant, receivedTime: Instant, outcome: Outcome = .heardNothingElse) {
        self.sampleTime = sampleTime
        self.receivedTime = receivedTime
        self.outcome = outcome
    }
}
