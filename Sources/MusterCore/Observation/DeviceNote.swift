/// A report about a device that is no position. Muster keeps the newest note of each name, returns it as it came, never
/// interprets it, and derives nobody's safety from it.
public struct DeviceNote: Hashable, Sendable {
    /// The note's kind and key.
    public var name: Name
    /// When the note applied, by the device's own clock; nil when the device does not report it.
    public var sampleTime: Instant?
    /// When Muster received it.
    public var receivedTime: Instant
    /// The text of one JSON object.
    public var body: String

    /// How long a body may be, in bytes of UTF-8.
    public static let bodyLimitBytes = 65_536
    /// How many waypoints of one device are kept. A further one removes the one that was received first.
    public static let waypointLimit = 1_000

    /// The subjects of a note. The server keeps the last note of each kind and key.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// A place or a beacon that the device watches.
        case waypoint
        /// How the device's owner wants to be shown.
        case card
        /// How far a person carried the device on foot.
        case steps
        /// How the app is configured and which permissions it has.
        case status
        /// The notice that the device's connection to its broker broke.
        case lastWill
        /// The notice that the device's clock is right again after it was wrong. The server itself makes this note when
        /// no stored position shows it.
        case clock
        /// The properties that a client of Meshblu sets for the device.
        case properties
    }

    /// The name of a note: a device's new note replaces the one of the same kind and key.
    public struct Name: Hashable, Sendable {
        /// The subject of the note.
        public var kind: Kind
        /// The id of the waypoint; empty for the kinds of which a device has only one note.
        public var key: String

        /// How long a key may be, in bytes of UTF-8.
        public static let keyLimitBytes = 128

        /// Creates a name; without a key, for a kind of which a device has only one note.
        public init(_ kind: Kind, key: String = "") {
            self.kind = kind
            self.key = key
        }
    }

    public init(_ name: Name, sampleTime: Instant? = nil, receivedTime: Instant, body: String) {
        self.name = name
        self.sampleTime = sampleTime
        self.receivedTime = receivedTime
        self.body = body
    }

    /// Whether this note adds nothing to the stored one: it is the same, or older by the device's own clock.
    public func repeats(_ kept: DeviceNote) -> Bool {
        if let sampleTime, let keptTime = kept.sampleTime, sampleTime < keptTime { return true }
        return sampleTime == kept.sampleTime && body == kept.body
    }
}
