import GRDB
package import MusterCore

extension DocumentTables {
    package func nextDatabaseNumber() throws -> DatabaseNumber {
        try change {
            guard let number = Int32(exactly: try nextNumber(of: "database")) else {
                throw DatabaseError(resultCode: .SQLITE_FULL, message: "no number is left for a database")
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
                revisionLimit: row["revision_limit"], security: row["security"], purges: row["purges"])
        }
    }

    package func put(_ stored: StoredDatabase) throws {
        try change {
            try database.cachedStatement(
                sql: """
                    INSERT INTO databases (number, name, created_at, revision_limit, security, purges)
                    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (number) DO UPDATE SET name = excluded.name,
                        created_at = excluded.created_at, revision_limit = excluded.revision_limit,
                        security = excluded.security, purges = excluded.purges
                    """
            ).execute(arguments: [
                stored.number.rawValue, stored.name, stored.createdAt.milliseconds, stored.revisionLimit,
                stored.security, stored.purges,
            ])
        }
    }

    package func remove(_ number: DatabaseNumber) throws {
        try change {
            recent = nil
            for index in try indexes(in: number) { try removeIndex(index.number) }
            if number.user != nil {
                // One by one: what the union has depends on whether someone else has the same.
                let ids = try String.fetchAll(
                    database, sql: "SELECT id FROM documents WHERE database = ?", arguments: [number.rawValue])
                for id in ids { try remove(document: id, from: number) }
            } else {
                try removeAll(from: number)
            }
            for (table, key) in [
                ("local_documents", "database"), ("document_counts", "database"), ("document_blocks", "database"),
                ("databases", "number"),
            ] {
                try database.cachedStatement(sql: "DELETE FROM \(table) WHERE \(key) = ?")
                    .execute(arguments: [number.rawValue])
            }
            countChanges[number.rawValue] = nil
            blockChanges = blockChanges.filter { $0.key.database != number.rawValue }
        }
    }

    private func removeAll(from number: DatabaseNumber) throws {
        while try forgetBodies(where: "database = \(number.rawValue)", limit: 1_000) == 1_000 {}
        let statement = try statement(
            "SELECT attachments FROM documents WHERE database = ? AND attachments IS NOT NULL")
        statement.bind(1, Int64(number.rawValue))
        while try statement.step() { try release(attachments(in: statement, 0)) }
        try database.cachedStatement(sql: "DELETE FROM documents WHERE database = ?")
            .execute(arguments: [number.rawValue])
    }

    package func local(_ id: String, in number: DatabaseNumber) throws -> LocalDocument? {
        let statement = try statement("SELECT revision, json FROM local_documents WHERE database = ? AND id = ?")
        defer { statement.reset() }
        statement.bind(1, Int64(number.rawValue))
        statement.bind(2, id)
        guard try statement.step() else { return nil }
        return LocalDocument(id: id, revision: statement.integer(0), json: statement.withBlob(1) { [UInt8]($0) })
    }

    package func locals(in number: DatabaseNumber, after id: String?, limit: Int) throws -> [LocalDocument] {
        let statement = try statement(
            """
            SELECT revision, json, id FROM local_documents WHERE database = ? AND id > ? ORDER BY id LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(1, Int64(number.rawValue))
        statement.bind(2, id ?? "")
        statement.bind(3, Int64(max(0, limit)))
        var locals: [LocalDocument] = []
        while try statement.step() {
            locals.append(
                LocalDocument(
                    id: statement.text(2) ?? "", revision: statement.integer(0),
                    json: statement.withBlob(1) { [UInt8]($0) }))
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
