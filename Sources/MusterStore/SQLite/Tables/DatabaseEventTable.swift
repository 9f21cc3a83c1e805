import GRDB
package import MusterCore

/// The rows of the creations and removals of databases.
enum DatabaseEventTable {
    /// Makes the table, and inserts a creation event with sequence 0 for each existing database.
    static let schema = """
        -- removed_name: the name of the database when it was removed.
        CREATE TABLE database_events (
            sequence INTEGER NOT NULL, database INTEGER NOT NULL, is_removal INTEGER NOT NULL, removed_name TEXT,
            PRIMARY KEY (sequence, database, is_removal)) WITHOUT ROWID;
        CREATE INDEX database_events_of_database ON database_events (database);
        INSERT INTO database_events SELECT 0, number, 0, NULL FROM databases;
        INSERT INTO database_events SELECT 0, -number, 0, NULL FROM users;

        """

    static func events(since sequence: LogSequence, in database: Database) throws -> [DatabaseEvent] {
        try Row.fetchAll(
            database.cachedStatement(
                sql: "SELECT * FROM database_events WHERE sequence > ? ORDER BY sequence, database, is_removal"),
            arguments: [sequence == .zero ? -1 : sequence.rawValue]
        ).map { row in
            DatabaseEvent(
                sequence: LogSequence(row["sequence"]), database: DatabaseNumber(row["database"]),
                removedName: row["removed_name"], isRemoval: row["is_removal"])
        }
    }
}

extension SQLiteStore {
    package func databaseEvents(since sequence: LogSequence) throws -> [DatabaseEvent] {
        try onReader { try DatabaseEventTable.events(since: sequence, in: $0) }
    }
}

extension SQLiteTransaction {
    func recordDatabaseMade(_ database: DatabaseNumber, at sequence: LogSequence) throws {
        try execute(
            "INSERT INTO database_events (sequence, database, is_removal, removed_name) VALUES (?, ?, 0, NULL)",
            [sequence.rawValue, database.rawValue])
    }

    func recordDatabaseRemoved(_ database: DatabaseNumber, called name: String, at sequence: LogSequence) throws {
        try execute("UPDATE database_events SET removed_name = ? WHERE database = ?", [name, database.rawValue])
        try execute(
            "INSERT INTO database_events (sequence, database, is_removal, removed_name) VALUES (?, ?, 1, ?)",
            [sequence.rawValue, database.rawValue, name])
        try execute(
            """
            DELETE FROM database_events WHERE database IN (
                SELECT database FROM database_events WHERE is_removal ORDER BY sequence DESC LIMIT -1 OFFSET ?)
            """, [DatabaseEvent.removalLimit])
    }
}
