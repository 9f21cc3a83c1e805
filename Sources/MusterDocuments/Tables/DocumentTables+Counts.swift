import GRDB
package import MusterCore

/// Counts of documents. The transaction that writes documents updates them, because counting a million rows for each
/// request takes too long.
extension DocumentTables {
    /// The union of all locations is counted under this database number.
    private static let union: Int32 = 0

    package func counts(in scope: DatabaseScope) throws -> DocumentCounts {
        let number: Int32
        switch scope {
        case .database(let database):
            guard try !isRemoved(database) else { return DocumentCounts() }
            number = database.rawValue
        case .locations: number = Self.union
        }
        let statement = try statement(
            "SELECT living, deleted, bytes, kept_bytes FROM document_counts WHERE database = ?")
        defer { statement.reset() }
        statement.bind(1, Int64(number))
        var counts = countChanges[number] ?? DocumentCounts()
        if try statement.step() {
            counts += DocumentCounts(
                living: Int(statement.integer(0)), deleted: Int(statement.integer(1)), bytes: statement.integer(2),
                keptBytes: statement.integer(3))
        }
        return counts
    }

    package func count(idPrefix: String, in scope: DatabaseScope) throws -> Int {
        // No byte of UTF-8 is as high as FF.
        let isPrefixed = "id >= ?1 AND id < ?1 || CAST(x'FF' AS TEXT)"
        let sql: String
        switch scope {
        case .database(let database):
            guard try !isRemoved(database) else { return 0 }
            sql = "SELECT count(*) FROM documents WHERE database = \(database.rawValue) AND \(isPrefixed)"
        case .locations:
            sql = "SELECT count(*) FROM documents WHERE \(try isSeen()) AND is_qualified = 0 AND \(isPrefixed)"
        }
        return try Int.fetchOne(database, sql: sql, arguments: [idPrefix]) ?? 0
    }

    package func counts(ofIDPrefix prefix: String, in number: DatabaseNumber) throws -> DocumentCounts {
        guard try !isRemoved(number) else { return DocumentCounts() }
        let row = try GRDB.Row.fetchOne(
            database,
            sql: """
                SELECT count(*) - total(is_deleted), total(is_deleted), total(length(body)) FROM documents
                WHERE database = ?2 AND id >= ?1 AND id < ?1 || CAST(x'FF' AS TEXT)
                """, arguments: [prefix, number.rawValue])
        guard let row else { return DocumentCounts() }
        let (living, deleted, bytes): (Double, Double, Double) = (row[0], row[1], row[2])
        return DocumentCounts(living: Int(living), deleted: Int(deleted), bytes: Int64(bytes))
    }

    package func pendingChanges(in scope: DatabaseScope, since: LogSequence) throws -> Int {
        let number: Int32
        let sql: String
        switch scope {
        case .database(let database):
            guard try !isRemoved(database) else { return 0 }
            number = database.rawValue
            sql = "SELECT count(*) FROM documents WHERE database = \(number) AND sequence > ? AND sequence < ?"
        case .locations:
            number = Self.union
            sql = "SELECT count(*) FROM documents WHERE \(try isSeen()) AND sequence > ? AND sequence < ?"
        }
        // The table has the sums of whole blocks. Only the block of `since` is counted row by row.
        let block = Block(number, of: since).block
        let end = (block + 1) << Block.bits
        let within =
            try Int.fetchOne(
                database.cachedStatement(sql: sql), arguments: [since.rawValue, end]) ?? 0
        let behind =
            try Int.fetchOne(
                database.cachedStatement(
                    sql: "SELECT coalesce(sum(count), 0) FROM document_blocks WHERE database = ? AND block > ?"),
                arguments: [number, block]) ?? 0
        let unstored = blockChanges.reduce(0) { total, change in
            change.key.database == number && change.key.block > block ? total + change.value : total
        }
        return within + behind + unstored
    }

    /// Updates the counts for a document's row that was inserted (`before` is nil), replaced or deleted (`after` is
    /// nil).
    func count(_ id: String, before: Row?, after: Row?) {
        guard let database = (before ?? after)?.database else { return }
        count(in: database.rawValue, from: before, to: after)
        if Self.isLocation(id, in: database) { count(in: Self.union, from: before, to: after) }
    }

