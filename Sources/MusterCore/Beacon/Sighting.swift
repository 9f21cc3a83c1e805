public import MusterGeometry

/// A device detected a beacon at one moment.
public struct Sighting: Hashable, Sendable {
    /// The beacon that the device detected.
    public var beacon: Beacon
    /// When the device detected it, by the device's own clock.
    public var sampleTime: Instant
    /// When Muster received it.
    public var receivedTime: Instant
    /// The device's estimate of the distance; nil when it has none.
    public var distance: Metres?
    /// The strength of the received signal in dBm; nil when unknown.
    public var signalStrength: Double?
    /// The device's estimate of the distance as one of four classes.
    public var proximity: Proximity

    /// The distance to a beacon in the classes of Core Location's `CLProximity`.
    public enum Proximity: UInt8, Hashable, Sendable, CaseIterable {
        case unknown, immediate, near, far
    }

    /// Creates a sighting; each argument that the caller omits is unknown.
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
