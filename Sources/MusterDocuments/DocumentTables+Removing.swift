import GRDB
package import MusterCore

/// Databases and indexes that were removed. Readers leave one out from the removing transaction on; what was in it is
/// erased a slice at a time, so that nobody waits while a million documents go. A crash in between changes nothing but
/// when.
extension DocumentTables {
    /// How many documents a database may have, or entries an index, to be erased in the transaction that removes it.
    package static let erasedAtOnce = 500

    package func remove(_ number: DatabaseNumber) throws {
        try change {
            recent = nil
            try execute("INSERT INTO removed_databases (number) VALUES (?) ON CONFLICT DO NOTHING", number)
            try execute("DELETE FROM databases WHERE number = ?", number)
            // Nobody fills an index of what is gone.
            try execute("UPDATE document_indexes SET filled = NULL WHERE database = ?", number)
            indexesByDatabase[number] = nil
            knownRemoved = nil
            hasRemoved = true
            try erase(number, limit: Self.erasedAtOnce)
        }
    }

    package func eraseRemoved(limit: Int) throws -> Bool {
        try change {
            if let number = try removed().min() {
                try erase(number, limit: max(1, limit))
                return try !removed().isEmpty || removedIndex() != nil
            }
            guard let index = try removedIndex() else { return false }
            // An entry is a fraction of a document.
            return try eraseEntries(of: index, limit: max(1, limit) * Self.entriesPerDocument) || removedIndex() != nil
        }
    }

    /// How many entries of an index are as much work as a document.
    private static let entriesPerDocument = 4

    /// An index that is gone but for its entries, which nobody can ask for any more.
    private func removedIndex() throws -> Int64? {
        // From number to number: there are few, each with many entries.
        try Int64.fetchOne(
            database.cachedStatement(
                sql: """
                    WITH RECURSIVE numbers (number) AS (
                        SELECT min(index_number) FROM index_entries
                        UNION ALL SELECT (SELECT min(index_number) FROM index_entries WHERE index_number > number)
                        FROM numbers WHERE number IS NOT NULL)
                    SELECT number FROM numbers
                    WHERE number IS NOT NULL AND number NOT IN (SELECT number FROM document_indexes) LIMIT 1
                    """))
    }

    /// Erases entries of an index.
    ///
    /// - Returns: whether it may have more.
    func eraseEntries(of index: Int64, limit: Int) throws -> Bool {
        try database.cachedStatement(
            sql: """
                DELETE FROM index_entries WHERE index_number = ?1 AND (key, id) IN (
                    SELECT key, id FROM index_entries WHERE index_number = ?1 LIMIT ?2)
                """
        ).execute(arguments: [index, limit])
        return database.changesCount >= limit
    }

    /// Databases that are gone and wait to be erased.
    func removed() throws -> Set<DatabaseNumber> {
        if let knownRemoved { return knownRemoved }
        let numbers = try Int32.fetchAll(database.cachedStatement(sql: "SELECT number FROM removed_databases"))
        let removed = Set(numbers.map { DatabaseNumber($0) })
        knownRemoved = removed
        return removed
    }

    /// Whether a database is gone, though perhaps not yet from the file.
    func isRemoved(_ number: DatabaseNumber) throws -> Bool { try removed().contains(number) }

    /// Erases about `limit` documents of a database, and at the end what is known of it.
    private func erase(_ number: DatabaseNumber, limit: Int) throws {
        let ids = try String.fetchAll(
            database.cachedStatement(sql: "SELECT id FROM documents WHERE database = ? LIMIT ?"),
            arguments: [number.rawValue, limit])
        // One by one: each is counted, and its id in the union is kept.
        for id in ids { try remove(document: id, from: number) }
        guard ids.count < limit else { return }
        try database.cachedStatement(
            sql: """
                DELETE FROM local_documents WHERE number IN (
                    SELECT number FROM local_documents WHERE database = ?1 LIMIT ?2)
                """
        ).execute(arguments: [number.rawValue, limit - ids.count])
        guard database.changesCount < limit - ids.count else { return }
        for table in ["document_indexes", "document_counts", "document_blocks"] {
            try execute("DELETE FROM \(table) WHERE database = ?", number)
        }
        try execute("DELETE FROM removed_databases WHERE number = ?", number)
        indexesByDatabase[number] = nil
        knownRemoved?.remove(number)
        countChanges[number.rawValue] = nil
        blockChanges = blockChanges.filter { $0.key.database != number.rawValue }
    }

    private func execute(_ sql: String, _ number: DatabaseNumber) throws {
        try database.cachedStatement(sql: sql).execute(arguments: [number.rawValue])
    }
}
