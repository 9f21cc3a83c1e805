/// What decides who is inside a beacon region: which radio is heard, and how well.
public struct BeaconArea: Hashable, Sendable {
    /// Whose radio it is.
    public var source: Source
    /// How near a device must be to count as inside.
    public var reach: Reach
    /// Whether the region is a room: a device is in one room at a time, the one with the best evidence.
    public var isRoom: Bool

    /// The two ways round: the beacon stands and the device moves, or the scanner stands and the beacon moves.
    public enum Source: Hashable, Sendable {
        /// A device that hears one of these beacons is inside. A major or minor number of nil stands for any.
        case beacons(BeaconUUID, major: UInt16?, minor: UInt16?)
        /// A tag that this device hears is inside.
        case scanner(DeviceNumber)
    }

    /// The distances to a beacon that one can tell apart.
    public enum Reach: UInt8, Hashable, Sendable, CaseIterable {
        /// At most half a metre.
        case immediate
        /// At most three metres.
        case near
        /// As far as the radio is heard.
        case far
    }

    /// Creates an area; unless told otherwise as far as the radio is heard. An area around a scanner is a room.
    public init(_ source: Source, reach: Reach = .far, isRoom: Bool? = nil) {
        self.source = source
        self.reach = reach
        if let isRoom {
            self.isRoom = isRoom
        } else if case .scanner = source {
            self.isRoom = true
        } else {
            self.isRoom = false
        }
    }

    /// Whether a device that hears this beacon hears the area's.
    public func isOf(_ beacon: Beacon) -> Bool {
        guard case .beacons(let uuid, let major, let minor) = source else { return false }
        return beacon.uuid == uuid && (major.map { $0 == beacon.major } ?? true)
            && (minor.map { $0 == beacon.minor } ?? true)
    }
}
