import GRDB
package import MusterCore
package import MusterStore

/// The settings of identity pools are kept in a table as `SQLiteStore` has it, of a database in memory.
extension MemoryStore {
    package func poolSettings(of team: TeamNumber?) throws -> PoolSettings {
        try tables.unsafeReentrantRead { try PoolSettingsTable.settings(of: team, in: $0) }
    }
}

extension MemoryTransaction {
    func settings(ofPool team: TeamNumber?) throws -> PoolSettings {
        try PoolSettingsTable.settings(of: team, in: database)
    }

    func put(_ settings: PoolSettings, ofPool team: TeamNumber?) throws {
        try PoolSettingsTable.put(settings, of: team, in: database)
    }
}
