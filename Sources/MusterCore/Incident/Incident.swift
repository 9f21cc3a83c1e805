/// A call to account for everyone in a team, from the order to evacuate to a leader's "all clear". A team has at most
/// one open incident.
///
/// "All accounted" is a state of an open incident, which it can leave again. Only a person closes an incident, unless
/// its team chose otherwise (`IncidentSettings`).
public struct Incident: Hashable, Sendable {
    /// The number, from 1 over all teams, by which people and the log name it.
    public let number: IncidentNumber
    /// The team whose people must be accounted for.
    public let team: TeamNumber
    /// Whether it is real or a drill.
    public let kind: Kind
    /// The reason, in the words of the user who started it.
    public let note: String?
    /// When the user started it, by the server's clock.
    public let startedAt: Instant
    /// The user who started it, or who set the timer or rule that did.
    public let startedBy: UserNumber
    /// The user who leads it: at first the one who started it by hand; nil where nobody did, until someone takes over.
    public var leader: UserNumber?
    /// Since when everyone on its roll is accounted for, by the server's clock; nil while someone is not. A closed
    /// incident keeps the value that it had when it closed.
    public var allAccountedAt: Instant?
    /// How it was closed; nil while it is open.
    public var closing: Closing?
    /// The last time that a user opened it again; nil when nobody did.
    public var reopening: Reopening?
    /// What a change about PAR or a handover says; nil for any other `turn`.
    public var news: News?
    /// The sender's id of the request that started it, by which a repeated request is known.
    public var startID: String?
    /// The latest event of the incident, which the incident's change in the log reports.
    public var turn: Turn

    /// How long a note or a reason may be, in bytes of UTF-8.
    public static let noteLimitBytes = 1_000
    /// For how long after its closing a user can open an incident again, seconds. Later, what is on its roll says
    /// nothing about the people as they are.
    public static let reopenLimitSeconds: Double = 86_400

    /// Whether an incident is real or a drill.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        case real, drill
    }

    /// The events of an incident.
    public enum Turn: UInt8, Hashable, Sendable, CaseIterable {
        /// A user started it.
        case started
        /// It was closed.
        case closed
        /// Everyone on its roll is accounted for now.
        case allAccounted
        /// Someone on its roll is no longer accounted for.
        case notAllAccounted
        /// A user opened it again.
        case reopened
        /// A PAR was requested, by a user or by the timer.
        case parRequested
        /// A user reported a crew of the PAR.
        case parReported
        /// Every crew of the PAR has reported.
        case parComplete
        /// The time for reports is over, and crews have not reported.
        case parOverdue
        /// A user changed when PAR is requested by itself.
        case parTimerSet
        /// Another user leads it now.
        case handedOver

        /// Whether it is about PAR, of which only those learn who read the roll.
        public var isPAR: Bool {
            switch self {
            case .parRequested, .parReported, .parComplete, .parOverdue, .parTimerSet: true
            case .started, .closed, .allAccounted, .notAllAccounted, .reopened, .handedOver: false
            }
        }
    }

    /// The opening of an incident that was closed.
    public struct Reopening: Hashable, Sendable {
        /// The time at which a user opened the incident, by the server's clock.
        public var at: Instant
        /// The user who opened it.
        public var by: UserNumber
        /// The reason that the user gave.
        public var reason: String

        /// Creates the opening of a closed incident.
        public init(at: Instant, by: UserNumber, reason: String) {
            self.at = at
            self.by = by
            self.reason = reason
        }
    }

    /// How an incident was closed.
    public struct Closing: Hashable, Sendable {
        /// When it was closed, by the server's clock.
        public var at: Instant
        /// Who or what closed it.
        public var how: How

        /// The ways in which an incident is closed.
        public enum How: Hashable, Sendable {
            /// Everyone was safe or off site. Only earlier versions closed incidents for that.
            case allAccounted
            /// A user closed it and gave a reason.
            case byHand(by: UserNumber, reason: String)
            /// Its team was removed, or had no members left. Only earlier versions closed incidents for that.
            case teamGone
            /// Everyone stayed accounted for, without doubt, for as long as the team's settings require.
            case automatic
            /// A real incident of the team took the place of this drill.
            case takenOver(by: IncidentNumber)
        }

        /// Creates the closing of an incident.
        public init(at: Instant, how: How) {
            self.at = at
            self.how = how
        }
    }

    /// Creates an incident, led by the user who started it. Without `turn`, it was just started, or just closed when
    /// there is a `closing`.
    public init(
        number: IncidentNumber, team: TeamNumber, kind: Kind, note: String? = nil, startedAt: Instant,
        startedBy: UserNumber, allAccountedAt: Instant? = nil, closing: Closing? = nil, reopening: Reopening? = nil,
        turn: Turn? = nil
    ) {
        self.number = number
        self.team = team
        self.kind = kind
        self.note = note
        self.startedAt = startedAt
        self.startedBy = startedBy
        leader = startedBy
        self.allAccountedAt = allAccountedAt
        self.closing = closing
        self.reopening = reopening
        self.turn = turn ?? (closing == nil ? .started : .closed)
    }

    /// Whether it has no `closing`.
    public var isOpen: Bool { closing == nil }
}

/// An incident's number.
public typealias IncidentNumber = Number<Incident>

extension Incident: Entity {
    /// Nil, because incidents have no names.
    public var uniqueName: String? { nil }
}