    /// Counts the documents of the union in a file that has no counts of it yet. The documents of databases that are
    /// being erased count until they are deleted.
    package func countUnion() throws {
        let statement = try statement("SELECT \(Self.columns) FROM documents WHERE \(Self.isLocation)")
        defer { statement.reset() }
        while try statement.step() { count(in: Self.union, from: nil, to: try row(in: statement)) }
    }

    /// Returns the bytes stored in each database that is not removed: of all kept revisions and their attachments.
    package func storedBytes() throws -> [DatabaseNumber: Int64] {
        var stored: [DatabaseNumber: Int64] = [:]
        let rows = try GRDB.Row.fetchCursor(
            database,
            sql: """
                SELECT database, bytes + kept_bytes AS bytes FROM document_counts
                WHERE database <> \(Self.union) AND database NOT IN (SELECT number FROM removed_databases)
                """)
        while let row = try rows.next() {
            let number: Int32 = row["database"]
            stored[DatabaseNumber(number)] = row["bytes"]
        }
        return stored
    }

    /// Counts the bodies of revisions that are not the winner, in a file that has no counts of them yet.
    package func countKeptBytes() throws {
        let bodies = try GRDB.Row.fetchCursor(
            database, sql: "SELECT database, length(json) AS length, attachments FROM bodies")
        while let body = try bodies.next() {
            let number: Int32 = body["database"]
            let length: Int64 = body["length"]
            let attachments = try Blob.fromDatabaseValue(body["attachments"]).map { try $0.attachments() } ?? []
            countKept(length + attachments.reduce(0) { $0 + $1.length }, in: DatabaseNumber(number))
        }
    }

    /// Adds bytes of revisions that are not the winner to the counts of a database; negative for fewer.
    func countKept(_ bytes: Int64, in database: DatabaseNumber) {
        countChanges[database.rawValue, default: DocumentCounts()].keptBytes += bytes
    }

    private func count(in database: Int32, from before: Row?, to after: Row?) {
        let change = (after?.counts ?? DocumentCounts()) - (before?.counts ?? DocumentCounts())
        countChanges[database, default: DocumentCounts()] += change
        if let before { blockChanges[Block(database, of: before.sequence), default: 0] -= 1 }
        if let after { blockChanges[Block(database, of: after.sequence), default: 0] += 1 }
    }

    func storeCountChanges() throws {
        guard !countChanges.isEmpty else { return }
        let counts = try statement(
            """
            INSERT INTO document_counts (database, living, deleted, bytes, kept_bytes) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (database) DO UPDATE SET living = living + excluded.living,
                deleted = deleted + excluded.deleted, bytes = bytes + excluded.bytes,
                kept_bytes = kept_bytes + excluded.kept_bytes
            """)
        for (database, change) in countChanges where change != DocumentCounts() {
            counts.bind(1, Int64(database))
            counts.bind(2, Int64(change.living))
            counts.bind(3, Int64(change.deleted))
            counts.bind(4, change.bytes)
            counts.bind(5, change.keptBytes)
            try counts.run()
        }
        countChanges = [:]
        let blocks = try statement(
            """
            INSERT INTO document_blocks (database, block, count) VALUES (?, ?, ?)
            ON CONFLICT (database, block) DO UPDATE SET count = count + excluded.count
            """)
        let emptied = try statement("DELETE FROM document_blocks WHERE database = ? AND block = ? AND count = 0")
        for (block, change) in blockChanges where change != 0 {
            blocks.bind(1, Int64(block.database))
            blocks.bind(2, block.block)
            blocks.bind(3, Int64(change))
            try blocks.run()
            guard change < 0 else { continue }
            emptied.bind(1, Int64(block.database))
            emptied.bind(2, block.block)
            try emptied.run()
        }
        blockChanges = [:]
    }

    /// Those of 1,024 successive changes that touched documents of one database.
    struct Block: Hashable {
        /// The low bits of a sequence, which differ within a block.
        static let bits: Int64 = 10

        var database: Int32
        var block: Int64

        init(_ database: Int32, of sequence: LogSequence) {
            self.database = database
            block = sequence.rawValue >> Self.bits
        }
    }
}

extension DocumentCounts {
    static func += (left: inout Self, right: Self) {
        left.living += right.living
        left.deleted += right.deleted
        left.bytes += right.bytes
        left.keptBytes += right.keptBytes
    }

    static func - (left: Self, right: Self) -> Self {
        Self(
            living: left.living - right.living, deleted: left.deleted - right.deleted, bytes: left.bytes - right.bytes,
            keptBytes: left.keptBytes - right.keptBytes)
    }
}
