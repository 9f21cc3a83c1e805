public import MusterGeometry

/// A device was near a beacon, at one moment.
public struct Sighting: Hashable, Sendable {
    /// What was seen.
    public var beacon: Beacon
    /// When it was seen, by the device's own clock.
    public var sampleTime: Instant
    /// When Muster received it.
    public var receivedTime: Instant
    /// The device's estimate; nil when it has none.
    public var distance: Metres?
    /// How strong the signal came in, in dBm; nil when unknown.
    public var signalStrength: Double?
    /// The device's estimate in words.
    public var proximity: Proximity

    /// How near a beacon is, in Core Location's words.
    public enum Proximity: UInt8, Hashable, Sendable, CaseIterable {
        case unknown, immediate, near, far
    }

    /// A sighting with what is known of it.
    public init(
        of beacon: Beacon, sampleTime: Instant, receivedTime: Instant, distance: Metres? = nil,
        signalStrength: Double? = nil, proximity: Proximity = .unknown
    ) {
        self.beacon = beacon
        self.sampleTime = sampleTime
        self.receivedTime = receivedTime
        self.distance = distance
        self.signalStrength = signalStrength
        self.proximity = proximity
    }
}
