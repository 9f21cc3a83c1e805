/// A device entered a region, left it, stayed in it, or passed through it unseen.
public struct Crossing: Hashable, Sendable {
    /// What happened.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        case enter, exit, dwell
        /// The way between two fixes led through the region. Inferred: it changes no standing.
        case passed
    }

    /// What happened.
    public var kind: Kind
    /// Who crossed.
    public var device: DeviceNumber
    /// What was crossed.
    public var region: RegionNumber
    /// The sample time of the fix that decided it; for a delayed exit, of the first fix outside.
    public var sampleTime: Instant
    /// How probable it then was that the device was inside, per cent; nil under the raw policy, which does not ask.
    public var insidePercent: UInt8?

    /// A crossing.
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
