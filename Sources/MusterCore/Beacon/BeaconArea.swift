/// The condition for being inside a beacon region: which radio is heard, and how well.
public struct BeaconArea: Hashable, Sendable {
    /// The radio that is heard: beacons or a scanner's tags.
    public var source: Source
    /// How near a device must be to count as inside.
    public var reach: Reach
    /// Whether the region is a room. A device is in at most one room at a time, the one with the strongest evidence.
    public var isRoom: Bool

    /// Either the beacon is fixed and the device moves, or the scanner is fixed and the beacon moves.
    public enum Source: Hashable, Sendable {
        /// A device that hears one of these beacons is inside. A major or minor number of nil stands for any.
        case beacons(BeaconUUID, major: UInt16?, minor: UInt16?)
        /// A tag that this device hears is inside.
        case scanner(DeviceNumber)
    }

    /// The distances to a beacon that its signal strength can tell apart.
    public enum Reach: UInt8, Hashable, Sendable, CaseIterable {
        /// At most half a metre.
        case immediate
        /// At most three metres.
        case near
        /// Any distance at which the radio is heard.
        case far
    }

    /// Creates an area. By default it reaches as far as the radio is heard, and an area around a scanner is a room.
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

    /// Whether a scanner hears the devices inside, instead of the devices hearing a beacon.
    var isByScanner: Bool {
        if case .scanner = source { true } else { false }
    }
}
