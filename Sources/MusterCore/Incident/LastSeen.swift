public import MusterGeometry

/// Where someone was, the last time a device of theirs told.
public struct LastSeen: Hashable, Sendable {
    /// The place.
    public var coordinate: Coordinate
    /// When the device took the fix.
    public var sampleTime: Instant

    /// A place at a time.
    public init(coordinate: Coordinate, sampleTime: Instant) {
        self.coordinate = coordinate
        self.sampleTime = sampleTime
    }
}

extension Engine {
    /// Where the newest fix of any device of a user was; nil before the first.
    public func lastSeen(_ user: UserNumber) -> LastSeen? { lastSeen(user, after: Decision()) }

    func lastSeen(_ user: UserNumber, after decision: Decision) -> LastSeen? {
        var last: LastSeen?
        for device in ownership.devices(of: user) {
            guard let position = state(of: device, after: decision).latest else { continue }
            if let last, last.sampleTime >= position.sampleTime { continue }
            last = LastSeen(coordinate: position.coordinate, sampleTime: position.sampleTime)
        }
        return last
    }
}
