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
        let rates = 0.0001...1_000_000_000.0
        try ValidationError.require("--quota-positions-per-second", quotaPositionsPerSecond, in: rates)
        try ValidationError.require("--quota-signals-per-second", quotaSignalsPerSecond, in: rates)
        let bursts = 1...1_000_000_000.0
        try ValidationError.require("--quota-position-burst", quotaPositionBurst, in: bursts)
        try ValidationError.require("--quota-signal-burst", quotaSignalBurst, in: bursts)
        let mebibytes: ClosedRange<Int64> = 0...1_099_511_627_776
        try ValidationError.require("--quota-user-mib", quotaUserMebibytes, in: mebibytes)
        try ValidationError.require("--quota-database-mib", quotaDatabaseMebibytes, in: mebibytes)
        try ValidationError.require("--quota-store-mib", quotaStoreMebibytes, in: mebibytes)
        let counts = 0...1_000_000_000
        try ValidationError.require("--quota-implicit-users", quotaImplicitUsers, in: counts)
        try ValidationError.require("--quota-collections", quotaCollections, in: counts)
        try ValidationError.require("--quota-databases", quotaDatabases, in: counts)
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
