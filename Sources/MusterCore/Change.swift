/// The number of a change in the log: strictly increasing in commit order, from 1, without a gap.
public struct LogSequence: Hashable, Comparable, Sendable {
    /// 0 stands before the first change.
    public let rawValue: Int64
    /// The change with that number.
    public init(_ rawValue: Int64) { self.rawValue = rawValue }
    /// Before every change.
    public static let zero = LogSequence(0)
    /// Whether the left change was committed earlier.
    public static func < (left: LogSequence, right: LogSequence) -> Bool { left.rawValue < right.rawValue }
}

/// One entry of the log. Whatever Muster tells anyone, it tells by reading these.
public enum Change: Hashable, Sendable {
    /// A position was stored. `isCurrent` is false for a late one: it is history and moved no state.
    case position(Position, of: DeviceNumber, isCurrent: Bool)
    /// A beacon was seen. `isCurrent` is false where the device had told of a later one before, or its clock is ahead.
    case sighting(Sighting, of: DeviceNumber, isCurrent: Bool)
    /// What a device says of itself was replaced; what it says now stands beside the log.
    case note(DeviceNote.Name, of: DeviceNumber)
    /// A device crossed a region.
    case crossing(Crossing)
    /// A standing under the confident policy changed, or how sure it is.
    case presence(PresenceReport)
    /// A device's fixes are believed no longer, seem to be elsewhere, or are believed again.
    case belief(Belief, of: DeviceNumber)
    /// A person said how a person is. `isCurrent` is false where it moved nothing: something newer or stronger stands.
    case declaration(Declaration, isCurrent: Bool)
    /// A person's safety changed to this.
    case safety(Safety, of: UserNumber)
    /// A call for help that nobody acknowledged is told again, for the so-manieth time.
    case reminder(Safety, of: UserNumber, count: Int32)
    /// Something happened to an incident: its `turn` says what.
    case incident(Incident)
    /// Someone's place on the roll of an incident of a team changed: by hand, or because they were removed or moved.
    case roll(IncidentEntry, of: TeamNumber)
    /// A region was put or removed.
    case region(RegionNumber, in: CollectionNumber, removed: Bool)
    /// A user, team, device, tracker, collection, rule, target or database was put or removed.
    case directory(DirectoryEntry, removed: Bool)
    /// A client posted an event for the rules.
    case posted(PostedEvent)
    /// A document was touched; what it says stands beside the log.
    case document(DocumentTouch)
    /// Someone did something by hand that no other change tells of.
    case action(Action)
}

/// That a document was touched.
public struct DocumentTouch: Hashable, Sendable {
    /// Where it is.
    public var database: DatabaseNumber
    /// Its id.
    public var id: String
    /// Its winner now.
    public var winner: Revision
    /// Whether the winner says that the document is no more.
    public var isDeleted: Bool

    /// That a document was touched.
    public init(database: DatabaseNumber, id: String, winner: Revision, isDeleted: Bool) {
        self.database = database
        self.id = id
        self.winner = winner
        self.isDeleted = isDeleted
    }
}

/// Which entity of the directory a change speaks of.
public enum DirectoryEntry: Hashable, Sendable {
    case user(UserNumber)
    case team(TeamNumber)
    case device(DeviceNumber)
    case tracker(TrackerNumber)
    case collection(CollectionNumber)
    case rule(RuleNumber)
    case target(TargetNumber)
    case database(DatabaseNumber)
}

/// A change with its place in the log.
public struct LoggedChange: Hashable, Sendable {
    /// Its number.
    public var sequence: LogSequence
    /// When it was committed.
    public var committedAt: Instant
    /// What changed.
    public var change: Change

    /// A change with its place in the log.
    public init(sequence: LogSequence, committedAt: Instant, change: Change) {
        self.sequence = sequence
        self.committedAt = committedAt
        self.change = change
    }
}
