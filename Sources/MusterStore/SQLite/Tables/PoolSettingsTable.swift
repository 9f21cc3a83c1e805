package import GRDB
package import MusterCore

/// The settings of identity pools. Those of a removed team stay, because no other team gets its number.
package enum PoolSettingsTable {
    package static let schema = """
        -- team: 0 for the users without a team. sync_trigger: an ARN.
        CREATE TABLE pool_settings (team INTEGER PRIMARY KEY, configuration TEXT, sync_trigger TEXT);

        """

    /// Whether a pool gives identities to guests, since version 21.
    package static let guests = "ALTER TABLE pool_settings ADD COLUMN allows_guests INTEGER NOT NULL DEFAULT 0;\n"

    package static func settings(of team: TeamNumber?, in database: Database) throws -> PoolSettings {
        let row = try Row.fetchOne(
            database.cachedStatement(
                sql: "SELECT configuration, sync_trigger, allows_guests FROM pool_settings WHERE team = ?"),
            arguments: [team?.rawValue ?? 0])
        return PoolSettings(
            configuration: row?["configuration"], syncTrigger: row?["sync_trigger"],
            allowsGuests: row?["allows_guests"] ?? false)
    }

    package static func put(_ settings: PoolSettings, of team: TeamNumber?, in database: Database) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO pool_settings (team, configuration, sync_trigger, allows_guests)
                VALUES (?, ?, ?, ?)
                """,
            arguments: [
                team?.rawValue ?? 0, settings.configuration, settings.syncTrigger, settings.allowsGuests,
            ])
    }
}

extension SQLiteTransaction {
    func settings(ofPool team: TeamNumber?) throws -> PoolSettings {
        try run { try PoolSettingsTable.settings(of: team, in: database) }
    }

    func put(_ settings: PoolSettings, ofPool team: TeamNumber?) throws {
        try run { try PoolSettingsTable.put(settings, of: team, in: database) }
    }
}

extension SQLiteStore {
    package func poolSettings(of team: TeamNumber?) throws -> PoolSettings {
        try onReader { try PoolSettingsTable.settings(of: team, in: $0) }
    }
}
