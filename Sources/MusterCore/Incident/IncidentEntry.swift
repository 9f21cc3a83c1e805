/// One line of an incident's record: an event of one person, or of the incident itself. Lines are kept permanently,
/// and `Roll` is derived from them alone.
public struct IncidentEntry: Hashable, Sendable {
    /// The incident that the line belongs to.
    public var incident: IncidentNumber
    /// When the server recorded the event, by its own clock. `safety.since` says since when the state has applied.
    public var at: Instant
    /// The person: a user's number, a visitor's number (below 0), or `nobody` for the incident itself.
    public var person: UserNumber
    /// What happened.
    public var event: Event
    /// The person's safety at that moment; meaningless in a line about the incident itself.
    public var safety: Safety
    /// The last known place of one of the person's devices at that moment.
    public var lastSeen: LastSeen?
    /// The user who caused the event; nil when no user did.
    public var author: UserNumber?
    /// Text that explains the event: a reason, a note, or the name of the device that was removed, of the team that
    /// the person moved to, or of the user that the person was joined to.
    public var note: String?
    /// The person's name when the directory has no user with the number: a visitor, or a removed user. In a handover,
    /// the name of the user who leads from now on.
    public var name: String?
    /// What the line says beside its event.
    public var detail: IncidentDetail?
    /// The sender's id of the request that caused the event, by which a repeated request is known.
    public var id: String?

    /// The value of `person` in a line about the incident itself.
    public static let nobody = UserNumber(0)

    /// What happened to a person on the roll, or to the incident.
    public enum Event: UInt8, Hashable, Sendable, CaseIterable {
        /// The person was in the team when the incident began.
        case present
        /// The person's safety changed.
        case changed
        /// The person joined the team during the incident.
        case joined
        /// The person left the team. Only earlier versions wrote this; they then stopped waiting for the person.
        case left
        /// The user was removed from the server; they stay on the roll.
        case removed
        /// The user was put into another team, or into none; they stay on the roll.
        case moved
        /// The user was put back into the team.
        case returned
        /// One of the person's devices was removed.
        case deviceRemoved
        /// A leader put a visitor on the roll.
        case visitor
        /// A leader took the person off the roll and gave a reason.
        case takenOff
        /// Everyone on the roll is accounted for.
        case allAccounted
        /// Someone on the roll is no longer accounted for.
        case notAllAccounted
        /// The incident was closed.
        case closed
        /// The incident was opened again.
        case reopened
        /// The person turned out to be another user, who must be accounted for in their place.
        case joinedTo
        /// A PAR was requested.
        case parRequested
        /// A user reported a crew of the PAR.
        case parReported
        /// Every crew of the PAR has reported.
        case parComplete
        /// Crews of the PAR have not reported in time.
        case parOverdue
        /// The next PAR, or the incident's end, replaced the PAR as it was.
        case parEnded
        /// The time between two requests of PAR was set, or ended.
        case parTimerSet
        /// Another user leads the incident now.
        case handedOver
        /// The person has acknowledged that they have seen the call of the incident.
        case callSeen
        /// The incident was closed while the person was not accounted for; the line says where they were last seen.
        case atClosing
        /// A user said something about the person: their own words, or another user's mark. `detail` has what.
        case declared

        /// Whether `PARCourse` follows from the line.
        public var isPAR: Bool {
            switch self {
            case .parRequested, .parReported, .parComplete, .parOverdue, .parEnded, .parTimerSet: true
            default: false
            }
        }

        /// Whether the event concerns the incident itself and no person.
        public var isMilestone: Bool {
            switch self {
            case .allAccounted, .notAllAccounted, .closed, .reopened, .parRequested, .parReported, .parComplete,
                .parOverdue, .parEnded, .parTimerSet, .handedOver:
                true
            case .present, .changed, .joined, .left, .removed, .moved, .returned, .deviceRemoved, .visitor, .takenOff,
                .joinedTo, .callSeen, .atClosing, .declared:
                false
            }
        }
    }

    public init(
        incident: IncidentNumber, at: Instant, person: UserNumber, event: Event, safety: Safety, lastSeen: LastSeen?,
        author: UserNumber? = nil, note: String? = nil, name: String? = nil, detail: IncidentDetail? = nil,
        id: String? = nil
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
        self.detail = detail
        self.id = id
    }

    /// Creates a line about the incident itself.
    init(
        _ milestone: Event, of incident: IncidentNumber, at: Instant, author: UserNumber? = nil, note: String? = nil,
        name: String? = nil, detail: IncidentDetail? = nil, id: String? = nil
    ) {
        self.init(
            incident: incident, at: at, person: Self.nobody, event: milestone,
            safety: Safety(state: .unknown, since: at), lastSeen: nil, author: author, note: note, name: name,
            detail: detail, id: id)
    }
}
