public import MusterGeometry

/// A fix, as much of it as the confident policy looks at.
public struct ConfidentFix: Hashable, Sendable {
    /// Where the device says it is.
    public var coordinate: Coordinate
    /// When it took the fix, by its own clock.
    public var sampleTime: Instant
    /// The radius in metres that holds the true place with 68 %; nil, 0, a negative number or not a number: unknown.
    public var accuracyMetres: Double?
    /// Metres a second over ground, measured by a satellite receiver; nil, a negative number or more than 10 km/s: not
    /// said. A speed worked out from two fixes must not be given: it is what the track finds out by itself.
    public var speedMetresPerSecond: Double?

    /// A fix.
    public init(
        coordinate: Coordinate, sampleTime: Instant, accuracyMetres: Double? = nil,
        speedMetresPerSecond: Double? = nil
    ) {
        self.coordinate = coordinate
        self.sampleTime = sampleTime
        self.accuracyMetres = accuracyMetres
        self.speedMetresPerSecond = speedMetresPerSecond
    }

    /// What a position says; its accuracy is the 68 % radius already, see `AccuracyMeaning`.
    public init(_ position: Position) {
        self.init(
            coordinate: position.coordinate, sampleTime: position.sampleTime,
            accuracyMetres: position.accuracy?.value, speedMetresPerSecond: position.speed)
    }
}
