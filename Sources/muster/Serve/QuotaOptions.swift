import ArgumentParser
import MusterServer

/// The quotas of one user, of one team and of the whole server (docs/operations.md).
struct QuotaOptions: ParsableArguments {
    @Option(help: "Positions a second that one user's devices may send in the long run.")
    var quotaPositionsPerSecond = QuotaSettings().positionsPerSecond
    @Option(help: "Positions that one user's devices may send at once, as after days without a network.")
    var quotaPositionBurst = QuotaSettings().positionBurst
    @Option(help: "Signals a second that one device may fire in the long run; all of one user five times as many.")
    var quotaSignalsPerSecond = QuotaSettings().signalsPerSecond
    @Option(help: "Signals that one device may fire at once; all of one user five times as many.")
    var quotaSignalBurst = QuotaSettings().signalBurst
    @Option(name: .customLong("quota-user-mib"), help: "MiB that one user may store; 0 for no limit.")
    var quotaUserMebibytes: Int64 = 1_024
    @Option(name: .customLong("quota-database-mib"), help: "MiB in one database that an admin created; 0 for no limit.")
    var quotaDatabaseMebibytes: Int64 = 16_384
    @Option(name: .customLong("quota-store-mib"), help: "MiB of the whole store; 0 for no limit.")
    var quotaStoreMebibytes: Int64 = 0
    @Option(help: "Devices of one team that AWS clients may create by reporting for them.")
    var quotaImplicitUsers = QuotaSettings().implicitUsersOfTeam
    @Option(help: "Collections that the leaders of one team may have.")
    var quotaCollections = QuotaSettings().collectionsOfTeam
    @Option(help: "Databases that admins may create.") var quotaDatabases = QuotaSettings().databases

    func validate() throws {
        guard quotaPositionsPerSecond > 0, quotaPositionBurst >= 1 else {
            throw ValidationError("--quota-positions-per-second must be more than 0, --quota-position-burst at least 1")
        }
        guard quotaSignalsPerSecond > 0, quotaSignalBurst >= 1 else {
            throw ValidationError("--quota-signals-per-second must be more than 0, --quota-signal-burst at least 1")
        }
        let mebibytes = [quotaUserMebibytes, quotaDatabaseMebibytes, quotaStoreMebibytes]
        guard mebibytes.allSatisfy({ (0...1_099_511_627_776).contains($0) }) else {
            throw ValidationError("--quota-user-mib, --quota-database-mib and --quota-store-mib: not below 0")
        }
        guard quotaImplicitUsers >= 0, quotaCollections >= 0, quotaDatabases >= 0 else {
            throw ValidationError("--quota-implicit-users, --quota-collections and --quota-databases: not below 0")
        }
    }

    /// The quotas that the options set.
    var settings: QuotaSettings {
        func bytes(_ mebibytes: Int64) -> Int64? { mebibytes == 0 ? nil : mebibytes << 20 }
        var settings = QuotaSettings()
        settings.positionsPerSecond = quotaPositionsPerSecond
        settings.positionBurst = quotaPositionBurst
        settings.signalsPerSecond = quotaSignalsPerSecond
        settings.signalBurst = quotaSignalBurst
        settings.userBytes = bytes(quotaUserMebibytes)
        settings.databaseBytes = bytes(quotaDatabaseMebibytes)
        settings.storeBytes = bytes(quotaStoreMebibytes)
        settings.implicitUsersOfTeam = quotaImplicitUsers
        settings.collectionsOfTeam = quotaCollections
        settings.databases = quotaDatabases
        return settings
    }
}
