/// Why the engine refuses a request about an incident.
public enum IncidentError: Error, Hashable, Sendable {
    /// The team has this open incident.
    case isOpen(IncidentNumber)
    /// The team has no people.
    case nobodyToAccountFor
    /// The incident is closed, or does not exist.
    case isNotOpen
    /// The incident is open, so nobody can open it again.
    case isNotClosed
    /// The incident was closed longer ago than `Incident.reopenLimitSeconds`.
    case wasClosedLongAgo
    /// Nobody with that number is on the roll.
    case isNotOnRoll
    /// The person is a user, whose safety follows from devices and declarations and not from a mark on a roll.
    case isUser
    /// The roll has had `Roll.visitorLimit` visitors.
    case tooManyVisitors
    /// No PAR was requested in the incident.
    case hasNoPAR
    /// The report is for another PAR than the newest, which has this number.
    case isNotNewestPAR(Int32)
    /// The newest PAR asks for no crew of this name.
    case isNotInPAR
    /// The incident has had `PARRound.limit` rounds.
    case tooManyPARs
    /// The crew was reported `PARRound.reportLimit` times in this round.
    case tooManyReports
    /// The team cannot be removed while it has this open incident.
    case keepsTeam(IncidentNumber)
}
