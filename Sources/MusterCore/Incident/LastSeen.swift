public import MusterGeometry

/// The last known place of a person: that of the newest fix of their devices.
public struct LastSeen: Hashable, Sendable {
    /// The place of the fix.
    public var coordinate: Coordinate
    /// When the device took the fix, corrected for the known error of its clock.
    public var sampleTime: Instant

    public init(coordinate: Coordinate, sampleTime: Instant) {
        self.coordinate = coordinate
        self.sampleTime = sampleTime
    }
}

extension Engine {
    /// Returns the place of the newest fix of a user's devices, stored or not; nil before the first.
    public func lastSeen(_ user: UserNumber) -> LastSeen? { lastSeen(user, after: Decision()) }

    /// Returns when the server last received anything from a device of a user; nil before the first time.
    public func lastHeard(_ user: UserNumber) -> Instant? {
        ownership.devices(of: user).compactMap { heardTime(of: $0) }.max()
    }

    /// Returns the battery charge in the newest fix of a user's devices, per cent; nil when that fix has none.
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
