/// What a user may do. The order has no meaning; every route names the roles it admits.
public enum Role: String, Hashable, Sendable, CaseIterable {
    /// May do everything.
    case admin
    /// Sees its own team and changes that team's regions.
    case leader
    /// Sees itself.
    case member
    /// Reads every position, changes nothing.
    case analyst
    /// A machine that reports for other people's devices; reads nothing about them.
    case gateway
}

/// Someone, or something, that signs in.
public struct User: Hashable, Sendable {
    /// Its number.
    public let number: UserNumber
    /// Unique; 1 to 64 characters of letters, digits and `._-@`.
    public var name: String
    /// What it may do.
    public var role: Role
    /// The team it belongs to, or leads when its role is leader.
    public var team: TeamNumber?
    /// Whether nobody made it: it stands for a device that an endpoint heard of without knowing whose it is, and goes
    /// with the tracker it was heard of by. A password, or any change by an admin, makes it a person's like any other.
    public var isImplicit: Bool
    /// The roles of an organization's own that databases are opened to by name; they give no other right. At most 64,
    /// each valid by `isDatabaseRole`, without repeats.
    public var databaseRoles: [String]

    /// The largest number of database roles of a user.
    public static let databaseRoleLimit = 64
    /// The longest name of a database role, in bytes of UTF-8.
    public static let databaseRoleBytes = 128

    /// A user.
    public init(
        number: UserNumber, name: String, role: Role, team: TeamNumber?, isImplicit: Bool = false,
        databaseRoles: [String] = []
    ) {
        self.number = number
        self.name = name
        self.role = role
        self.team = team
        self.isImplicit = isImplicit
        self.databaseRoles = databaseRoles
    }

    /// Whether a text can name a database role: 1 to 128 bytes without control characters, that begins with no
    /// underscore and is no `Role`, because those are Muster's to give.
    public static func isDatabaseRole(_ name: String) -> Bool {
        (1...databaseRoleBytes).contains(name.utf8.count) && !name.hasPrefix("_") && Role(rawValue: name) == nil
            && name.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    }
}

/// Members, their leaders, and the one tracker that all their devices report to.
public struct Team: Hashable, Sendable {
    /// Its number.
    public let number: TeamNumber
    /// Unique; the same characters as a user's name.
    public var name: String
    /// Where its members' devices report.
    public var tracker: TrackerNumber
    /// Seconds of silence after which a member's safety is unknown.
    public var silenceSeconds: Double
    /// What it chose for its incidents.
    public var incidents: IncidentSettings

    /// A team's silence limit unless it says otherwise: 20 minutes.
    public static let defaultSilenceSeconds: Double = 1200

    /// A team.
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

/// What reports: a phone, a watch, a tracker box. Its name is unique within its user.
public struct Device: Hashable, Sendable {
    /// Its number.
    public let number: DeviceNumber
    /// Unique within the user; the same characters as a user's name.
    public var name: String
    /// Whose it is.
    public var user: UserNumber
    /// What trackers' clients called it before it came to its owner from another user, and may go on calling it; nil
    /// for one that was its owner's from the beginning.
    public var alias: String?

    /// A device.
    public init(number: DeviceNumber, name: String, user: UserNumber, alias: String? = nil) {
        self.number = number
        self.name = name
        self.user = user
        self.alias = alias
    }
}

/// A filter policy and the collections it is linked to.
public struct Tracker: Hashable, Sendable {
    /// Its number.
    public let number: TrackerNumber
    /// Unique; a team's tracker is made with the team and has its name.
    public var name: String
    /// Which positions it lets through.
    public var filter: PositionFilter
    /// The collections whose regions its devices cross, in the order they were linked.
    public var collections: [CollectionNumber]
    /// Whether every position that is stored is an event for the rules.
    public var emitsPositionEvents: Bool
    /// What is said of it.
    public var particulars: Particulars

    /// A tracker.
    public init(
        number: TrackerNumber, name: String, filter: PositionFilter, collections: [CollectionNumber],
        emitsPositionEvents: Bool = false, particulars: Particulars = Particulars()
    ) {
        self.number = number
        self.name = name
        self.filter = filter
        self.collections = collections
        self.emitsPositionEvents = emitsPositionEvents
        self.particulars = particulars
    }
}

/// Named regions.
public struct RegionCollection: Hashable, Sendable {
    /// Its number.
    public let number: CollectionNumber
    /// Unique; the same characters as a user's name.
    public var name: String
    /// How its regions are crossed.
    public var policy: CrossingPolicy
    /// What is said of it.
    public var particulars: Particulars

    /// A collection.
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
