/// A report in the log that something happened to an attendance rule: its `turn` says what.
public struct AttendanceReport: Hashable, Sendable {
    /// The rule's number. The rule may have been removed since.
    public var rule: AttendanceNumber
    /// The rule's name at that time, because the rule may be removed later.
    public var name: String
    /// The team whose people the rule counts.
    public var team: TeamNumber
    /// The region of the rule.
    public var region: RegionNumber
    /// The people whom the rule counts.
    public var subject: AttendanceRule.Subject
    /// What the rule demands of them.
    public var demand: AttendanceRule.Demand
    /// The purpose of the rule.
    public var note: String?
    /// What happened.
    public var turn: Turn
    /// When it happened, by the server's clock.
    public var at: Instant
    /// The user who made, changed or removed the rule; nil when time or an observation caused the report.
    public var by: UserNumber?
    /// Since when fewer people than the rule demands were known to be in the region; nil while there are enough.
    public var since: Instant?
    /// The window that the report is about; nil for a rule without a schedule, and before its first window.
    public var window: AttendanceRule.Window?
    /// The person who arrived; nil for every other turn.
    public var who: UserNumber?
    /// How many people were in the region, elsewhere or of unknown position when it happened.
    public var count = AttendanceCount()

    /// The events of a rule.
    public enum Turn: UInt8, Hashable, Sendable, CaseIterable {
        /// A user made it.
        case made
        /// A user changed it. The lack or absence that it had reported has ended, and the engine evaluates it anew.
        case changed
        /// Fewer people than the rule demands have been known to be in the region for as long as the rule allows.
        case lacking
        /// As many people as the rule demands are known to be in the region again.
        case enough
        /// A user removed it.
        case removed
        /// Some who were expected are known to be elsewhere.
        case notThere
        /// It is not known where some of the people who were expected are.
        case noWord
        /// A person who was reported as not there has arrived.
        case arrived
        /// The server was off when a window was to be judged, and the window is over.
        case unwatched
    }

    /// Creates a report without a count.
    public init(_ turn: Turn, of rule: AttendanceRule, at moment: Instant, by user: UserNumber? = nil) {
        self.rule = rule.number
        name = rule.name
        team = rule.team
        region = rule.region
        subject = rule.subject
        demand = rule.demand
        note = rule.note
        self.turn = turn
        at = moment
        by = user
        since = rule.progress.lackingSince
        window = rule.progress.window
    }
}

/// How many of the people whom a rule counts are in the region, elsewhere, or of unknown position.
public struct AttendanceCount: Hashable, Sendable {
    /// How many are known to be in the region.
    public var present: Int32 = 0
    /// How many are known to be elsewhere.
    public var absent: Int32 = 0
    /// How many people may be in the region or not: the engine does not know.
    public var unknown: Int32 = 0
    /// Those known to be elsewhere, in the order of their numbers; of more than `listLimit` the first.
    public var absentPeople: [UserNumber] = []
    /// The people counted by `unknown`, in the order of their numbers; of more than `listLimit` the first.
    public var unknownPeople: [UserNumber] = []
    /// Those known to be in the region, in the order of their numbers; of more than `listLimit` the first.
    public var presentPeople: [UserNumber] = []

    /// The largest number of people that each list names.
    public static let listLimit = 100

    /// Creates a count of nobody.
    public init() {}

    /// Counts a person. The caller counts people in the order of their numbers.
    mutating func add(_ user: UserNumber, _ attendance: Attendance) {
        func list(_ user: UserNumber, in people: inout [UserNumber]) {
            if people.count < Self.listLimit { people.append(user) }
        }
        switch attendance {
        case .present:
            present += 1
            list(user, in: &presentPeople)
        case .absent:
            absent += 1
            list(user, in: &absentPeople)
        case .unknown:
            unknown += 1
            list(user, in: &unknownPeople)
        }
    }

    /// Whether there are fewer than `minimum` people in the region even if everyone of unknown position is there.
    public func isCertainlyBelow(_ minimum: Int32) -> Bool { Int64(present) + Int64(unknown) < Int64(minimum) }
}
