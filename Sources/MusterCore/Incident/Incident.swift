/// From "evacuate" to a person's "all clear": a team is asked where everyone is. A team has at most one open.
///
/// That all are accounted for is a state of an open incident, which can be left again. Only a person's word closes it,
/// unless its team chose otherwise (`IncidentSettings`).
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
    /// Since when everyone on its roll is accounted for, by the server's clock; nil while someone is not. A closed
    /// incident keeps what held at its end.
    public var allAccountedAt: Instant?
    /// How it ended; nil while it is open.
    public var closing: Closing?
    /// That it was closed before, and who opened it again, the last time; nil when nobody did.
    public var reopening: Reopening?
    /// What happened to it last, which is what its change in the log tells.
    public var turn: Turn

    /// How long a note or a reason may be, in bytes of UTF-8.
    public static let noteLimitBytes = 1_000

    /// Whether an incident is meant.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        case real, drill
    }

    /// What can happen to an incident.
    public enum Turn: UInt8, Hashable, Sendable, CaseIterable {
        /// Someone started it.
        case started
        /// It ended.
        case closed
        /// Everyone on its roll is accounted for now.
        case allAccounted
        /// Someone on its roll is no longer accounted for.
        case notAllAccounted
        /// Someone opened it again.
        case reopened
    }

    /// That an incident was opened again.
    public struct Reopening: Hashable, Sendable {
        /// When.
        public var at: Instant
        /// Who opened it again.
        public var by: UserNumber
        /// Why.
        public var reason: String

        /// That an incident was opened again.
        public init(at: Instant, by: UserNumber, reason: String) {
            self.at = at
            self.by = by
            self.reason = reason
        }
    }

    /// How an incident ended.
    public struct Closing: Hashable, Sendable {
        /// When.
        public var at: Instant
        /// By what.
        public var how: How

        /// By what an incident ended.
        public enum How: Hashable, Sendable {
            /// Everyone was safe or off site: so earlier versions ended incidents.
            case allAccounted
            /// A person ended it, for a reason.
            case byHand(by: UserNumber, reason: String)
            /// Its team was removed, or nobody was left in it: so earlier versions ended incidents.
            case teamGone
            /// All stayed accounted for, without doubt, for as long as the team chose.
            case automatic
            /// A real incident of the team took the place of this drill.
            case takenOver(by: IncidentNumber)
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
        startedBy: UserNumber, allAccountedAt: Instant? = nil, closing: Closing? = nil, reopening: Reopening? = nil,
        turn: Turn? = nil
    ) {
        self.number = number
        self.team = team
        self.kind = kind
        self.note = note
        self.startedAt = startedAt
        self.startedBy = startedBy
        self.allAccountedAt = allAccountedAt
        self.closing = closing
        self.reopening = reopening
        self.turn = turn ?? (closing == nil ? .started : .closed)
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
