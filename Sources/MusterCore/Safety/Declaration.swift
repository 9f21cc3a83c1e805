public import MusterGeometry

/// A person's statement about their own safety, or a leader's statement about a member of their team.
///
/// Like every observation, it may arrive late from a phone that was offline, and it may arrive twice.
public struct Declaration: Hashable, Sendable {
    /// The id that the sender chose; unique among the declarations about one subject.
    public var id: String
    /// The user whom the declaration is about.
    public var subject: UserNumber
    /// The user who made the declaration.
    public var author: UserNumber
    /// The device whose own token authorized the declaration; nil when a person signed in.
    public var device: DeviceNumber?
    /// What the declaration states.
    public var kind: Kind
    /// When the declaration was made, by the sender's clock.
    public var sampleTime: Instant
    /// When Muster received it.
    public var receivedTime: Instant
    /// An optional note from the author.
    public var note: String?
    /// Where the subject is. It is stored with the declaration, not as a position of a device.
    public var coordinate: Coordinate?
    /// Whether it calls for help for someone who called already, so that its text adds to that call. The engine decides
    /// it.
    public var repeatsCall = false

    /// How long an id may be, in characters of `A-Z a-z 0-9 . _ -`.
    public static let idLimit = 64
    /// How long a note may be, in bytes of UTF-8.
    public static let noteLimitBytes = 1_000

    /// The statements that a declaration can make.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// The subject is safe.
        case safe
        /// The subject needs help.
        case needsHelp
        /// The subject is in danger.
        case sos
        /// The subject is elsewhere, and nobody need look for them.
        case offSite
        /// The earlier declarations no longer apply. The subject's safety follows from their devices again.
        case clear
        /// Someone has heard the subject's call for help and is responding to it.
        case acknowledge
    }

    /// Creates a declaration; without `device`, a person who signed in made it.
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

    /// When the declaration counts as made: the earlier of its two times, so that a sender's clock that runs ahead does
    /// not put it after later declarations.
    public var moment: Instant { min(sampleTime, receivedTime) }

    /// Whether the declaration was made before an open incident started. If the server's clock was set back during the
    /// incident, the start lies ahead of the clock and cannot be compared. Then the declaration counts as made during
    /// the incident when it arrived within `Engine.clockToleranceSeconds` after it was made.
    func isEarlier(than incident: Incident) -> Bool {
        guard receivedTime < incident.startedAt else { return moment < incident.startedAt }
        return receivedTime.seconds(since: moment) > Engine.clockToleranceSeconds
    }

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
