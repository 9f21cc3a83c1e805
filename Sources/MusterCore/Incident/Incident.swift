/// From "evacuate" to "all accounted for": a team is asked where everyone is. A team has at most one open.
public struct Incident: Hashable, Sendable {
    /// Its number.
    public let number: IncidentNumber
    /// Whose.
    public let team: TeamNumber
    /// Whether it is meant.
    public let kind: Kind
    /// Why, in a person's words.
    public let note: String?
    /// When it was started, by the server's clock.
    public let startedAt: Instant
    /// Who started it.
    public let startedBy: UserNumber
    /// How it ended; nil while it is open.
    public var closing: Closing?

    /// How long a note or a reason may be, in bytes of UTF-8.
    public static let noteLimitBytes = 1_000

    /// Whether an incident is meant.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        case real, drill
    }

    /// How an incident ended.
    public struct Closing: Hashable, Sendable {
        /// When.
        public var at: Instant
        /// By what.
        public var how: How

        /// By what an incident ended.
        public enum How: Hashable, Sendable {
            /// Everyone was safe or off site.
            case allAccounted
            /// A person ended it, for a reason.
            case byHand(by: UserNumber, reason: String)
            /// Its team was removed, or nobody is left in it.
            case teamGone
        }

        /// The end of an incident.
        public init(at: Instant, how: How) {
            self.at = at
            self.how = how
        }
    }

    /// An incident.
    public init(
        number: IncidentNumber, team: TeamNumber, kind: Kind, note: String? = nil, startedAt: Instant,
        startedBy: UserNumber, closing: Closing? = nil
    ) {
        self.number = number
        self.team = team
        self.kind = kind
        self.note = note
        self.startedAt = startedAt
        self.startedBy = startedBy
        self.closing = closing
    }

    /// Whether it goes on.
    public var isOpen: Bool { closing == nil }
}

/// An incident's number.
public typealias IncidentNumber = Number<Incident>

extension Incident: Entity {
    /// Incidents have no names.
    public var uniqueName: String? { nil }
}

/// One line of an incident's record: what became of one person, at one moment of it. Kept for good.
public struct IncidentEntry: Hashable, Sendable {
    /// Which incident.
    public var incident: IncidentNumber
    /// When it was decided, by the server's clock; since when it was so says the safety.
    public var at: Instant
    /// Who.
    public var person: UserNumber
    /// What happened.
    public var event: Event
    /// How the person was then.
    public var safety: Safety
    /// Where a device of theirs last was then.
    public var lastSeen: LastSeen?

    /// What happened to a person on the roll.
    public enum Event: UInt8, Hashable, Sendable, CaseIterable {
        /// Of the team when the incident began.
        case present
        /// How they are changed.
        case changed
        /// Came to the team during the incident.
        case joined
        /// Left the team during the incident: nobody waits for them here.
        case left
    }

    /// A line of a record.
    public init(
        incident: IncidentNumber, at: Instant, person: UserNumber, event: Event, safety: Safety, lastSeen: LastSeen?
    ) {
        self.incident = incident
        self.at = at
        self.person = person
        self.event = event
        self.safety = safety
        self.lastSeen = lastSeen
    }
}
