/// Why what someone asked of an incident cannot be done.
public enum IncidentError: Error, Hashable, Sendable {
    /// The team has one that is open.
    case isOpen(IncidentNumber)
    /// Nobody is in the team.
    case nobodyToAccountFor
    /// It is closed, or there never was one.
    case isNotOpen
    /// It cannot be opened again: it is open.
    case isNotClosed
    /// Nobody with that number stands on the roll.
    case isNotOnRoll
    /// What is known of a user follows from devices and declarations, not from a mark on a roll.
    case isUser
    /// As many visitors were put on the roll as may be.
    case tooManyVisitors
    /// The team cannot be removed while this incident of it is open.
    case keepsTeam(IncidentNumber)
}
