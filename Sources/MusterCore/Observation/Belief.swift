public import MusterGeometry

/// Whether the engine believes a device's fixes. The engine reports this when it stops believing them, when they seem
/// to be in other regions than it reported last, and when it believes them again.
public struct Belief: Hashable, Sendable {
    /// The sample time of the fix that the report follows from.
    public var sampleTime: Instant
    /// Where the engine believes the device to be.
    public var estimate: Coordinate
    /// The standard deviation of the estimate on each axis, metres.
    public var deviationMetres: Double
    /// The fixes that the engine checks because they do not fit; nil when it believes the fixes.
    public var checking: Checking?

    /// Fixes that the engine checks and does not believe yet.
    public struct Checking: Hashable, Sendable {
        /// The sample time of the first of them.
        public var since: Instant
        /// The place of the newest of them.
        public var coordinate: Coordinate
        /// The linked regions that hold that place, in region order, `regionLimit` at most.
        public var regions: [RegionNumber]

        /// The largest number of regions in `regions`.
        public static let regionLimit = 4

        /// Creates a check from its fields; `regions` has at most `regionLimit`.
        public init(since: Instant, coordinate: Coordinate, regions: [RegionNumber]) {
            self.since = since
            self.coordinate = coordinate
            self.regions = regions
        }
    }

    public init(sampleTime: Instant, estimate: Coordinate, deviationMetres: Double, checking: Checking?) {
        self.sampleTime = sampleTime
        self.estimate = estimate
        self.deviationMetres = deviationMetres
        self.checking = checking
    }
}
