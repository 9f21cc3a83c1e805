public import MusterGeometry

/// Where someone was, the last time a device of theirs told.
public struct LastSeen: Hashable, Sendable {
    /// The place.
    public var coordinate: Coordinate
    /// When the device took the fix, corrected by what is known of its clock.
    public var sampleTime: Instant

    /// A place at a time.
    public init(coordinate: Coordinate, sampleTime: Instant) {
        self.coordinate = coordinate
        self.sampleTime = sampleTime
    }
}

extension Engine {
    /// Where the newest fix of any device of a user was, stored or not; nil before the first.
    public func lastSeen(_ user: UserNumber) -> LastSeen? { lastSeen(user, after: Decision()) }

    /// When the server last heard any device of a user; nil before the first time.
    public func lastHeard(_ user: UserNumber) -> Instant? {
        ownership.devices(of: user).compactMap { heardTime(of: $0) }.max()
    }

    /// The battery, per cent, that the newest fix of a user's devices told; nil where it told none.
    public func lastBattery(_ user: UserNumber) -> Double? {
        ownership.devices(of: user)
            .compactMap { device in evaluatedTime(of: device).map { (at: $0, device: device) } }
            .max { $0.at < $1.at }
            .flatMap { locatedPosition(of: $0.device)?.battery }
    }

    func lastSeen(_ user: UserNumber, after decision: Decision) -> LastSeen? {
        var last: LastSeen?
        for device in ownership.devices(of: user) {
            let state = state(of: device, after: decision)
            guard let position = state.located, let evaluated = state.evaluated else { continue }
            if let last, last.sampleTime >= evaluated { continue }
            last = LastSeen(coordinate: position.coordinate, sampleTime: evaluated)
        }
        return last
    }
}
