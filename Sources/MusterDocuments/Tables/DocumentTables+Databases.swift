import GRDB
package import MusterCore

/// The tables of databases and of local documents.
extension DocumentTables {
    package func nextDatabaseNumber() throws -> DatabaseNumber {
        try change {
            guard let number = Int32(exactly: try nextNumber(of: "database")) else {
                throw DatabaseError(resultCode: .SQLITE_FULL, message: "all numbers for databases are used")
            }
            return DatabaseNumber(number)
        }
    }

    package func databases() throws -> [StoredDatabase] {
        try GRDB.Row.fetchAll(database, sql: "SELECT * FROM databases ORDER BY number").map { row in
            let number: Int32 = row["number"]
            let createdAt: Int64 = row["created_at"]
            return StoredDatabase(
                number: DatabaseNumber(number), name: row["name"], createdAt: Instant(milliseconds: createdAt),
                revisionLimit: row["revision_limit"], security: row["security"], purges: row["purges"],
                isPartitioned: row["is_partitioned"])
        }
    }

    package func put(_ stored: StoredDatabase) throws {
        try change {
            try database.cachedStatement(
                sql: """
                    INSERT INTO databases (number, name, created_at, revision_limit, security, purges,
                        is_partitioned)
                    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number) DO UPDATE SET name = excluded.name,
                        created_at = excluded.created_at, revision_limit = excluded.revision_limit,
                        security = excluded.security, purges = excluded.purges
                    """
            ).execute(arguments: [
                stored.number.rawValue, stored.name, stored.createdAt.milliseconds, stored.revisionLimit,
                stored.security, stored.purges, stored.isPartitioned,
            ])
        }
    }

    package func local(_ id: String, in number: DatabaseNumber) throws -> LocalDocument? {
        guard try !isRemoved(number) else { return nil }
        let statement = try statement("SELECT revision, json FROM local_documents WHERE database = ? AND id = ?")
        defer { statement.reset() }
        statement.bind(1, Int64(number.rawValue))
        statement.bind(2, id)
        guard try statement.step() else { return nil }
        return LocalDocument(id: id, revision: statement.integer(0), json: statement.withBlob(1) { [UInt8]($0) })
    }

    package func locals(in number: DatabaseNumber, _ range: DocumentRange) throws -> [LocalDocument] {
        guard try !isRemoved(number) else { return [] }
        let upper = range.upper.map { _ in range.includesUpper ? "AND id <= ?3" : "AND id < ?3" } ?? ""
        let statement = try statement(
            """
            SELECT revision, \(range.withBodies ? "json" : "NULL"), id FROM local_documents
            WHERE database = ?1 AND id \(range.includesLower ? ">=" : ">") ?2 \(upper)
            ORDER BY id \(range.isDescending ? "DESC" : "ASC") LIMIT ?4
            """)
        defer { statement.reset() }
        statement.bind(1, Int64(number.rawValue))
        statement.bind(2, range.lower ?? "")
        if let upper = range.upper { statement.bind(3, upper) }
        statement.bind(4, Int64(max(0, range.limit)))
        var locals: [LocalDocument] = []
        while try statement.step() {
            let json = range.withBodies ? statement.withBlob(1) { [UInt8]($0) } : []
            locals.append(LocalDocument(id: statement.text(2) ?? "", revision: statement.integer(0), json: json))
        }
        return locals
    }

    package func put(_ local: LocalDocument, in number: DatabaseNumber) throws {
        try change {
            let statement = try statement(
                """
                INSERT INTO local_documents (database, id, revision, json) VALUES (?, ?, ?, ?)
                ON CONFLICT (database, id) DO UPDATE SET revision = excluded.revision, json = excluded.json
                """)
            statement.bind(1, Int64(number.rawValue))
            statement.bind(2, local.id)
            statement.bind(3, local.revision)
            try statement.binding(4, local.json[...]) { try statement.run() }
        }
    }

    package func removeLocal(_ id: String, from number: DatabaseNumber) throws {
        try change {
            try database.cachedStatement(sql: "DELETE FROM local_documents WHERE database = ? AND id = ?")
                .execute(arguments: [number.rawValue, id])
        }
    }
}
