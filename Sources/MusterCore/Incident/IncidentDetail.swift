/// What a line of an incident's record says beside its event.
public enum IncidentDetail: Hashable, Sendable {
    /// A PAR round, with the crews that the event concerns.
    case par(PARNote)
    /// When PAR is requested by itself from now on.
    case parTimer(PARTimer)
    /// The user who leads the incident from now on, and the one who led it until then; nil where nobody did, and in
    /// lines of earlier versions.
    case handedOver(to: UserNumber, from: UserNumber?)
    /// What a person said about a person on the roll.
    case declared(DeclaredNote)
    /// The line is the first since the call of the incident by which the person is accounted for.
    case firstAccounted
    /// How many people were accounted for when the incident was closed.
    case counts(RollCounts)

    /// What a line says of a declaration. The line has its author and its text.
    public struct DeclaredNote: Hashable, Sendable {
        /// When the author declared it.
        public var at: Instant
        /// What the author declared.
        public var kind: Declaration.Kind
        /// Whether it counted: no newer or stronger declaration outranked it.
        public var isCurrent: Bool

        public init(at: Instant, kind: Declaration.Kind, isCurrent: Bool) {
            self.at = at
            self.kind = kind
            self.isCurrent = isCurrent
        }
    }

    /// What a line says of a PAR round.
    public struct PARNote: Hashable, Sendable {
        /// The round's number.
        public var round: Int32
        /// In a request: when a crew that has not reported is overdue.
        public var dueAt: Instant?
        /// In a request and at its end, all crews; in a report, the crew that reported; of overdue crews, those.
        public var crews: [PARCount]
        /// In a request: whether the round counts visitors by themselves. Earlier versions counted them with the people
        /// in no crew.
        public var countsVisitors: Bool

        public init(round: Int32, dueAt: Instant? = nil, crews: [PARCount] = [], countsVisitors: Bool = false) {
            self.round = round
            self.dueAt = dueAt
            self.crews = crews
            self.countsVisitors = countsVisitors
        }
    }
}

extension Incident {
    /// What the incident's change in the log says of PAR or of a handover.
    public struct News: Hashable, Sendable {
        /// When it happened, by the server's clock.
        public var at: Instant
        /// The user who did it; nil for the server itself.
        public var by: UserNumber?
        /// What happened.
        public var detail: IncidentDetail

        public init(at: Instant, by: UserNumber?, detail: IncidentDetail) {
            self.at = at
            self.by = by
            self.detail = detail
        }
    }
}
