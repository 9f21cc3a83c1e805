import GRDB
import MusterCore
import MusterDocuments

/// The bytes of each device's positions in the history. Triggers of the database count them in the transaction that
/// inserts, changes or deletes blocks, whether for retention, a removal or a deleted history.
enum UsageTable {
    static let schema = """
        -- The bytes of each device's blocks in the history.
        CREATE TABLE position_bytes (device INTEGER PRIMARY KEY, bytes INTEGER NOT NULL);
        INSERT INTO position_bytes (device, bytes)
            SELECT device, sum(length(positions) + length(marks)) FROM history GROUP BY device;
        CREATE TRIGGER history_block_put AFTER INSERT ON history BEGIN
            INSERT INTO position_bytes (device, bytes) VALUES (new.device, length(new.positions) + length(new.marks))
                ON CONFLICT (device) DO UPDATE SET bytes = bytes + excluded.bytes;
        END;
        CREATE TRIGGER history_block_cut AFTER UPDATE OF positions, marks ON history BEGIN
            UPDATE position_bytes SET bytes = bytes + length(new.positions) + length(new.marks)
                - length(old.positions) - length(old.marks) WHERE device = new.device;
        END;
        CREATE TRIGGER history_block_gone AFTER DELETE ON history BEGIN
            UPDATE position_bytes SET bytes = bytes - length(old.positions) - length(old.marks)
                WHERE device = old.device;
            DELETE FROM position_bytes WHERE device = old.device AND bytes <= 0;
        END;

        """

    /// Returns the bytes stored, in one snapshot.
    static func usage(in database: Database) throws -> StoredUsage {
        var usage = StoredUsage()
        for row in try Row.fetchAll(database, sql: "SELECT device, bytes FROM position_bytes") {
            let (device, bytes): (Int32, Int64) = (row["device"], row["bytes"])
            usage.positionBytes[DeviceNumber(device)] = bytes
        }
        usage.documentBytes = try DocumentTables(in: database) { .zero }.storedBytes()
        usage.datasetBytes = try DatasetTable.bytes(in: database)
        let pages = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        let free = try Int64.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
        usage.storeBytes = (pages - free) * (try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 0)
        return usage
    }
}

extension SQLiteStore {
    package func usage() throws -> StoredUsage { try onReader { try UsageTable.usage(in: $0) } }
}
