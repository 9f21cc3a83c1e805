/// The number of an attendance rule, unique on the server.
public typealias AttendanceNumber = Number<AttendanceRule>

/// A team's rule about a region: who should be there, and what the engine reports when they are not known to be there.
///
/// A person whose position is unknown or too old does not count as present. A report says how many are known to be
/// there, how many are known to be elsewhere, and how many may be at either. A reported lack ends when devices show
/// that people are there, or when a user changes or removes the rule; silence never ends it.
public struct AttendanceRule: Hashable, Sendable {
    /// The number by which the log and the engine know the rule. It stays when the rule is changed.
    public let number: AttendanceNumber
    /// The team whose people it counts.
    public var team: TeamNumber
    /// The name, unique among the team's rules; the same characters as a user's name.
    public var name: String
    /// The region: a fence or a beacon region. When it is removed, nobody counts as present in it.
    public var region: RegionNumber
    /// The people whom the rule counts.
    public var subject: Subject
    /// What the rule demands of these people.
    public var demand: Demand
    /// Whether an incident of the team is opened together with the report.
    public var opensIncident: Bool
    /// The purpose of the rule: a note for the people whom its reports alarm.
    public var note: String?
    /// The user who set it last.
    public var setBy: UserNumber
    /// When that was, by the server's clock.
    public var setAt: Instant
    /// How far the engine has come with the rule: a lack that has begun, the window judged last.
    public var progress = Progress()

    /// The people of the team whom a rule counts. Gateways are no people.
    public enum Subject: Hashable, Sendable {
        /// Everyone of the team.
        case everyone
        /// Those with this role.
        case role(Role)
        /// Those to whom the organization gave this role of its own (`User.databaseRoles`).
        case ownRole(String)
        /// One person, as long as they are of the team.
        case person(UserNumber)
    }

    /// A rule's condition, and how soon the engine reports that it is not met.
    public enum Demand: Hashable, Sendable {
        /// At least `count` of the people are known to be in the region. The engine reports a lack that has lasted
        /// `afterSeconds`.
        case atLeast(_ count: Int32, afterSeconds: Double)
        /// Each of the people is in the region when `graceSeconds` of a window of the schedule have passed. Once a
        /// window, the engine reports the people who are not known to be there, and afterwards each of them who arrives
        /// before the window ends.
        case during(WeeklySchedule, graceSeconds: Double)
    }

    /// How far the engine has come with a rule. The store keeps it over restarts.
    public struct Progress: Hashable, Sendable {
        /// Since when too few are known to be in the region, by the server's clock; nil while there are enough.
        public var lackingSince: Instant?
        /// Whether the log reports this lack.
        public var isTold = false
        /// The last window that was judged, or that ended while the server was off; nil before the first.
        public var window: Window?
        /// The people who were reported in that window and have not arrived.
        public var awaited: [UserNumber] = []

        /// Creates the progress of a rule about which nothing has happened yet.
        public init() {}
    }

    /// One window of a schedule.
    public struct Window: Hashable, Sendable {
        /// The day and the index of the window in the schedule.
        public var occurrence: WeeklySchedule.Occurrence
        /// When it began.
        public var start: Instant
        /// When it ends.
        public var end: Instant

        public init(occurrence: WeeklySchedule.Occurrence, start: Instant, end: Instant) {
            self.occurrence = occurrence
            self.start = start
            self.end = end
        }
    }

    /// How many people a rule may demand.
    public static let countLimits: ClosedRange<Int32> = 1...10_000
    /// How long a lack may last before it is reported, in seconds.
    public static let afterLimits: ClosedRange<Double> = 0...86_400
    /// How long the grace period of a window may be, in seconds.
    public static let graceLimits: ClosedRange<Double> = 0...14_400
    /// The grace period of a rule that sets none, in seconds.
    public static let defaultGraceSeconds: Double = 900
    /// How many rules a team may have.
    public static let teamLimit = 50
    /// How long a note may be, in bytes of UTF-8.
    public static let noteLimitBytes = 500

    /// Creates a rule about which nothing has happened yet.
    public init(
        number: AttendanceNumber, team: TeamNumber, name: String, region: RegionNumber, subject: Subject = .everyone,
        demand: Demand, opensIncident: Bool = false, note: String? = nil, setBy: UserNumber, setAt: Instant
    ) {
        self.number = number
        self.team = team
        self.name = name
        self.region = region
        self.subject = subject
        self.demand = demand
        self.opensIncident = opensIncident
        self.note = note
        self.setBy = setBy
        self.setAt = setAt
    }
}

/// Whether a person is in a region, as far as that is known.
public enum Attendance: UInt8, Hashable, Sendable, CaseIterable {
    /// Every device whose data show where the person is places them inside.
    case present
    /// Every device whose data show where the person is places them outside.
    case absent
    /// No device's data decide it: each device was silent for longer than the team's limit, or was never located. Or
    /// the devices contradict each other, or are in doubt.
    case unknown
}

/// Why the engine refuses a request about an attendance rule.
public enum AttendanceError: Error, Hashable, Sendable {
    /// The team has as many rules as it may have.
    case tooMany(limit: Int)
    /// The team has no such rule.
    case hasNoRule
}
