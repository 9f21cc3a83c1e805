/// Which database a document is in.
///
/// Positive numbers are given to databases that someone made. The location database of a user is there as soon as the
/// user is, without a row or a job of its own: its number is the user's, negative.
public typealias DatabaseNumber = Number<StoredDatabase>

extension Number where Entity == StoredDatabase {
    /// The location database of a user.
    public static func locations(of user: UserNumber) -> Self { Self(-user.rawValue) }

    /// Whose location database it is; nil for any other.
    public var user: UserNumber? { rawValue < 0 ? UserNumber(-rawValue) : nil }
}

/// What is read together: one database, or all the location databases as one (`lt_locations_all`).
public enum DatabaseScope: Hashable, Sendable {
    /// One database.
    case database(DatabaseNumber)
    /// The union of the location databases of all users. Where two have a document of one id, each stands in it by
    /// itself, the later one under a qualified id (`QualifiedID`).
    case locations
}

/// A database that someone made.
public struct StoredDatabase: Hashable, Sendable {
    /// Its number, never used again.
    public var number: DatabaseNumber
    /// What clients call it.
    public var name: String
    /// When it was made.
    public var createdAt: Instant
    /// How many ancestors of a leaf are remembered (`_revs_limit`).
    public var revisionLimit: Int
    /// `_security`, as the text of one JSON object; nil until someone sets it: admins alone.
    public var security: String?
    /// How many purges there were (`purge_seq`).
    public var purges: Int64
    /// Whether each document's id begins with the name of its partition and a colon. It never changes.
    public var isPartitioned: Bool

    /// CouchDB's own.
    public static let defaultRevisionLimit = 1_000

    /// A database.
    public init(
        number: DatabaseNumber, name: String, createdAt: Instant, revisionLimit: Int = Self.defaultRevisionLimit,
        security: String? = nil, purges: Int64 = 0, isPartitioned: Bool = false
    ) {
        self.number = number
        self.name = name
        self.createdAt = createdAt
        self.revisionLimit = revisionLimit
        self.security = security
        self.purges = purges
        self.isPartitioned = isPartitioned
    }
}
