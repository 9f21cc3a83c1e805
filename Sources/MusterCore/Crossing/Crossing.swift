/// A device entered a region, left it, dwelt in it, or passed through it between two fixes.
public struct Crossing: Hashable, Sendable {
    /// The kinds of crossings.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        case enter, exit, dwell
        /// The straight line between two fixes led through the region. Inferred: it changes no standing.
        case passed
    }

    /// The device whose fixes or sightings decided it.
    public var device: DeviceNumber
    /// The region that the device crossed.
    public var region: RegionNumber
    /// The sample time of the fix that decided it. For a delayed exit this is the first fix outside; for a passage, the
    /// moment when the device was deepest in the region; in a beacon region, a time by the listener's clock.
    public var sampleTime: Instant
    /// Whether the device entered, left, dwelt in or passed the region. It lies behind the numbers: "A number begins
    /// its word" in ARCHITECTURE.md.
    public var kind: Kind
    /// The probability that the device was inside at that time, per cent; nil under the raw policy, which computes
    /// none.
    public var insidePercent: UInt8?

    /// Creates a crossing; without `insidePercent` it is a crossing under the raw policy.
    public init(
        kind: Kind, device: DeviceNumber, region: RegionNumber, sampleTime: Instant, insidePercent: UInt8? = nil
    ) {
        self.kind = kind
        self.device = device
        self.region = region
        self.sampleTime = sampleTime
        self.insidePercent = insidePercent
    }
}
