public import MusterGeometry

/// Whether a device's fixes are believed: told when the confident policy stops believing them, when they seem to be
/// in other regions than was told last, and when it believes them again.
public struct Belief: Hashable, Sendable {
    /// The sample time of the fix that this follows from.
    public var sampleTime: Instant
    /// Where the device is believed to be.
    public var estimate: Coordinate
    /// How far off the estimate is, as the deviation on each axis, metres.
    public var deviationMetres: Double
    /// Where its fixes seem to be while they are not believed; nil once they are.
    public var checking: Checking?

    /// Fixes that are being checked.
    public struct Checking: Hashable, Sendable {
        /// The sample time of the first of them.
        public var since: Instant
        /// Where the newest of them is.
        public var coordinate: Coordinate
        /// The linked regions that hold that place, in region order, `regionLimit` at most.
        public var regions: [RegionNumber]

        /// As many regions as are named at most.
        public static let regionLimit = 4

        /// Fixes that are being checked.
        public init(since: Instant, coordinate: Coordinate, regions: [RegionNumber]) {
            self.since = since
            self.coordinate = coordinate
            self.regions = regions
        }
    }

    /// What is believed of a device's fixes.
    public init(sampleTime: Instant, estimate: Coordinate, deviationMetres: Double, checking: Checking?) {
        self.sampleTime = sampleTime
        self.estimate = estimate
        self.deviationMetres = deviationMetres
        self.checking = checking
    }
}
