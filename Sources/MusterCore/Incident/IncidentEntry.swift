/// One line of an incident's record: what became of one person, or of the incident itself, at one moment of it. Kept
/// for good; who is on the roll follows from the lines alone (`Roll`).
public struct IncidentEntry: Hashable, Sendable {
    /// Which incident.
    public var incident: IncidentNumber
    /// When it was decided, by the server's clock; since when it was so says the safety.
    public var at: Instant
    /// Who: a user's number, a visitor's, which is below 0, or `nobody`.
    public var person: UserNumber
    /// What happened.
    public var event: Event
    /// How the person was then; of no meaning in a line about the incident itself.
    public var safety: Safety
    /// Where a device of theirs last was then.
    public var lastSeen: LastSeen?
    /// Who did it, where a person did.
    public var author: UserNumber?
    /// What was said with it: a reason, a note, the name of a device that was removed, of the team someone moved to, or
    /// of the user someone was joined to.
    public var note: String?
    /// What the person is called, where no user of the directory has the number: a visitor, or someone removed.
    public var name: String?

    /// Whom a line speaks of that speaks of the incident itself.
    public static let nobody = UserNumber(0)

    /// What happened to a person on the roll, or to the incident.
    public enum Event: UInt8, Hashable, Sendable, CaseIterable {
        /// Of the team when the incident began.
        case present
        /// How they are changed.
        case changed
        /// Came to the team during the incident.
        case joined
        /// Left the team, in earlier versions, which then waited for them no longer.
        case left
        /// The user was removed from the server; they stay on the roll.
        case removed
        /// The user was put into another team, or into none; they stay on the roll.
        case moved
        /// The user was put back into the team.
        case returned
        /// A device of theirs was removed.
        case deviceRemoved
        /// A leader put a visitor on the roll.
        case visitor
        /// A leader took them off the roll, for a reason.
        case takenOff
        /// Everyone on the roll is accounted for.
        case allAccounted
        /// Someone on the roll is no longer accounted for.
        case notAllAccounted
        /// The incident was closed.
        case closed
        /// The incident was opened again.
        case reopened
        /// Turned out to be another user, who is asked for in their place.
        case joinedTo

        /// Whether it speaks of the incident itself, and of nobody.
        public var isMilestone: Bool {
            switch self {
            case .allAccounted, .notAllAccounted, .closed, .reopened: true
            case .present, .changed, .joined, .left, .removed, .moved, .returned, .deviceRemoved, .visitor, .takenOff,
                .joinedTo:
                false
            }
        }
    }

    /// A line of a record.
    public init(
        incident: IncidentNumber, at: Instant, person: UserNumber, event: Event, safety: Safety, lastSeen: LastSeen?,
        author: UserNumber? = nil, note: String? = nil, name: String? = nil
    ) {
        self.incident = incident
        self.at = at
        self.person = person
        self.event = event
        self.safety = safety
        self.lastSeen = lastSeen
        self.author = author
        self.note = note
        self.name = name
    }

    /// A line about the incident itself.
    init(_ milestone: Event, of incident: IncidentNumber, at: Instant, author: UserNumber? = nil, note: String? = nil) {
        self.init(
            incident: incident, at: at, person: Self.nobody, event: milestone,
            safety: Safety(state: .unknown, since: at), lastSeen: nil, author: author, note: note)
    }
}
