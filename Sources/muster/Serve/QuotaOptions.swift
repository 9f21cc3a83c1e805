import ArgumentParser
import MusterServer

/// How much one user, one team and all together may take (docs/operations.md).
struct QuotaOptions: ParsableArguments {
    @Option(help: "Positions a second of one user's devices, in the long run.")
    var quotaPositionsPerSecond = QuotaSettings().positionsPerSecond
    @Option(help: "Positions of one user's devices that may come at once, as after days without a network.")
    var quotaPositionBurst = QuotaSettings().positionBurst
    @Option(name: .customLong("quota-user-mib"), help: "MiB stored of one user; 0 for no limit.")
    var quotaUserMebibytes: Int64 = 1_024
    @Option(name: .customLong("quota-database-mib"), help: "MiB in one database that an admin made; 0 for no limit.")
    var quotaDatabaseMebibytes: Int64 = 16_384
    @Option(name: .customLong("quota-store-mib"), help: "MiB of the whole store; 0 for no limit.")
    var quotaStoreMebibytes: Int64 = 0
    @Option(help: "Devices of a team that AWS clients made by reporting for them.")
    var quotaImplicitUsers = QuotaSettings().implicitUsersOfTeam
    @Option(help: "Collections that a team's leaders may have.")
    var quotaCollections = QuotaSettings().collectionsOfTeam
    @Option(help: "Databases that admins may make.") var quotaDatabases = QuotaSettings().databases

    func validate() throws {
        guard quotaPositionsPerSecond > 0, quotaPositionBurst >= 1 else {
            throw ValidationError("--quota-positions-per-second must be more than 0, --quota-position-burst at least 1")
        }
        let mebibytes = [quotaUserMebibytes, quotaDatabaseMebibytes, quotaStoreMebibytes]
        guard mebibytes.allSatisfy({ (0...1_099_511_627_776).contains($0) }) else {
            throw ValidationError("--quota-user-mib, --quota-database-mib and --quota-store-mib: not below 0")
        }
        guard quotaImplicitUsers >= 0, quotaCollections >= 0, quotaDatabases >= 0 else {
            throw ValidationError("--quota-implicit-users, --quota-collections and --quota-databases: not below 0")
        }
    }

    /// What they say.
    var settings: QuotaSettings {
        func bytes(_ mebibytes: Int64) -> Int64? { mebibytes == 0 ? nil : mebibytes << 20 }
        var settings = QuotaSettings()
        settings.positionsPerSecond = quotaPositionsPerSecond
        settings.positionBurst = quotaPositionBurst
        settings.userBytes = bytes(quotaUserMebibytes)
        settings.databaseBytes = bytes(quotaDatabaseMebibytes)
        settings.storeBytes = bytes(quotaStoreMebibytes)
        settings.implicitUsersOfTeam = quotaImplicitUsers
        settings.collectionsOfTeam = quotaCollections
        settings.databases = quotaDatabases
        return settings
    }
}
