/// The quotas of one user, of one team and of the whole server. The normal work of a team stays far below the defaults.
package struct QuotaSettings: Hashable, Sendable {
    /// Reports a second of one user's devices, in the long run: positions, sightings, ranges, notes, and documents of
    /// the user's location database.
    package var positionsPerSecond: Double = 50
    /// Such reports that may arrive at once, for example those that phones recorded while offline.
    package var positionBurst: Double = 100_000
    /// Signals a second of one device, in the long run. Each may be sent to targets outside.
    package var signalsPerSecond: Double = 1
    /// Signals of one device that may arrive at once, such as those that it kept while offline.
    package var signalBurst: Double = 120
    /// The rate of signals of all devices of one user together, in multiples of the rate of one device. So one device
    /// that never stops leaves room for its owner's others, and a user with many devices sends no more than a few
    /// could.
    static let signalDevices: Double = 5
    /// Dry runs of edits of one user, a second in the long run and at once. The writer carries each out and undoes it,
    /// which takes as long as the edit would.
    static let (dryRunsPerSecond, dryRunBurst) = (1.0, 60.0)
    /// Stored bytes of one user: positions, signals, documents of the location database, datasets, and for a member
    /// also ranges and notes. nil for no limit.
    package var userBytes: Int64? = 1 << 30
    /// Stored bytes of one database that an admin made. nil for no limit.
    package var databaseBytes: Int64? = 16 << 30
    /// Bytes of the whole store. nil for no limit.
    package var storeBytes: Int64?
    /// Users that AWS clients created in one team, by reporting device ids that do not exist yet.
    package var implicitUsersOfTeam = 20_000
    /// Users that AWS clients created, in all teams.
    package var implicitUsers = 200_000
    /// Collections linked to one team's tracker alone. Admins may create more.
    package var collectionsOfTeam = 100
    /// Collections in all.
    package var collections = 1_500
    /// Databases that people created.
    package var databases = 1_000

    package init() {}

    /// Positions may exceed `storeBytes` by this part of it: a tenth.
    static let reserveDivisor: Int64 = 10
}

/// The quotas. The raw values are labels of the metrics.
package enum Quota: String, CaseIterable, Sendable {
    case positions
    case signals
    case signalsOfUser = "signals_of_user"
    case dryRuns = "dry_runs"
    case userBytes = "user_bytes"
    case databaseBytes = "database_bytes"
    case storeBytes = "store_bytes"
    case implicitUsersOfTeam = "implicit_users_of_team"
    case implicitUsers = "implicit_users"
    case collectionsOfTeam = "collections_of_team"
    case collections
    case databases
}
