package import GRDB
package import MusterCore
import MusterDocuments

/// The bytes of each device's positions in the history, of its signals, and of its ranges and notes. Triggers of the
/// database count them in the transaction that inserts, changes or deletes rows, whether for retention, a removal or a
/// deleted history.
package enum UsageTable {
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

    package static let signals = """
        -- The bytes of each device's signals.
        CREATE TABLE signal_bytes (device INTEGER PRIMARY KEY, bytes INTEGER NOT NULL);
        INSERT INTO signal_bytes (device, bytes)
            SELECT device, sum(length(id) + length(signal)) FROM signals GROUP BY device;
        CREATE TRIGGER signal_put AFTER INSERT ON signals BEGIN
            INSERT INTO signal_bytes (device, bytes) VALUES (new.device, length(new.id) + length(new.signal))
                ON CONFLICT (device) DO UPDATE SET bytes = bytes + excluded.bytes;
        END;
        CREATE TRIGGER signal_gone AFTER DELETE ON signals BEGIN
            UPDATE signal_bytes SET bytes = bytes - length(old.id) - length(old.signal) WHERE device = old.device;
            DELETE FROM signal_bytes WHERE device = old.device AND bytes <= 0;
        END;

        """

    /// Sightings are not counted: with a trigger for each, the server took a tenth fewer sightings a second. The limit
    /// of their rate and the retention bound their bytes.
    static let reports = """
        -- The bytes of each device's ranges and notes.
        CREATE TABLE report_bytes (device INTEGER PRIMARY KEY, bytes INTEGER NOT NULL);
        INSERT INTO report_bytes (device, bytes)
            SELECT device, sum(bytes) FROM (
                SELECT device, sum(40 + length(range)) AS bytes FROM ranges GROUP BY device
                UNION ALL SELECT device, sum(length(key) + length(CAST(body AS BLOB))) FROM notes GROUP BY device)
            GROUP BY device;
        CREATE TRIGGER range_put AFTER INSERT ON ranges BEGIN
            INSERT INTO report_bytes (device, bytes) VALUES (new.device, 40 + length(new.range))
                ON CONFLICT (device) DO UPDATE SET bytes = bytes + excluded.bytes;
        END;
        CREATE TRIGGER range_gone AFTER DELETE ON ranges BEGIN
            UPDATE report_bytes SET bytes = bytes - 40 - length(old.range) WHERE device = old.device;
            DELETE FROM report_bytes WHERE device = old.device AND bytes <= 0;
        END;
        CREATE TRIGGER note_put AFTER INSERT ON notes BEGIN
            INSERT INTO report_bytes (device, bytes)
                VALUES (new.device, length(new.key) + length(CAST(new.body AS BLOB)))
                ON CONFLICT (device) DO UPDATE SET bytes = bytes + excluded.bytes;
        END;
        CREATE TRIGGER note_changed AFTER UPDATE OF body ON notes BEGIN
            UPDATE report_bytes SET bytes = bytes + length(CAST(new.body AS BLOB)) - length(CAST(old.body AS BLOB))
                WHERE device = new.device;
        END;
        CREATE TRIGGER note_gone AFTER DELETE ON notes BEGIN
            UPDATE report_bytes SET bytes = bytes - length(old.key) - length(CAST(old.body AS BLOB))
                WHERE device = old.device;
            DELETE FROM report_bytes WHERE device = old.device AND bytes <= 0;
        END;

        """

    /// Returns the bytes of each device's signals.
    package static func signalBytes(in database: Database) throws -> [DeviceNumber: Int64] {
        try bytesByDevice(in: "signal_bytes", of: database)
    }

    private static func bytesByDevice(in table: String, of database: Database) throws -> [DeviceNumber: Int64] {
        let rows = try Row.fetchAll(database, sql: "SELECT device, bytes FROM \(table)")
        return Dictionary(uniqueKeysWithValues: try rows.map { (try $0.number("device"), try $0.value("bytes")) })
    }

    /// Returns the bytes stored, in one snapshot.
    static func usage(in database: Database) throws -> StoredUsage {
        var usage = StoredUsage()
        usage.positionBytes = try bytesByDevice(in: "position_bytes", of: database)
        usage.signalBytes = try signalBytes(in: database)
        usage.reportBytes = try bytesByDevice(in: "report_bytes", of: database)
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
