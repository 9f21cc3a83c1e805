/// A device entered a region, left it, or stayed in it.
public struct Crossing: Hashable, Sendable {
    /// What happened.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        case enter, exit, dwell
    }

    /// What happened.
    public var kind: Kind
    /// Who crossed.
    public var device: DeviceNumber
    /// What was crossed.
    public var region: RegionNumber
    /// The sample time of the fix that decided it; for a delayed exit, of the first fix outside.
    public var sampleTime: Instant

    /// A crossing.
    public init(kind: Kind, device: DeviceNumber, region: RegionNumber, sampleTime: Instant) {
        self.kind = kind
        self.device = device
        self.region = region
        self.sampleTime = sampleTime
    }
}

/// A device's standing in one region: that it is inside, since when, and what was already announced.
public struct Presence: Hashable, Sendable {
    /// The region it is inside of, or has just left with its exit held back.
    public var region: RegionNumber
    /// The sample time of the fix that entered.
    public var since: Instant
    /// Whether the dwell was reported.
    public var hasDwelt: Bool
    /// The first fix outside, while the exit is held back; nil while inside.
    public var leftAt: Instant?

    /// A presence that has just begun, unless told more.
    public init(region: RegionNumber, since: Instant, hasDwelt: Bool = false, leftAt: Instant? = nil) {
        self.region = region
        self.since = since
        self.hasDwelt = hasDwelt
        self.leftAt = leftAt
    }
}
