import GRDB
package import MusterCore

/// How many documents there are: kept beside them, for nobody counts a million rows to say so.
extension DocumentTables {
    /// The database number that the union of all locations is counted under.
    private static let union: Int32 = 0

    package func counts(in scope: DatabaseScope) throws -> DocumentCounts {
        let number: Int32
        switch scope {
        case .database(let database): number = database.rawValue
        case .locations: number = Self.union
        }
        let statement = try statement("SELECT living, deleted, bytes FROM document_counts WHERE database = ?")
        defer { statement.reset() }
        statement.bind(1, Int64(number))
        var counts = countChanges[number] ?? DocumentCounts()
        if try statement.step() {
            counts += DocumentCounts(
                living: Int(statement.integer(0)), deleted: Int(statement.integer(1)), bytes: statement.integer(2))
        }
        return counts
    }

    package func count(idPrefix: String, in scope: DatabaseScope) throws -> Int {
        // No byte of UTF-8 is as high as FF.
        let isPrefixed = "id >= ?1 AND id < ?1 || CAST(x'FF' AS TEXT)"
        let sql: String
        switch scope {
        case .database(let database):
            sql = "SELECT count(*) FROM documents WHERE database = \(database.rawValue) AND \(isPrefixed)"
        case .locations: sql = "SELECT count(DISTINCT id) FROM documents WHERE database < 0 AND \(isPrefixed)"
        }
        return try Int.fetchOne(database, sql: sql, arguments: [idPrefix]) ?? 0
    }

    /// Notes that a document's row became another, or came, or went.
    ///
    /// - Parameter sharedBefore: what its id counted for in the union before, where other users have it too.
    func count(_ id: String, before: Row?, after: Row?, sharedBefore: DocumentCounts?) throws {
        guard let database = (before ?? after)?.database else { return }
        let change = (after?.counts ?? DocumentCounts()) - (before?.counts ?? DocumentCounts())
        countChanges[database.rawValue, default: DocumentCounts()] += change
        guard database.user != nil else { return }
        let unionChange = try sharedBefore.map { try unionCounts(of: id) - $0 } ?? change
        countChanges[Self.union, default: DocumentCounts()] += unionChange
    }

    func storeCountChanges() throws {
        let statement = try statement(
            """
            INSERT INTO document_counts (database, living, deleted, bytes) VALUES (?, ?, ?, ?)
            ON CONFLICT (database) DO UPDATE SET living = living + excluded.living,
                deleted = deleted + excluded.deleted, bytes = bytes + excluded.bytes
            """)
        for (database, change) in countChanges where change != DocumentCounts() {
            statement.bind(1, Int64(database))
            statement.bind(2, Int64(change.living))
            statement.bind(3, Int64(change.deleted))
            statement.bind(4, change.bytes)
            try statement.run()
        }
        countChanges = [:]
    }
}

extension DocumentCounts {
    static func += (left: inout Self, right: Self) {
        left.living += right.living
        left.deleted += right.deleted
        left.bytes += right.bytes
    }

    static func - (left: Self, right: Self) -> Self {
        Self(
            living: left.living - right.living, deleted: left.deleted - right.deleted, bytes: left.bytes - right.bytes)
    }
}
