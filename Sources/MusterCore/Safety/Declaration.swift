public import MusterGeometry

/// What a person says of a person: of itself, or a leader of someone of its team.
///
/// It goes the road of every observation: it may come late from a phone that was offline, and twice.
public struct Declaration: Hashable, Sendable {
    /// Given by whoever sends it; a subject has no two of the same.
    public var id: String
    /// Of whom it speaks.
    public var subject: UserNumber
    /// Who says it.
    public var author: UserNumber
    /// The device whose own token it came with; nil for a person who signed in.
    public var device: DeviceNumber?
    /// What is said.
    public var kind: Kind
    /// When it was said, by the sender's clock.
    public var sampleTime: Instant
    /// When Muster received it.
    public var receivedTime: Instant
    /// A sentence with it.
    public var note: String?
    /// Where its subject is; kept with it, and no position of any device.
    public var coordinate: Coordinate?

    /// How long an id may be, in characters of `A-Z a-z 0-9 . _ -`.
    public static let idLimit = 64
    /// How long a note may be, in bytes of UTF-8.
    public static let noteLimitBytes = 1_000

    /// What may be said.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// The subject is safe.
        case safe
        /// The subject needs help.
        case needsHelp
        /// The subject is in danger.
        case sos
        /// The subject is not there, and need not be looked for.
        case offSite
        /// What was declared holds no longer: back to what the devices tell.
        case clear
        /// The call for help was heard, and someone sees to it.
        case acknowledge
    }

    /// A declaration.
    public init(
        id: String, subject: UserNumber, author: UserNumber, device: DeviceNumber? = nil, kind: Kind,
        sampleTime: Instant, receivedTime: Instant, note: String? = nil, coordinate: Coordinate? = nil
    ) {
        self.id = id
        self.subject = subject
        self.author = author
        self.device = device
        self.kind = kind
        self.sampleTime = sampleTime
        self.receivedTime = receivedTime
        self.note = note
        self.coordinate = coordinate
    }

    /// When it counts as said: a sender's clock that runs ahead does not put it before what is said after it.
    public var moment: Instant { min(sampleTime, receivedTime) }

    /// Whether a text can be an id.
    public static func isValid(id: String) -> Bool {
        (1...idLimit).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
