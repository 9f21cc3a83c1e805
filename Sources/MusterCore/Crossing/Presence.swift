/// A device's standing in one region.
public struct Presence: Hashable, Sendable {
    /// The region that the presence is about.
    public var region: RegionNumber
    /// Where the device stands. A presence with `.outside` is kept only while an exit is held back, while the device
    /// has probably come in, or until its exit is reported.
    public var standing: Standing
    /// The probability at the last fix that the device is inside, as a step.
    public var likelihood: Likelihood
    /// Why the standing is unreliable; nil when no doubt is known.
    public var doubt: Doubt?
    /// Whether the dwell was reported.
    public var hasDwelt: Bool
    /// The sample time of the fix that decided the standing.
    public var since: Instant
    /// The sample time of the fix since which the probability has been on this side of one half. Clients show it as
    /// "since".
    public var likelySince: Instant
    /// The standing that the reported events imply. It differs from `standing` after an edit, which reports no crossing
    /// (the next fix does, if it still holds); while an exit is held back; and while no event was reported yet.
    public var told: Standing
    private var left: MaybeInstant

    /// The sample time of the first fix outside, while the exit is held back; else nil.
    public var leftAt: Instant? {
        get { left.instant }
        set { left.instant = newValue }
    }

    /// Creates a presence. By default the device is certainly inside since `since`, and `told` is what `usualTold`
    /// returns.
    public init(
        region: RegionNumber, since: Instant, standing: Standing = .inside, likelihood: Likelihood = .certain,
        doubt: Doubt? = nil, hasDwelt: Bool = false, likelySince: Instant? = nil, leftAt: Instant? = nil,
        told: Standing? = nil
    ) {
        self.region = region
        self.since = since
        self.standing = standing
        self.likelihood = likelihood
        self.doubt = doubt
        self.hasDwelt = hasDwelt
        self.likelySince = likelySince ?? since
        left = MaybeInstant(leftAt)
        self.told = told ?? Self.usualTold(standing, leftAt: leftAt)
    }

    /// Returns the standing that reported events imply when no edit changed the presence: `.inside` while an exit is
    /// held back, else `standing`.
    public static func usualTold(_ standing: Standing, leftAt: Instant?) -> Standing {
        leftAt == nil ? standing : .inside
    }

    /// Whether a fix deep inside would change nothing but a dwell.
    @inline(__always)
    var isSteady: Bool {
        standing == .inside && told == .inside && likelihood == .certain && doubt == nil && left.instant == nil
    }
}

/// The probability that a device is inside, in the steps that are reported.
public enum Likelihood: UInt8, Hashable, Sendable, CaseIterable, Comparable {
    /// Below 5 %.
    case none
    /// Up to 50 %.
    case low
    /// Up to 85 %.
    case likely
    /// Up to 95 %.
    case high
    /// Above 95 %.
    case certain

    /// Returns the step of a probability from 0 to 1.
    public init(_ probability: Double) {
        self =
            if probability > 0.95 {
                .certain
            } else if probability > 0.85 {
                .high
            } else if probability > 0.5 {
                .likely
            } else if probability >= 0.05 {
                .low
            } else {
                .none
            }
    }

    /// Whether the left one is less probable.
    public static func < (left: Likelihood, right: Likelihood) -> Bool { left.rawValue < right.rawValue }
}

/// Why a standing is unreliable.
public enum Doubt: UInt8, Hashable, Sendable, CaseIterable {
    /// The last fix does not fit the track; the next fixes will decide.
    case checking
    /// The fixes are too inaccurate to tell inside from outside for a region this small.
    case poorAccuracy
    /// No position or sighting came for so long that the standing is only the last known one.
    case stale
}

/// A report in the log that a standing under the confident policy changed, or its probability or doubt.
public struct PresenceReport: Hashable, Sendable {
    /// The device whose standing changed.
    public var device: DeviceNumber
    /// The region that the standing is of.
    public var region: RegionNumber
    /// The device's standing in the region.
    public var standing: Standing
    /// The probability that the device is inside, per cent; nil under the raw policy, while the doubt is `.checking` or
    /// `.stale`, and while the engine has no track of the device.
    public var insidePercent: UInt8?
    /// Why the standing is unreliable; nil when no doubt is known.
    public var doubt: Doubt?
    /// The sample time of the fix since which the probability has been on this side of one half.
    public var since: Instant
    /// The sample time of the fix that the report follows from; for silence, of the last fix.
    public var sampleTime: Instant

    public init(
        device: DeviceNumber, region: RegionNumber, standing: Standing, insidePercent: UInt8?, doubt: Doubt?,
        since: Instant, sampleTime: Instant
    ) {
        self.device = device
        self.region = region
        self.standing = standing
        self.insidePercent = insidePercent
        self.doubt = doubt
        self.since = since
        self.sampleTime = sampleTime
    }

    init(_ presence: Presence, of device: DeviceNumber, insidePercent: UInt8?, sampleTime: Instant) {
        self.init(
            device: device, region: presence.region, standing: presence.standing, insidePercent: insidePercent,
            doubt: presence.doubt, since: presence.likelySince, sampleTime: sampleTime)
    }
}
