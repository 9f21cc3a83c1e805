import MusterGeometry

/// Positions at 0° north, 0° east, which trackers without a fix send as if they had one.
extension Engine {
    /// Whether a position fits nothing that is known of its tracker: it lies at 0° north, 0° east, and the tracker does
    /// not work there.
    public func isMisplaced(_ position: Position, of device: DeviceNumber, after decision: Decision) -> Bool {
        guard position.isAtZero else { return false }
        return !tracker(of: state(of: device, after: decision).user).worksAtZero
    }

    /// Keeps a misplaced position as history. The device counts as heard. No crossing, safety or place changes by the
    /// position.
    func keepMisplaced(
        _ position: Position, of device: DeviceNumber, now: Instant, into decision: inout Decision
    ) -> Verdict {
        recordContact(of: device, at: position.receivedTime, now: now, into: &decision)
        decision.scratch.changes.append(.position(position, of: device, isCurrent: false))
        return .late
    }
}

extension Position {
    /// The largest accuracy in metres that a tracker without a fix claims. With a larger one the confident policy
    /// believes little of the position anyway.
    private static let zeroAccuracyMetres = 100.0
    /// How far from 0 a coordinate may be after it was rounded, in degrees: a tenth of a metre.
    private static let zeroDegrees = 1e-6

    /// Whether this is the place that a tracker without a fix sends: 0° north, 0° east, measured to some metres.
    public var isAtZero: Bool {
        guard abs(coordinate.latitude) <= Self.zeroDegrees, abs(coordinate.longitude) <= Self.zeroDegrees,
            source != .beacon, let accuracy
        else { return false }
        return accuracy.value <= Self.zeroAccuracyMetres
    }
}
