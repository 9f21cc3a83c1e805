import Foundation
import GRDB
import MusterCore

/// The datasets in a device's file, within one transaction. With a key, values are encrypted; names, keys, counts and
/// times stay readable, as those of documents do.
struct LocalDatasets {
    private let database: Database
    private let seal: BodySeal?

    init(_ database: Database, _ seal: BodySeal?) {
        self.database = database
        self.seal = seal
    }

    /// The step of the file's schema that makes the tables.
    static let tables = """
        CREATE TABLE datasets (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, sync_count INTEGER NOT NULL, is_deleted INTEGER NOT NULL,
            -- The number of the last edit on this device.
            edits INTEGER NOT NULL);
        CREATE UNIQUE INDEX datasets_by_name ON datasets (name);
        -- key: UTF-8. value: NULL for a removed record. edit: 0 for a record as the server has it, otherwise the edit
        -- that made it.
        CREATE TABLE dataset_records (
            number INTEGER PRIMARY KEY, dataset INTEGER NOT NULL, key BLOB NOT NULL, value BLOB,
            sync_count INTEGER NOT NULL, modified_at INTEGER NOT NULL, edit INTEGER NOT NULL);
        CREATE UNIQUE INDEX dataset_records_by_key ON dataset_records (dataset, key);

        """

    // MARK: Reading

    /// The names of the datasets that hold something or were synchronized, without deleted ones.
    func names() throws -> [String] {
        try String.fetchAll(
            database,
            sql: """
                SELECT name FROM datasets WHERE is_deleted = 0
                    AND (sync_count > 0 OR EXISTS (SELECT 1 FROM dataset_records WHERE dataset = datasets.number))
                ORDER BY name
                """)
    }

