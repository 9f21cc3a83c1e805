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
    /// Nobody with that number is on the roll.
    case isNotOnRoll
    /// The person is a user, whose safety follows from devices and declarations and not from a mark on a roll.
    case isUser
    /// The roll has had `Roll.visitorLimit` visitors.
    case tooManyVisitors
    /// The team cannot be removed while it has this open incident.
    case keepsTeam(IncidentNumber)
}
