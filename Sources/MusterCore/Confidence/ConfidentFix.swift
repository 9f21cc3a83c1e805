public import MusterGeometry

/// The part of a fix that the confident policy uses.
public struct ConfidentFix: Hashable, Sendable {
    /// The place that the device reports.
    public var coordinate: Coordinate
    /// When the device took the fix, by its own clock.
    public var sampleTime: Instant
    /// The radius in metres that holds the true place with 68 % probability. Nil, 0, a negative number and not-a-number
    /// mean that it is unknown.
    public var accuracyMetres: Double?
    /// The speed over ground in metres a second, as a satellite receiver measured it. Nil, a negative number and more
    /// than 10 km/s mean that it is unknown. Do not give a speed that was computed from two fixes: the track derives
    /// that itself.
    public var speedMetresPerSecond: Double?

    /// Creates a fix; without an accuracy or a speed, these are unknown.
    public init(
        coordinate: Coordinate, sampleTime: Instant, accuracyMetres: Double? = nil,
        speedMetresPerSecond: Double? = nil
    ) {
        self.coordinate = coordinate
        self.sampleTime = sampleTime
        self.accuracyMetres = accuracyMetres
        self.speedMetresPerSecond = speedMetresPerSecond
    }

    /// Creates a fix from a position, whose accuracy is already the 68 % radius; see `AccuracyMeaning`.
    public init(_ position: Position) {
        self.init(
            coordinate: position.coordinate, sampleTime: position.sampleTime,
            accuracyMetres: position.accuracy?.value, speedMetresPerSecond: position.speed)
    }
}
