/// The rights of a user. The order of the cases has no meaning; every route names the roles that it admits.
public enum Role: String, Hashable, Sendable, CaseIterable {
    /// Has every right.
    case admin
    /// Sees its own team and changes that team's regions.
    case leader
    /// Sees only their own data.
    case member
    /// Reads every position, changes nothing.
    case analyst
    /// A machine that reports for other people's devices; reads nothing about them.
    case gateway
    /// The role of a caller without an account, who keeps datasets under an identity of Cognito (`GuestID`) and may see
    /// and change nothing else. No user has this role.
    case guest

    /// The roles that users have.
    public static let allCases: [Role] = [.admin, .leader, .member, .analyst, .gateway]

    /// Creates the role of a user from its name; nil for any other name, and for `guest`.
    public init?(rawValue: String) {
        guard let role = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = role
    }
}

/// A person or a machine that signs in.
public struct User: Hashable, Sendable {
    /// The number by which the log and the engine know the user. It stays when the user is renamed.
    public let number: UserNumber
    /// The name, unique among users: 1 to 64 characters of letters, digits and `._-@`.
    public var name: String
    /// The user's rights.
    public var role: Role
    /// The team that the user belongs to, or leads when the role is leader. With the team the user leaves the crew.
    public var team: TeamNumber? { didSet { if team != oldValue { crew = nil } } }
    /// The crew of that team that the user is in; nil for none.
    public var crew: CrewNumber?
    /// Whether an endpoint made the user for a device whose owner it does not know. Such a user is removed with the
    /// tracker that the device reported to. A password, or any change by an admin, makes it an ordinary user.
    public var isImplicit: Bool
    /// The organization's own roles, by which databases grant access to users; they grant no other right. At most 64,
    /// each valid by `isDatabaseRole`, without repeats.
    public var databaseRoles: [String]
    /// The person's e-mail address, valid by `isEmail`; nil where none is known. The server sends nothing to it.
    public var email: String?
    /// The person's telephone number, valid by `isPhone`; nil where none is known. Rules may text it.
    public var phone: String?
    /// What people call the person, such as "Ana Ruiz", valid by `isDisplayName`; nil where none is known. It need not
    /// be unique: `name` says which user it is.
    public var displayName: String?

    /// The largest number of database roles of a user.
    public static let databaseRoleLimit = 64
    /// The longest name of a database role, in bytes of UTF-8.
    public static let databaseRoleBytes = 128

    /// Creates a user; by default an ordinary one without a crew, database roles, contacts and display name.
    public init(
        number: UserNumber, name: String, role: Role, team: TeamNumber?, crew: CrewNumber? = nil,
        isImplicit: Bool = false, databaseRoles: [String] = [], email: String? = nil, phone: String? = nil,
        displayName: String? = nil
    ) {
        self.number = number
        self.name = name
        self.role = role
        self.team = team
        self.crew = crew
        self.isImplicit = isImplicit
        self.databaseRoles = databaseRoles
        self.email = email
        self.phone = phone
        self.displayName = displayName
    }

    /// Whether a text can name a database role: 1 to 128 bytes without control characters. It must not begin with an
    /// underscore or be the name of a `Role`, because only Muster assigns those.
    public static func isDatabaseRole(_ name: String) -> Bool {
        (1...databaseRoleBytes).contains(name.utf8.count) && !name.hasPrefix("_") && Role(rawValue: name) == nil
            && name.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    }
}

/// A group of users with its leaders, and the one tracker that all its devices report to.
public struct Team: Hashable, Sendable {
    /// The number by which the log and the engine know the team.
    public let number: TeamNumber
    /// The name, unique among teams; the same characters as a user's name.
    public var name: String
    /// The tracker that the members' devices report to.
    public var tracker: TrackerNumber
    /// After how many seconds of silence a member's safety is unknown.
    public var silenceSeconds: Double
    /// The team's settings for incidents.
    public var incidents: IncidentSettings

    /// The silence limit of a team that sets none, seconds: 20 minutes.
    public static let defaultSilenceSeconds: Double = 1200

    /// Creates a team, by default with the default silence limit and settings.
    public init(
        number: TeamNumber, name: String, tracker: TrackerNumber,
        silenceSeconds: Double = Team.defaultSilenceSeconds, incidents: IncidentSettings = IncidentSettings()
    ) {
        self.number = number
        self.name = name
        self.tracker = tracker
        self.silenceSeconds = silenceSeconds
        self.incidents = incidents
    }
}

/// A phone, watch or tracker box that reports positions.
public struct Device: Hashable, Sendable {
    /// The number by which the log and the engine know the device. It stays when the device gets another owner.
    public let number: DeviceNumber
    /// The name, unique among the user's devices; the same characters as a user's name.
    public var name: String
    /// The owner.
    public var user: UserNumber
    /// The id that trackers' clients used for the device when it belonged to another user, and may go on using; nil for
    /// a device that never changed its owner.
    public var alias: String?
    /// The beacon that the device sends, if it is a tag that scanners hear; else nil.
    public var beacon: Beacon?
    /// The tag under which others may report how far they are from the device; nil when the owner does not agree to
    /// that.
    public var rangeTag: RangeTag?

    /// Creates a device; by default one that never changed its owner, sends no beacon and has no range tag.
    public init(
        number: DeviceNumber, name: String, user: UserNumber, alias: String? = nil, beacon: Beacon? = nil,
        rangeTag: RangeTag? = nil
    ) {
        self.number = number
        self.name = name
        self.user = user
        self.alias = alias
        self.beacon = beacon
        self.rangeTag = rangeTag
    }
}

/// A filter for positions, and links to the collections whose regions devices cross.
public struct Tracker: Hashable, Sendable {
    /// The number by which the engine knows the tracker.
    public let number: TrackerNumber
    /// The name, unique among trackers. A team's tracker is made with the team and has its name.
    public var name: String
    /// Which positions are stored and evaluated.
    public var filter: PositionFilter
    /// The linked collections, in the order in which they were linked.
    public var collections: [CollectionNumber]
    /// Whether every stored position is an event for the rules.
    public var emitsPositionEvents: Bool
    /// Whether its devices may be at 0° north, 0° east. If not, the server takes a position there for a tracker's that
    /// has no fix: it stores the position and changes no standing.
    public var worksAtZero: Bool
    /// The tracker's description, tags and times.
    public var particulars: Particulars

    /// Creates a tracker; by default its positions are no events.
    public init(
        number: TrackerNumber, name: String, filter: PositionFilter, collections: [CollectionNumber],
        emitsPositionEvents: Bool = false, worksAtZero: Bool = false, particulars: Particulars = Particulars()
    ) {
        self.number = number
        self.name = name
        self.filter = filter
        self.collections = collections
        self.emitsPositionEvents = emitsPositionEvents
        self.worksAtZero = worksAtZero
        self.particulars = particulars
    }
}

/// A named set of regions, which are crossed under one policy.
public struct RegionCollection: Hashable, Sendable {
    /// The number by which the log and the engine know the collection.
    public let number: CollectionNumber
    /// The name, unique among collections; the same characters as a user's name.
    public var name: String
    /// How the engine derives crossings of the regions from fixes.
    public var policy: CrossingPolicy
    /// The collection's description, tags and times.
    public var particulars: Particulars

    /// Creates a collection, by default under the confident policy.
    public init(
        number: CollectionNumber, name: String, policy: CrossingPolicy = .confident,
        particulars: Particulars = Particulars()
    ) {
        self.number = number
        self.name = name
        self.policy = policy
        self.particulars = particulars
    }
}
