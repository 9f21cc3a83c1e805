/// The number of a proximity rule, unique on the server.
public typealias ProximityNumber = Number<ProximityRule>

/// A team's rule about the distance between its people and a centre that moves with a person or a device: who comes
/// near it, or who must stay near it.
///
/// The distance follows from the positions of both and from measured ranges, and is only as certain as they are.
/// Someone is within the radius, or beyond it, when the confident policy's thresholds for that are met; else the engine
/// does not know, and its last report stays in force.
public struct ProximityRule: Hashable, Sendable {
    /// The number by which the log and the engine know the rule. It stays when the rule is changed.
    public let number: ProximityNumber
    /// The team whose people it counts.
    public var team: TeamNumber
    /// The name, unique among the team's rules; the same characters as a user's name.
    public var name: String
    /// The centre that the people's distance is measured to.
    public var centre: Centre
    /// The people whom the rule counts; the centre and its owner are never among them.
    public var subject: Subject
    /// The distance in metres, in `radiusLimits`.
    public var radiusMetres: Double
    /// What the rule demands of these people.
    public var demand: Demand
    /// The purpose of the rule: a note for the people whom its reports alarm.
    public var note: String?
    /// The user who set it last.
    public var setBy: UserNumber
    /// When that was, by the server's clock.
    public var setAt: Instant

    /// The people of the team whom a rule counts.
    public typealias Subject = AttendanceRule.Subject

    /// The moving centre that a rule measures distances to.
    public enum Centre: Hashable, Sendable {
        /// A person of the team, by all of their devices.
        case person(UserNumber)
        /// A device, such as a vehicle's tracker. Its owner is not counted.
        case device(DeviceNumber)
    }

    /// What the rule demands of the people whom it counts, and so what the engine reports.
    public enum Demand: Hashable, Sendable {
        /// A fence around the centre: the engine reports everyone who comes within the radius, and everyone who leaves.
        case fence
        /// Nobody is beyond the radius for long: the engine reports everyone who has been for `afterSeconds`, and
        /// everyone reported so who is within it again.
        case together(afterSeconds: Double)
    }

    /// How large a radius may be, metres.
    public static let radiusLimits: ClosedRange<Double> = 1...100_000
    /// How long someone may be beyond the radius before it is reported, in seconds.
    public static let afterLimits: ClosedRange<Double> = 0...86_400
    /// How many rules a team may have.
    public static let teamLimit = 50
    /// How many people the rules around one centre may count together: each position of the centre measures them all.
    public static let peopleLimit = 2_000
    /// How long a note may be, in bytes of UTF-8.
    public static let noteLimitBytes = 500

    /// Creates a rule from its fields. The engine checks it when a user sets it.
    public init(
        number: ProximityNumber, team: TeamNumber, name: String, centre: Centre, subject: Subject = .everyone,
        radiusMetres: Double, demand: Demand, note: String? = nil, setBy: UserNumber, setAt: Instant
    ) {
        self.number = number
        self.team = team
        self.name = name
        self.centre = centre
        self.subject = subject
        self.radiusMetres = radiusMetres
        self.demand = demand
        self.note = note
        self.setBy = setBy
        self.setAt = setAt
    }

    /// Whether the rule names this person: as its centre, or as the only one whom it counts.
    func names(_ user: UserNumber) -> Bool { centre == .person(user) || subject == .person(user) }
}

/// A person of whom a proximity rule reports, or is about to report, something: at a fence someone within it, else
/// someone beyond the radius.
public struct ProximityAlarm: Hashable, Sendable {
    /// The person.
    public var user: UserNumber
    /// Since when, by the sample times of positions.
    public var since: Instant
    /// Whether the log reports it.
    public var isTold: Bool
    /// Whether only a simulated distance shows it. A later measured distance is reported anew.
    public var isSimulated: Bool

    public init(user: UserNumber, since: Instant, isTold: Bool, isSimulated: Bool = false) {
        self.user = user
        self.since = since
        self.isTold = isTold
        self.isSimulated = isSimulated
    }
}

/// The distance of a person from the centre of a rule, as far as it is known.
public struct ProximityReading: Hashable, Sendable {
    /// The person.
    public var user: UserNumber
    /// Whether the person is within the radius. The devices of both must agree.
    public var standing: ProximityStanding
    /// The distance that decides: the range, where it is the surer one, else that between the estimates of the two
    /// devices that were located last; metres; nil where there is neither.
    public var metres: Double?
    /// When the range was measured, or the sample time of the newer position of those two; nil as `metres`.
    public var at: Instant?
    /// The standard deviation on each axis of where one is as seen from the other, metres; nil as `metres`.
    public var deviationMetres: Double?
    /// The source of the range; nil when positions decided.
    public var source: PeerRange.Source?
}

/// Whether a person is within the radius of a rule.
public enum ProximityStanding: UInt8, Hashable, Sendable, CaseIterable {
    /// The person is within it.
    case within
    /// The person is farther away.
    case beyond
    /// No device knows: positions are too old or too inaccurate for this radius, or devices or ranges contradict each
    /// other.
    case unknown
}

/// Why the engine refuses a request about a proximity rule.
public enum ProximityError: Error, Hashable, Sendable {
    /// The team has as many rules as it may have.
    case tooMany(limit: Int)
    /// The rules around this centre would count more people together.
    case tooManyPeople(limit: Int)
    /// The team has no such rule.
    case hasNoRule
}
