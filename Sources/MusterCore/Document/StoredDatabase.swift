/// The number of a database.
///
/// A database that a user created has a positive number. A user's location database exists as soon as the user does,
/// without a row or a job of its own. Its number is the user's, negated.
public typealias DatabaseNumber = Number<StoredDatabase>

extension Number where Entity == StoredDatabase {
    /// Returns the number of a user's location database.
    public static func locations(of user: UserNumber) -> Self { Self(-user.rawValue) }

    /// The owner of a location database; nil for any other database.
    public var user: UserNumber? { rawValue < 0 ? UserNumber(-rawValue) : nil }
}

/// The documents that a read covers: one database, or all the location databases as one (`lt_locations_all`).
public enum DatabaseScope: Hashable, Sendable {
    /// One database.
    case database(DatabaseNumber)
    /// The union of the location databases of all users. When two of them hold documents of one id, the union holds
    /// both, the later one under a qualified id (`QualifiedID`).
    case locations
}

/// A database that a user created.
public struct StoredDatabase: Hashable, Sendable {
    /// The number, which is never reused.
    public var number: DatabaseNumber
    /// The name that clients use.
    public var name: String
    /// When the user created it.
    public var createdAt: Instant
    /// How many revisions of the path to a leaf are kept (`_revs_limit`).
    public var revisionLimit: Int
    /// `_security`, as the text of one JSON object. Nil until someone sets it: then only admins have access.
    public var security: String?
    /// How many purges the database has had (`purge_seq`).
    public var purges: Int64
    /// Whether each document's id must begin with the name of its partition and a colon. It never changes.
    public var isPartitioned: Bool

    /// CouchDB's default of `_revs_limit`.
    public static let defaultRevisionLimit = 1_000

    /// Creates a database from its fields; by default unpartitioned and without purges.
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
