// What an entry of the log can be: `Change`, its sequence number, and what it is about.

/// The number of a change in the log: strictly increasing in commit order, from 1, without a gap.
public struct LogSequence: Hashable, Comparable, Sendable {
    /// The number; 0 means before the first change.
    public let rawValue: Int64
    /// Creates the number of a change, which need not exist yet.
    public init(_ rawValue: Int64) { self.rawValue = rawValue }
    /// The sequence before the first change.
    public static let zero = LogSequence(0)
    /// Whether the left change was committed earlier.
    public static func < (left: LogSequence, right: LogSequence) -> Bool { left.rawValue < right.rawValue }
}

/// One entry of the log. Every notification that Muster sends is derived from these entries.
public enum Change: Hashable, Sendable {
    /// A position was stored. `isCurrent` is false for a late position, which is added to the history only and
    /// changes no state.
    case position(Position, of: DeviceNumber, isCurrent: Bool)
    /// A device sighted a beacon. `isCurrent` is false when the device had already reported a later sighting, or when
    /// its clock is ahead.
    case sighting(Sighting, of: DeviceNumber, isCurrent: Bool)
    /// A device replaced one of its notes. The note's content is stored outside the log.
    case note(DeviceNote.Name, of: DeviceNumber)
    /// A device reported that something happened. Rules send it to targets.
    case signal(Signal, of: DeviceNumber)
    /// A device measured how far another person's device was. `isCurrent` is false when it is too old to show anything,
    /// when the device had already reported a later range to the same peer, or when its clock is ahead.
    case range(PeerRange, of: DeviceNumber, isCurrent: Bool)
    /// A device crossed a region.
    case crossing(Crossing)
    /// A standing under the confident policy changed, or how sure it is.
    case presence(PresenceReport)
    /// The server stopped trusting a device's fixes, suspects that they are elsewhere, or trusts them again.
    case belief(Belief, of: DeviceNumber)
    /// A person declared how they or another person are. `isCurrent` is false when a newer or stronger declaration
    /// already applies, so that this one changed nothing.
    case declaration(Declaration, isCurrent: Bool)
    /// A person's safety changed to this.
    case safety(Safety, of: UserNumber)
    /// A reminder of a call for help that nobody has acknowledged. `count` is the number of this reminder.
    case reminder(Safety, of: UserNumber, count: Int32)
    /// Something happened to a person's check-in timer: its `turn` says what.
    indirect case checkInTimer(CheckInTimer, of: UserNumber)
    /// Something happened to a person's pause: its `turn` says what.
    indirect case pause(Pause, of: UserNumber)
    /// Something happened to an attendance rule: its `turn` says what.
    indirect case attendance(AttendanceReport)
    /// Something happened to a proximity rule: its `turn` says what.
    indirect case proximity(ProximityReport)
    /// Something happened to an incident: its `turn` says what.
    indirect case incident(Incident)
    /// A person's entry on the roll of a team's incident changed: a user edited it, or the person was removed or moved.
    indirect case roll(IncidentEntry, of: TeamNumber)
    /// A region was put or removed.
    case region(RegionNumber, in: CollectionNumber, removed: Bool)
    /// A user, team, crew, device, tracker, collection, rule, target or database was put or removed.
    case directory(DirectoryEntry, removed: Bool)
    /// A client posted an event for the rules.
    case posted(PostedEvent)
    /// A document changed. Its content is stored outside the log.
    case document(DocumentTouch)
    /// A user's dataset changed. Its records are stored outside the log.
    case dataset(DatasetTouch)
    /// A user performed an action that no other kind of change records.
    case action(Action)
}

/// A document changed: an edit, a replication or a purge touched it.
public struct DocumentTouch: Hashable, Sendable {
    /// The database that holds the document.
    public var database: DatabaseNumber
    /// The document's id.
    public var id: String
    /// The document's winning revision after the change.
    public var winner: Revision
    /// Whether the winning revision is a deletion.
    public var isDeleted: Bool

    public init(database: DatabaseNumber, id: String, winner: Revision, isDeleted: Bool) {
        self.database = database
        self.id = id
        self.winner = winner
        self.isDeleted = isDeleted
    }
}

/// The directory entity that a change concerns.
public enum DirectoryEntry: Hashable, Sendable {
    case user(UserNumber)
    case team(TeamNumber)
    case crew(CrewNumber)
    case device(DeviceNumber)
    case tracker(TrackerNumber)
    case collection(CollectionNumber)
    case rule(RuleNumber)
    case target(TargetNumber)
    case database(DatabaseNumber)
}

/// A change with its sequence in the log.
public struct LoggedChange: Hashable, Sendable {
    /// Its number.
    public var sequence: LogSequence
    /// When the writer committed it, by the server's clock.
    public var committedAt: Instant
    /// What changed.
    public var change: Change

    public init(sequence: LogSequence, committedAt: Instant, change: Change) {
        self.sequence = sequence
        self.committedAt = committedAt
        self.change = change
    }
}
