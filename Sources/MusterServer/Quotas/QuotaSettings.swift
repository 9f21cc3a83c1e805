/// How much one user, one team and all together may take. Every limit has a default that a team's work stays far below.
package struct QuotaSettings: Hashable, Sendable {
    /// Positions a second that may be stored of one user's devices in the long run.
    package var positionsPerSecond: Double = 50
    /// Positions of one user's devices that may come at once: what phones kept while they were without a network.
    package var positionBurst: Double = 100_000
    /// Bytes stored of one user: positions, and the documents of the location database. nil for no limit.
    package var userBytes: Int64? = 1 << 30
    /// Bytes stored in one database that an admin made. nil for no limit.
    package var databaseBytes: Int64? = 16 << 30
    /// Bytes of the whole store. nil for no limit.
    package var storeBytes: Int64?
    /// Users that AWS clients made of one team by reporting device ids that nobody made.
    package var implicitUsersOfTeam = 20_000
    /// Users that AWS clients made, of all teams.
    package var implicitUsers = 200_000
    /// Collections that are linked to one team's tracker alone. Admins may make more.
    package var collectionsOfTeam = 100
    /// Collections in all.
    package var collections = 1_500
    /// Databases that were made.
    package var databases = 1_000

    /// The defaults.
    package init() {}

    /// The part of `storeBytes` by which positions may go beyond it: a tenth.
    static let reserveDivisor: Int64 = 10
}

/// What is limited; the raw values are the metrics' labels.
package enum Quota: String, CaseIterable, Sendable {
    case positions
    case userBytes = "user_bytes"
    case databaseBytes = "database_bytes"
    case storeBytes = "store_bytes"
    case implicitUsersOfTeam = "implicit_users_of_team"
    case implicitUsers = "implicit_users"
    case collectionsOfTeam = "collections_of_team"
    case collections
    case databases
}
