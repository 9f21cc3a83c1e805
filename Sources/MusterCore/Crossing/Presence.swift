/// A device's standing in one region.
public struct Presence: Hashable, Sendable {
    /// The region.
    public var region: RegionNumber
    /// Where the device stands to it. What is `outside` is kept only while an exit is held back, or while it is likely
    /// that the device has come in.
    public var standing: Standing
    /// How probable it was at the last fix that the device is inside.
    public var likelihood: Likelihood
    /// Why the standing is not to be relied on; nil when nothing speaks against it.
    public var doubt: Doubt?
    /// Whether the dwell was reported.
    public var hasDwelt: Bool
    /// The sample time of the fix that decided the standing.
    public var since: Instant
    /// The first fix of the run in which the probability lies on this side of one half: what a person is told as
    /// "since".
    public var likelySince: Instant
    /// Where events have told the device to stand. It differs from `standing` behind an edit, which tells no crossing
    /// (the next fix does, if that is still so); while an exit is held back; and where nothing was told yet.
    public var told: Standing
    private var left: MaybeInstant

    /// The first fix outside, while the exit is held back; nil while inside.
    public var leftAt: Instant? {
        get { left.instant }
        set { left.instant = newValue }
    }

    /// A presence that begins with a fix, unless told more.
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

    /// What events have told of a device that no edit moved.
    public static func usualTold(_ standing: Standing, leftAt: Instant?) -> Standing {
        leftAt == nil ? standing : .inside
    }

    /// Whether a fix deep inside tells nothing new of it, a dwell apart.
    @inline(__always)
    var isSteady: Bool {
        standing == .inside && told == .inside && likelihood == .certain && doubt == nil && left.instant == nil
    }
}

/// How probable it is that a device is inside, in steps that are worth telling anyone.
public enum Likelihood: UInt8, Hashable, Sendable, CaseIterable, Comparable {
    /// Below 5 %.
    case none
    /// Up to 50 %.
    case low
    /// Up to 85 %.
    case likely
    /// Up to 95 %.
    case high
    /// More.
    case certain

    /// The step of a probability.
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

/// Why a standing is not to be relied on.
public enum Doubt: UInt8, Hashable, Sendable, CaseIterable {
    /// The last fix does not fit what was known; the next ones will tell.
    case checking
    /// Fixes are too inaccurate to tell inside from outside of a region so small.
    case poorAccuracy
    /// Nothing was heard for so long that the standing is only the last one known.
    case stale
}

/// What the log tells when a standing under the confident policy changes, or how sure it is.
public struct PresenceReport: Hashable, Sendable {
    /// Who stands there.
    public var device: DeviceNumber
    /// The region.
    public var region: RegionNumber
    /// Where the device stands to it.
    public var standing: Standing
    /// How probable it is that the device is inside, per cent; nil while that is in doubt.
    public var insidePercent: UInt8?
    /// Why the standing is not to be relied on.
    public var doubt: Doubt?
    /// Since when it has been more probable than not.
    public var since: Instant
    /// The sample time of the fix that this follows from; for silence, of the last one.
    public var sampleTime: Instant

    /// A report.
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
