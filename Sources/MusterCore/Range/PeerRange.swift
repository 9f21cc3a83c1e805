/// A device measured how far away the device of another person was at one moment.
///
/// It shows how near two people were to each other. It is no evidence of anybody's safety.
public struct PeerRange: Hashable, Sendable {
    /// The device to which the distance was measured. Its owner agreed to that by registering its `RangeTag`.
    public var peer: DeviceNumber
    /// The source of the distance. It lies behind a number: "A number begins its word" in ARCHITECTURE.md.
    public var source: Source
    /// When the device measured, by its own clock.
    public var sampleTime: Instant
    /// When Muster received it.
    public var receivedTime: Instant
    /// The measured distance, metres, in `metresLimits`.
    public var metres: Double
    /// The standard deviation of the distance, metres, not below the floor of its source.
    public var deviationMetres: Double

    /// The sources of a distance.
    public enum Source: UInt8, Hashable, Sendable, CaseIterable {
        /// Two-way ranging by ultra-wideband radios.
        case ultraWideband
        /// Bluetooth Channel Sounding.
        case channelSounding
        /// The strength of a Bluetooth signal.
        case bluetooth
        /// The fixes of both devices.
        case fixes
        /// Several of these together.
        case fused
        /// A program invented it, for a test or a demonstration.
        case simulated

        /// Whether a device measured the distance, and no program invented it.
        public var isMeasured: Bool { self != .simulated }

        /// The smallest standard deviation that the server believes of this source, metres. A device that states less
        /// gets this one.
        public var leastDeviationMetres: Double {
            switch self {
            case .ultraWideband, .fused, .simulated: 0.1
            case .channelSounding: 0.3
            case .bluetooth: 1
            case .fixes: 3
            }
        }
    }

    /// How large a distance may be, metres.
    public static let metresLimits: ClosedRange<Double> = 0...10_000
    /// How large a standard deviation may be, metres. It must also be above 0.
    public static let deviationLimit: Double = 10_000

    /// Creates a range. Raises a deviation below the floor of its source to that floor.
    public init(
        to peer: DeviceNumber, sampleTime: Instant, receivedTime: Instant, metres: Double, deviationMetres: Double,
        source: Source
    ) {
        self.peer = peer
        self.sampleTime = sampleTime
        self.receivedTime = receivedTime
        self.metres = metres
        self.deviationMetres = max(deviationMetres, source.leastDeviationMetres)
        self.source = source
    }

    /// The time from which its age counts: a clock that is ahead makes no range younger.
    var takenAt: Instant { min(sampleTime, receivedTime) }
}
