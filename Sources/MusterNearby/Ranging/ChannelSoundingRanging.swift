public import MusterCore
public import MusterGeometry

/// Measures by the distances of Bluetooth Channel Sounding: phases and round-trip times, which a controller measures on
/// many channels (Bluetooth Core 6.0). It measures no direction.
///
/// This source is an adapter and has no radio of its own: the app starts the platform's session with the peer, and
/// passes the session's results to the source. docs/nearby.md lists what the platforms offer.
public struct ChannelSoundingRanging: RangingSource {
    /// One result of the platform's session.
    public struct Reading: Hashable, Sendable {
        /// The distance, unchecked, metres; nil when the procedure measured none.
        public var distance: Double?
        /// One standard deviation of the distance, metres; nil when the platform states none: then 0.5 m is assumed.
        public var deviation: Double?
        /// When it was measured.
        public var time: Instant

        /// Creates a reading.
        public init(distance: Double?, deviation: Double? = nil, time: Instant) {
            self.distance = distance
            self.deviation = deviation
            self.time = time
        }
    }

    /// The kind of this source: `.channelSounding`.
    public let kind = RangingKind.channelSounding
    private let isAvailable: Bool
    private let reach: Metres
    private let readings: @Sendable () -> AsyncThrowingStream<Reading, any Error>

    /// The deviation that is assumed if the platform states none, metres.
    static let assumedDeviation = 0.5
    /// The smallest deviation, metres. A smaller stated one is raised to it.
    static let leastDeviation = 0.05

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - isAvailable: whether this device's controller, and the platform, can do Channel Sounding.
    ///   - reach: the largest distance that it measures.
    ///   - readings: starts the platform's session with the peer, and ends it when the reader stops. It throws when the
    ///     session breaks.
    public init(
        isAvailable: Bool = true, reach: Metres = 30,
        readings: @escaping @Sendable () -> AsyncThrowingStream<Reading, any Error>
    ) {
        self.isAvailable = isAvailable
        self.reach = reach
        self.readings = readings
    }

    /// A precise distance, as far as it reaches.
    public var capabilities: RangingCapabilities {
        isAvailable ? RangingCapabilities(distance: .precise, reach: reach) : RangingCapabilities()
    }

    /// Measures one peer. Throws `MeasurementError` for a distance or a deviation that no measurement has, and what the
    /// platform's session throws.
    public func measurements(over link: RangingLink) -> AsyncThrowingStream<RangeMeasurement, any Error> {
        let readings = readings()
        return .measuring { continuation in
            for try await reading in readings { continuation.yield(try Self.measurement(reading)) }
        }
    }

    private static func measurement(_ reading: Reading) throws(MeasurementError) -> RangeMeasurement {
        let deviation = reading.deviation ?? assumedDeviation
        // A negative deviation and one that is no number are faults, and are not raised to the least.
        guard deviation >= 0, deviation.isFinite else { throw .error(deviation) }
        return try RangeMeasurement(
            source: .channelSounding, time: reading.time, distance: reading.distance.map { Metres($0) },
            quality: RangeMeasurement.Quality(
                distanceError: reading.distance.map { _ in Metres(max(deviation, leastDeviation)) }),
            noDistance: .outOfRange)
    }
}