    /// Returns a dataset with all records; an empty one if the device has none of this name.
    func dataset(_ name: String) throws -> LocalDataset {
        guard let row = try row(of: name) else { return LocalDataset() }
        var dataset = LocalDataset()
        dataset.syncCount = row["sync_count"]
        dataset.isDeleted = row["is_deleted"]
        dataset.edits = row["edits"]
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT key, value, sync_count, modified_at, edit FROM dataset_records WHERE dataset = ? ORDER BY key
                """, arguments: [row["number"] as Int64])
        while let row = try rows.next() {
            let record = try record(row, of: name)
            dataset.records[ExactText(record.key)] = record
        }
        return dataset
    }

    /// Returns a record, also a removed one; nil if there is none.
    func record(_ key: String, of name: String) throws -> LocalRecord? {
        let row = try Row.fetchOne(
            database,
            sql: """
                SELECT key, value, dataset_records.sync_count AS sync_count, modified_at, edit
                FROM dataset_records JOIN datasets ON dataset = datasets.number WHERE name = ? AND key = ?
                """, arguments: [name, Data(key.utf8)])
        return try row.map { try record($0, of: name) }
    }

    /// Returns the count up to which the device knows a dataset; 0 for an unknown one.
    func syncCount(of name: String) throws -> Int64 { try row(of: name)?["sync_count"] ?? 0 }

    private func row(of name: String) throws -> Row? {
        try Row.fetchOne(
            database, sql: "SELECT number, sync_count, is_deleted, edits FROM datasets WHERE name = ?",
            arguments: [name])
    }

    private func record(_ row: Row, of name: String) throws -> LocalRecord {
        let key = String(decoding: row["key"] as Data, as: UTF8.self)
        let stored: [UInt8]? = (row["value"] as DatabaseValue).isNull ? nil : [UInt8](row["value"] as Data)
        let value = try stored.map { bytes in
            let plain = try seal?.opened(bytes, of: Self.sealRevision, of: Self.place(key, name)) ?? bytes
            return String(decoding: plain, as: UTF8.self)
        }
        return LocalRecord(
            key: key, value: value, syncCount: row["sync_count"],
            modifiedAt: Instant(milliseconds: row["modified_at"]), edit: row["edit"])
    }

    // MARK: Editing

    /// Sets the value of a record on this device, or removes it where the value is nil. An equal value changes nothing,
    /// and neither does removing a record that is not there.
    ///
    /// - Returns: whether something changed.
    func edit(_ key: String, of name: String, to value: String?, at moment: Instant) throws -> Bool {
        let before = try record(key, of: name)
        guard before?.value.map(ExactText.init) != value.map(ExactText.init) else { return false }
        let edit = try nextEdit(of: name)
        try store(
            LocalRecord(
                key: key, value: value, syncCount: before?.syncCount ?? 0, modifiedAt: moment, edit: edit), of: name)
        return true
    }

    /// Deletes a dataset on this device. The server's is deleted with the next synchronization.
    func delete(_ name: String) throws {
        _ = try nextEdit(of: name)
        try removeRecords(of: name)
        try database.execute(
            sql: "UPDATE datasets SET sync_count = 0, is_deleted = 1 WHERE name = ?", arguments: [name])
    }

    /// Returns the number of a new edit.
    func nextEdit(of name: String) throws -> Int64 {
        try insert(name)
        try database.execute(sql: "UPDATE datasets SET edits = edits + 1 WHERE name = ?", arguments: [name])
        return try Int64.fetchOne(database, sql: "SELECT edits FROM datasets WHERE name = ?", arguments: [name]) ?? 0
    }

    private func insert(_ name: String) throws {
        try database.execute(
            sql: "INSERT OR IGNORE INTO datasets (name, sync_count, is_deleted, edits) VALUES (?, 0, 0, 0)",
            arguments: [name])
    }

    // MARK: Synchronizing

    /// Runs a part of the transaction; where it throws, nothing of the part is stored.
    func allOrNothing(_ body: () throws -> Void) throws {
        try database.inSavepoint {
            try body()
            return .commit
        }
    }

    func store(_ record: LocalRecord, of name: String) throws {
        try insert(name)
        let bytes = try record.value.map { value in
            let plain = Array(value.utf8)
            return Data(try seal?.sealed(plain, of: Self.sealRevision, of: Self.place(record.key, name)) ?? plain)
        }
        try database.execute(
            sql: """
                INSERT INTO dataset_records (dataset, key, value, sync_count, modified_at, edit)
                    SELECT number, ?, ?, ?, ?, ? FROM datasets WHERE name = ?
                ON CONFLICT (dataset, key) DO UPDATE SET value = excluded.value, sync_count = excluded.sync_count,
                    modified_at = excluded.modified_at, edit = excluded.edit
                """,
            arguments: [
                Data(record.key.utf8), bytes, record.syncCount, record.modifiedAt.milliseconds, record.edit, name,
            ])
    }

    /// Sets the count up to which the device knows the dataset.
    func setSyncCount(_ count: Int64, of name: String) throws {
        try insert(name)
        try database.execute(sql: "UPDATE datasets SET sync_count = ? WHERE name = ?", arguments: [count, name])
    }

    /// Records that the server has deleted the dataset that this device deleted.
    func endDeletion(of name: String) throws {
        try database.execute(sql: "UPDATE datasets SET is_deleted = 0 WHERE name = ?", arguments: [name])
    }

    /// Forgets all records and the count.
    func purge(_ name: String) throws {
        try removeRecords(of: name)
        try setSyncCount(0, of: name)
    }

    /// Makes a dataset new: each record that has a value counts as one that the server does not have.
    func makeUnsynchronized(_ name: String) throws {
        let edit = try nextEdit(of: name)
        let dataset = "(SELECT number FROM datasets WHERE name = ?)"
        try database.execute(
            sql: "DELETE FROM dataset_records WHERE value IS NULL AND dataset = \(dataset)", arguments: [name])
        try database.execute(
            sql: "UPDATE dataset_records SET sync_count = 0, edit = ? WHERE dataset = \(dataset)",
            arguments: [edit, name])
        try setSyncCount(0, of: name)
    }

    /// Makes all datasets new, because the device now belongs to another account. Deletions that were not sent are
    /// dropped: they must not reach the other account.
    func makeAllUnsynchronized() throws {
        // A dataset that was deleted and used again since has records of its own.
        try database.execute(
            sql: """
                DELETE FROM dataset_records
                    WHERE value IS NULL AND dataset IN (SELECT number FROM datasets WHERE is_deleted = 1);
                DELETE FROM datasets
                    WHERE is_deleted = 1 AND number NOT IN (SELECT dataset FROM dataset_records);
                UPDATE datasets SET is_deleted = 0;
                """)
        for name in try String.fetchAll(database, sql: "SELECT name FROM datasets") { try makeUnsynchronized(name) }
    }

    private func removeRecords(of name: String) throws {
        try database.execute(
            sql: "DELETE FROM dataset_records WHERE dataset = (SELECT number FROM datasets WHERE name = ?)",
            arguments: [name])
    }

    // MARK: Sealing

    /// The name that the seal of a value is bound to, beside its revision. A dataset's name has no slash.
    private static func place(_ key: String, _ name: String) -> String { "dataset-\(name)/\(key)" }
    /// The revision that values are sealed under, because they have none.
    private static let sealRevision = Revision(generation: 1, hash: .digest(0, 2))
}

/// A dataset as the device has it.
struct LocalDataset: Sendable {
    /// The count up to which the device knows the server's dataset; 0 before the first synchronization.
    var syncCount: Int64 = 0
    /// Whether the device deleted the dataset and has not told the server yet.
    var isDeleted = false
    /// The number of the last edit on this device.
    var edits: Int64 = 0
    /// Removed records included.
    var records: [ExactText: LocalRecord] = [:]
}

/// A record as the device has it.
struct LocalRecord: Hashable, Sendable {
    var key: String
    /// Nil for a removed record.
    var value: String?
    /// The count of the record as the device knows it from the server; 0 for one that the server does not have.
    var syncCount: Int64
    /// When the value was set, by the clock of the device that set it.
    var modifiedAt: Instant
    /// The edit on this device that made it; 0 for a record as the server has it.
    var edit: Int64

    /// Whether the server does not have it yet.
    var isDirty: Bool { edit > 0 }
}
