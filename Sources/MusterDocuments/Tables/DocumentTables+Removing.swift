import GRDB
package import MusterCore

/// Removes databases and indexes. Readers see none of the content once the transaction that removes it is committed.
/// `eraseRemoved` then erases the content in slices, so that no writer waits while a million documents are deleted. A
/// crash between slices only delays the rest.
extension DocumentTables {
    /// A database with at most this many documents, or an index with at most this many entries, is erased in the
    /// transaction that removes it.
    package static let erasedAtOnce = 500

    package func remove(_ number: DatabaseNumber) throws {
        try change {
            recent = nil
            try execute("INSERT INTO removed_databases (number) VALUES (?) ON CONFLICT DO NOTHING", number)
            try execute("DELETE FROM databases WHERE number = ?", number)
            // `fillIndexes` must not fill an index of a removed database.
            try execute("UPDATE document_indexes SET filled = NULL WHERE database = ?", number)
            indexesByDatabase[number] = nil
            knownRemoved = nil
            hasRemoved = true
            try erase(number, limit: Self.erasedAtOnce)
        }
    }

    /// Erases a slice of the databases and indexes that were removed.
    ///
    /// - Parameter limit: about how many documents a call erases.
    /// - Returns: whether there is more to erase.
    /// - Throws: `DatabaseError` if SQLite fails. The transaction can then not be committed.
    package func eraseRemoved(limit: Int) throws -> Bool {
        try change {
            if let number = try removed().min() {
                try erase(number, limit: max(1, limit))
                return try !removed().isEmpty || removedIndex() != nil
            }
            guard let index = try removedIndex() else { return false }
            // Erasing an entry costs a fraction of erasing a document.
            return try eraseEntries(of: index, limit: max(1, limit) * Self.entriesPerDocument) || removedIndex() != nil
        }
    }

    /// Erasing this many index entries costs about as much as erasing one document.
    private static let entriesPerDocument = 4

    /// Returns an index that is removed and still has entries; nil if there is none.
    private func removedIndex() throws -> Int64? {
        // The query steps from number to number, because there are few indexes with many entries each.
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

    /// Deletes at most `limit` entries of an index.
    ///
    /// - Returns: whether the index may have more.
    func eraseEntries(of index: Int64, limit: Int) throws -> Bool {
        try database.cachedStatement(
            sql: """
                DELETE FROM index_entries WHERE index_number = ?1 AND (key, id) IN (
                    SELECT key, id FROM index_entries WHERE index_number = ?1 LIMIT ?2)
                """
        ).execute(arguments: [index, limit])
        return database.changesCount >= limit
    }

    /// Returns the removed databases that are not erased yet.
    func removed() throws -> Set<DatabaseNumber> {
        if let knownRemoved { return knownRemoved }
        let numbers = try Int32.fetchAll(database.cachedStatement(sql: "SELECT number FROM removed_databases"))
        let removed = Set(numbers.map { DatabaseNumber($0) })
        knownRemoved = removed
        return removed
    }

    /// Whether a database is removed, even if the file still has its documents.
    func isRemoved(_ number: DatabaseNumber) throws -> Bool { try removed().contains(number) }

    /// Erases about `limit` documents of a removed database. With the last ones it erases its local documents, indexes
    /// and counts.
    private func erase(_ number: DatabaseNumber, limit: Int) throws {
        let ids = try String.fetchAll(
            database.cachedStatement(sql: "SELECT id FROM documents WHERE database = ? LIMIT ?"),
            arguments: [number.rawValue, limit])
        // Documents are removed one by one, because each changes the counts and reserves its id in the union.
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
