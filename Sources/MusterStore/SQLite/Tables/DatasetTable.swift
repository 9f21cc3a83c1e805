package import GRDB
package import MusterCore
import MusterDocuments

/// The rows of datasets and of their records.
///
/// Keys and values are stored as bytes: SQLite's text would end at a zero byte.
package enum DatasetTable {
    package static let schema = """
        CREATE TABLE datasets (
            owner INTEGER NOT NULL, name TEXT NOT NULL, sync_count INTEGER NOT NULL, deleted_count INTEGER NOT NULL,
            is_there INTEGER NOT NULL, created_at INTEGER NOT NULL, modified_at INTEGER NOT NULL,
            modified_by TEXT NOT NULL, records INTEGER NOT NULL, removed INTEGER NOT NULL, bytes INTEGER NOT NULL,
            PRIMARY KEY (owner, name)) WITHOUT ROWID;
        -- value: NULL for a removed record.
        CREATE TABLE dataset_records (
            number INTEGER PRIMARY KEY, owner INTEGER NOT NULL, dataset TEXT NOT NULL, key BLOB NOT NULL, value BLOB,
            sync_count INTEGER NOT NULL, modified_at INTEGER NOT NULL, device_modified_at INTEGER NOT NULL,
            modified_by TEXT NOT NULL);
        CREATE UNIQUE INDEX dataset_records_by_key ON dataset_records (owner, dataset, key);
        CREATE INDEX dataset_records_by_count ON dataset_records (owner, dataset, sync_count, key);

        """

    private static let columns = """
        name, sync_count, deleted_count, is_there, created_at, modified_at, modified_by, records, removed, bytes
        """
    private static let recordColumns = "key, value, sync_count, modified_at, device_modified_at, modified_by"

    // MARK: Reading

    package static func dataset(_ name: String, of user: UserNumber, in database: Database) throws -> Dataset? {
        let statement = try RawStatement(
            "SELECT \(columns) FROM datasets WHERE owner = ? AND name = ?", in: database)
        bind(name, of: user, to: statement)
        defer { statement.reset() }
        return try statement.step() ? try dataset(statement, of: user) : nil
    }

    package static func datasets(of user: UserNumber, in database: Database) throws -> [Dataset] {
        let statement = try RawStatement(
            "SELECT \(columns) FROM datasets WHERE owner = ? AND is_there ORDER BY name", in: database)
        statement.bind(1, Int64(user.rawValue))
        defer { statement.reset() }
        var datasets: [Dataset] = []
        while try statement.step() { datasets.append(try dataset(statement, of: user)) }
        return datasets
    }

    /// Returns the totals of a user's datasets; nil if the user has none.
    package static func usage(of user: UserNumber, in database: Database) throws -> DatasetUsage? {
        let statement = try RawStatement(
            "SELECT count(*), sum(bytes), max(modified_at) FROM datasets WHERE owner = ? AND is_there", in: database)
        statement.bind(1, Int64(user.rawValue))
        defer { statement.reset() }
        guard try statement.step(), statement.integer(0) > 0 else { return nil }
        return DatasetUsage(
            datasets: Int(statement.integer(0)), bytes: Int(statement.integer(1)),
            modifiedAt: Instant(milliseconds: statement.integer(2)))
    }

    package static func count(of user: UserNumber, in database: Database) throws -> Int {
        let statement = try RawStatement(
            "SELECT count(*) FROM datasets WHERE owner = ? AND is_there", in: database)
        statement.bind(1, Int64(user.rawValue))
        defer { statement.reset() }
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    package static func bytes(of user: UserNumber, in database: Database) throws -> Int64 {
        let statement = try RawStatement("SELECT sum(bytes) FROM datasets WHERE owner = ?", in: database)
        statement.bind(1, Int64(user.rawValue))
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }

    /// Returns the bytes of the datasets of each user who has any.
    package static func bytes(in database: Database) throws -> [UserNumber: Int64] {
        let statement = try RawStatement(
            "SELECT owner, sum(bytes) FROM datasets WHERE bytes > 0 GROUP BY owner", in: database)
        defer { statement.reset() }
        var bytes: [UserNumber: Int64] = [:]
        while try statement.step() { bytes[UserNumber(Int32(clamping: statement.integer(0)))] = statement.integer(1) }
        return bytes
    }

    package static func record(
        _ key: String, in dataset: String, of user: UserNumber, _ database: Database
    ) throws -> DatasetRecord? {
        let statement = try RawStatement(
            "SELECT \(recordColumns) FROM dataset_records WHERE owner = ? AND dataset = ? AND key = ?", in: database)
        bind(dataset, of: user, to: statement)
        return try statement.binding(3, Array(key.utf8)[...]) {
            defer { statement.reset() }
            return try statement.step() ? try record(statement) : nil
        }
    }

    /// Returns the page that `DatasetStore.readDataset` returns.
    package static func page(
        _ name: String, of user: UserNumber, since count: Int64, after cursor: DatasetCursor?, limit: Int,
        in database: Database
    ) throws -> DatasetPage? {
        guard let dataset = try dataset(name, of: user, in: database) else { return nil }
        guard limit > 0 else { return DatasetPage(dataset: dataset, records: [], next: nil) }
        let statement = try RawStatement(
            """
            SELECT \(recordColumns) FROM dataset_records
            WHERE owner = ? AND dataset = ? AND (sync_count, key) > (?, ?) ORDER BY sync_count, key LIMIT ?
            """, in: database)
        bind(name, of: user, to: statement)
        // No key is empty, so that every key of the next count is above this.
        let first = DatasetCursor(syncCount: count == .max ? count : count + 1, key: "")
        let start = cursor.flatMap { $0.syncCount > count ? $0 : nil } ?? first
        statement.bind(3, start.syncCount)
        statement.bind(5, Int64(limit) + 1)
        let key = Array(start.key.utf8)
        var records = try statement.binding(4, key[...]) {
            defer { statement.reset() }
            var records: [DatasetRecord] = []
            while try statement.step() { records.append(try record(statement)) }
            return records
        }
        let hasMore = records.count > limit
        if hasMore { records.removeLast() }
        return DatasetPage(
            dataset: dataset, records: records, next: hasMore ? records.last.map { DatasetCursor($0) } : nil)
    }

    /// Returns the records of a dataset that have a value, in the order of their counts and then of their keys' bytes.
    package static func records(
        of dataset: String, of user: UserNumber, in database: Database
    ) throws -> [DatasetRecord] {
        let statement = try RawStatement(
            """
            SELECT \(recordColumns) FROM dataset_records
            WHERE owner = ? AND dataset = ? AND value IS NOT NULL ORDER BY sync_count, key
            """, in: database)
        bind(dataset, of: user, to: statement)
        defer { statement.reset() }
        var records: [DatasetRecord] = []
        while try statement.step() { records.append(try record(statement)) }
        return records
    }

    // MARK: Writing

    package static func put(_ decision: DatasetDecision, in database: Database) throws {
        let dataset = decision.dataset
        if decision.removesRecords {
            let statement = try RawStatement(
                "DELETE FROM dataset_records WHERE owner = ? AND dataset = ?", in: database)
            bind(dataset.name, of: dataset.owner, to: statement)
            try statement.run()
        }
        try put(dataset, in: database)
        for record in decision.records { try put(record, in: dataset, database) }
        if !dataset.exists { try forgetDeleted(of: dataset.owner, in: database) }
    }

    private static func put(_ dataset: Dataset, in database: Database) throws {
        let statement = try RawStatement(
            """
            INSERT INTO datasets (owner, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (owner, name) DO UPDATE SET sync_count = excluded.sync_count,
                deleted_count = excluded.deleted_count, is_there = excluded.is_there,
                created_at = excluded.created_at, modified_at = excluded.modified_at,
                modified_by = excluded.modified_by, records = excluded.records, removed = excluded.removed,
                bytes = excluded.bytes
            """, in: database)
        bind(dataset.name, of: dataset.owner, to: statement)
        statement.bind(3, dataset.syncCount)
        statement.bind(4, dataset.deletedCount)
        statement.bind(5, Int64(dataset.exists ? 1 : 0))
        statement.bind(6, dataset.createdAt.milliseconds)
        statement.bind(7, dataset.modifiedAt.milliseconds)
        statement.bind(8, dataset.modifiedBy)
        statement.bind(9, Int64(dataset.recordCount))
        statement.bind(10, Int64(dataset.removedCount))
        statement.bind(11, Int64(dataset.bytes))
        try statement.run()
    }

    private static func put(_ record: DatasetRecord, in dataset: Dataset, _ database: Database) throws {
        let statement = try RawStatement(
            """
            INSERT INTO dataset_records (owner, dataset, \(recordColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (owner, dataset, key) DO UPDATE SET value = excluded.value, sync_count = excluded.sync_count,
                modified_at = excluded.modified_at, device_modified_at = excluded.device_modified_at,
                modified_by = excluded.modified_by
            """, in: database)
        bind(dataset.name, of: dataset.owner, to: statement)
        statement.bind(5, record.syncCount)
        statement.bind(6, record.modifiedAt.milliseconds)
        statement.bind(7, record.deviceModifiedAt.milliseconds)
        statement.bind(8, record.modifiedBy)
        try statement.binding(3, Array(record.key.utf8)[...]) {
            guard let value = record.value else {
                statement.bind(4, nil as Int64?)
                return try statement.run()
            }
            try statement.binding(4, Array(value.utf8)[...]) { try statement.run() }
        }
    }

    /// Removes the tombstones of a user's deleted datasets beyond the newest `DatasetLimits.deletedDatasets`.
    private static func forgetDeleted(of user: UserNumber, in database: Database) throws {
        let statement = try RawStatement(
            """
            DELETE FROM datasets WHERE owner = ?1 AND NOT is_there AND name NOT IN (
                SELECT name FROM datasets WHERE owner = ?1 AND NOT is_there ORDER BY modified_at DESC, name LIMIT ?2)
            """, in: database)
        statement.bind(1, Int64(user.rawValue))
        statement.bind(2, Int64(DatasetLimits.deletedDatasets))
        try statement.run()
    }

    /// Removes all datasets of a user. Readers see none of their records any more; `removeRecords` erases them.
    package static func remove(of user: UserNumber, in database: Database) throws {
        let statement = try RawStatement("DELETE FROM datasets WHERE owner = ?", in: database)
        statement.bind(1, Int64(user.rawValue))
        try statement.run()
    }

    /// Erases at most `limit` records of a removed user.
    ///
    /// - Returns: the number of records erased.
    package static func removeRecords(of user: UserNumber, limit: Int, in database: Database) throws -> Int {
        let statement = try RawStatement(
            """
            DELETE FROM dataset_records
            WHERE number IN (SELECT number FROM dataset_records WHERE owner = ? LIMIT ?)
            """, in: database)
        statement.bind(1, Int64(user.rawValue))
        statement.bind(2, Int64(limit))
        try statement.run()
        return database.changesCount
    }

    // MARK: Rows

    private static func bind(_ name: String, of user: UserNumber, to statement: RawStatement) {
        statement.bind(1, Int64(user.rawValue))
        statement.bind(2, name)
    }

    private static func dataset(_ row: RawStatement, of user: UserNumber) throws -> Dataset {
        guard let name = row.text(0), let author = row.text(6) else { throw CodecError.malformed(offset: 0) }
        var dataset = Dataset(owner: user, name: name, at: Instant(milliseconds: row.integer(4)))
        dataset.syncCount = row.integer(1)
        dataset.deletedCount = row.integer(2)
        dataset.exists = row.integer(3) != 0
        dataset.modifiedAt = Instant(milliseconds: row.integer(5))
        dataset.modifiedBy = author
        dataset.recordCount = Int(clamping: row.integer(7))
        dataset.removedCount = Int(clamping: row.integer(8))
        dataset.bytes = Int(clamping: row.integer(9))
        return dataset
    }

    private static func record(_ row: RawStatement) throws -> DatasetRecord {
        guard let key = row.withBlob(0, { String(validating: $0, as: UTF8.self) }), let author = row.text(5) else {
            throw CodecError.malformed(offset: 0)
        }
        var value: String?
        if !row.isNull(1) {
            guard let text = row.withBlob(1, { String(validating: $0, as: UTF8.self) }) else {
                throw CodecError.malformed(offset: 0)
            }
            value = text
        }
        return DatasetRecord(
            key: key, value: value, syncCount: row.integer(2), modifiedAt: Instant(milliseconds: row.integer(3)),
            deviceModifiedAt: Instant(milliseconds: row.integer(4)), modifiedBy: author)
    }
}

extension SQLiteTransaction {
    func dataset(_ name: String, of user: UserNumber) throws -> Dataset? {
        try run { try DatasetTable.dataset(name, of: user, in: database) }
    }

    func datasets(of user: UserNumber) throws -> [Dataset] {
        try run { try DatasetTable.datasets(of: user, in: database) }
    }

    func records(of dataset: String, of user: UserNumber) throws -> [DatasetRecord] {
        try run { try DatasetTable.records(of: dataset, of: user, in: database) }
    }

    func datasetCount(of user: UserNumber) throws -> Int {
        try run { try DatasetTable.count(of: user, in: database) }
    }

    func datasetBytes(of user: UserNumber) throws -> Int64 {
        try run { try DatasetTable.bytes(of: user, in: database) }
    }

    func record(_ key: String, in dataset: String, of user: UserNumber) throws -> DatasetRecord? {
        try run { try DatasetTable.record(key, in: dataset, of: user, database) }
    }

    func put(_ decision: DatasetDecision) throws { try run { try DatasetTable.put(decision, in: database) } }
}

extension SQLiteStore {
    package func datasets(of user: UserNumber) throws -> [Dataset] {
        try onReader { try DatasetTable.datasets(of: user, in: $0) }
    }

    package func datasetUsage(of users: [UserNumber]) throws -> [UserNumber: DatasetUsage] {
        try onReader { database in
            var usage: [UserNumber: DatasetUsage] = [:]
            for user in users { usage[user] = try DatasetTable.usage(of: user, in: database) }
            return usage
        }
    }

    package func readDataset(
        _ name: String, of user: UserNumber, since count: Int64, after cursor: DatasetCursor?, limit: Int
    ) throws -> DatasetPage? {
        try onReader {
            try DatasetTable.page(name, of: user, since: count, after: cursor, limit: limit, in: $0)
        }
    }
}
