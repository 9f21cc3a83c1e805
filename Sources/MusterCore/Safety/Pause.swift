/// A person's own statement that their phone is silent on purpose until a time, so that the silence is explained to
/// those who see the person. It is no evidence of anything: it makes nobody safe and keeps no report out.
///
/// A person has at most one pause. It ends at `until`, when the person ends it, when the person's team has an incident
/// or the person is put on the roll of one, and when the team no longer allows pauses.
public struct Pause: Hashable, Sendable {
    /// Since when the person has paused without a break, by the server's clock.
    public var since: Instant
    /// When the pause ends by itself.
    public var until: Instant
    /// The person's explanation; nil where there is none.
    public var note: String?
    /// The latest event of the pause, which the pause's change in the log reports.
    public var turn: Turn

    /// The longest time from now to the end of a pause, in seconds.
    public static let limitSeconds = 43_200.0
    /// The largest length of a note, in bytes of UTF-8.
    public static let noteLimitBytes = 500

    /// The events of a pause. The raw values are stored, so new ones are added at the end.
    public enum Turn: UInt8, Hashable, Sendable, CaseIterable {
        /// The person began the pause, or changed its end or note.
        case began
        /// The person ended the pause.
        case ended
        /// The pause reached the end of its time.
        case ranOut
        /// The person's team has an open incident, or the person is on the roll of one.
        case incident
        /// The person's team no longer allows pauses, or the person moved to a team that does not.
        case withdrawn
    }

    /// Creates a pause that begins.
    public init(since: Instant, until: Instant, note: String?) {
        self.since = since
        self.until = until
        self.note = note
        turn = .began
    }
}

/// Why the engine refuses a pause.
public enum PauseError: Error, Hashable, Sendable {
    /// The user is a gateway, or no longer exists.
    case isNoPerson
    /// The person's team does not allow pauses, or the person has no team.
    case isNotAllowed
    /// The person's team has this open incident, or the person is on its roll.
    case isInIncident(IncidentNumber)
    /// The person calls for help.
    case callsForHelp
}
