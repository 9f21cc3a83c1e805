/// What a device says of itself, or its reports say of it, that is no place: kept as the latest of its name, given back
/// as it came, never interpreted, and no reason for anyone to be safe or unsafe.
public struct DeviceNote: Hashable, Sendable {
    /// What it speaks of, and which of them.
    public var name: Name
    /// When it was so, by the device's own clock; nil when it does not say.
    public var sampleTime: Instant?
    /// When Muster received it.
    public var receivedTime: Instant
    /// The text of one JSON object.
    public var body: String

    /// How long a body may be, in bytes of UTF-8.
    public static let bodyLimitBytes = 65_536
    /// How many waypoints of one device are kept; beyond that the one goes that was received first.
    public static let waypointLimit = 1_000

    /// What a note speaks of.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// A place or a beacon that the device watches.
        case waypoint
        /// How its owner wants to be shown.
        case card
        /// How far it was carried on foot.
        case steps
        /// How the app is set up and what it may do.
        case status
        /// That its connection broke.
        case lastWill
        /// That its clock is right again after it was ahead: the server's own word, where no stored position says so.
        case clock
    }

    /// What a note replaces: the one of the same device, kind and key.
    public struct Name: Hashable, Sendable {
        /// What it speaks of.
        public var kind: Kind
        /// Which waypoint; empty for the kinds of which a device has one.
        public var key: String

        /// How long a key may be, in bytes of UTF-8.
        public static let keyLimitBytes = 128

        /// The name of a note.
        public init(_ kind: Kind, key: String = "") {
            self.kind = kind
            self.key = key
        }
    }

    /// A note.
    public init(_ name: Name, sampleTime: Instant? = nil, receivedTime: Instant, body: String) {
        self.name = name
        self.sampleTime = sampleTime
        self.receivedTime = receivedTime
        self.body = body
    }

    /// Whether this one tells nothing beside what is kept: the same again, or older by the device's own clock.
    public func repeats(_ kept: DeviceNote) -> Bool {
        if let sampleTime, let keptTime = kept.sampleTime, sampleTime < keptTime { return true }
        return sampleTime == kept.sampleTime && body == kept.body
    }
}
