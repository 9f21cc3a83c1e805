import GRDB
package import MusterCore

/// The bodies of revisions that are not the winner: conflicting leaves, and revisions that were edited since the last
/// `compact`.
extension DocumentTables {
    /// Returns the body of a revision of a document; nil if it is not stored.
    func body(of revision: Revision, in row: Row) throws -> DocumentBody? {
        if row.winner?.revision == revision {
            let statement = try statement("SELECT body FROM documents WHERE number = ?")
            defer { statement.reset() }
            statement.bind(1, row.number)
            guard try statement.step(), !statement.isNull(0) else { return nil }
            return DocumentBody(json: statement.withBlob(0) { [UInt8]($0) }, attachments: row.attachments)
        }
        let statement = try statement("SELECT json, attachments FROM bodies WHERE document = ? AND revision = ?")
        defer { statement.reset() }
        statement.bind(1, row.number)
        return try statement.binding(2, revision.key[...]) {
            guard try statement.step() else { return nil }
            return DocumentBody(
                json: statement.withBlob(0) { [UInt8]($0) }, attachments: try attachments(in: statement, 1))
        }
    }

    /// Stores the body of a revision that is not the winner.
    func storeBody(
        _ body: DocumentBody, of revision: Revision, isLeaf: Bool, _ document: Int64, _ database: DatabaseNumber
    )
        throws
    {
        let statement = try statement(
            """
            INSERT INTO bodies (document, database, is_leaf, revision, json, attachments) VALUES (?, ?, ?, ?, ?, ?)
            """)
        statement.bind(1, document)
        statement.bind(2, Int64(database.rawValue))
        statement.bind(3, isLeaf ? 1 : 0 as Int64)
        try statement.binding(4, revision.key[...]) {
            try statement.binding(5, body.json[...]) {
                try bindAttachments(body.attachments, to: statement, 6) { try statement.run() }
            }
        }
        countKept(body.storedBytes, in: database)
    }

    /// Stores the winner's body among the other bodies, because another revision is about to become the winner.
    func keepWinner(of row: Row, _ revision: Revision, isLeaf: Bool) throws {
        let statement = try statement(
            """
            INSERT INTO bodies (document, database, is_leaf, revision, json, attachments)
            SELECT number, database, ?, ?, body, attachments FROM documents WHERE number = ? AND body IS NOT NULL
            """)
        statement.bind(1, isLeaf ? 1 : 0 as Int64)
        statement.bind(3, row.number)
        try statement.binding(2, revision.key[...]) { try statement.run() }
        if database.changesCount > 0 { countKept(row.counts.bytes, in: row.database) }
    }

    /// Removes the body of a revision that becomes the winner, and returns it. Its attachments stay in use.
    func removeBody(_ revision: Revision, of row: Row) throws -> DocumentBody? {
        guard let body = try body(of: revision, in: row) else { return nil }
        try delete(revision, of: row.number)
        countKept(-body.storedBytes, in: row.database)
        return body
    }

    /// Deletes the bodies of revisions that left the tree, except the winner's.
    func forget(_ gone: [Revision], of row: Row) throws {
        for revision in gone where revision != row.winner?.revision {
            guard let body = try body(of: revision, in: row) else { continue }
            try delete(revision, of: row.number)
            countKept(-body.storedBytes, in: row.database)
            try release(body.attachments)
        }
    }

    /// Marks a revision as edited, so that the next `compact` deletes its body.
    func noteEdited(_ revision: Revision, of row: Row) throws {
        let statement = try statement("UPDATE bodies SET is_leaf = 0 WHERE document = ? AND revision = ?")
        statement.bind(1, row.number)
        try statement.binding(2, revision.key[...]) { try statement.run() }
    }

    private func delete(_ revision: Revision, of document: Int64) throws {
        let statement = try statement("DELETE FROM bodies WHERE document = ? AND revision = ?")
        statement.bind(1, document)
        try statement.binding(2, revision.key[...]) { try statement.run() }
    }

    package func compact(_ number: DatabaseNumber, limit: Int) throws -> Bool {
        try change {
            try forgetBodies(
                where: "database = \(number.rawValue) AND is_leaf = 0", limit: max(1, limit)) == max(1, limit)
        }
    }

    /// Deletes at most `limit` bodies that meet a condition in SQL.
    ///
    /// - Returns: how many bodies it deleted.
    @discardableResult
    func forgetBodies(where condition: String, limit: Int) throws -> Int {
        recent = nil
        let bodies = try GRDB.Row.fetchAll(
            database,
            sql: "SELECT number, database, length(json) AS length, attachments FROM bodies WHERE \(condition) LIMIT ?",
            arguments: [limit])
        for body in bodies {
            let attachments = try Blob.fromDatabaseValue(body["attachments"]).map { try $0.attachments() } ?? []
            try release(attachments)
            let (owner, length): (Int32, Int64) = (body["database"], body["length"])
            countKept(-(length + attachments.reduce(0) { $0 + $1.length }), in: DatabaseNumber(owner))
            let number: Int64 = body["number"]
            try database.cachedStatement(sql: "DELETE FROM bodies WHERE number = ?").execute(arguments: [number])
        }
        return bodies.count
    }

    /// Binds the encoded attachments, or NULL for none, and runs `body` meanwhile.
    func bindAttachments(
        _ attachments: [Attachment], to statement: RawStatement, _ index: Int32, _ body: () throws -> Void
    ) throws {
        guard !attachments.isEmpty else { return try body() }
        var writer = ByteWriter()
        writer.put(attachments)
        try statement.binding(index, writer.bytes[...], body)
    }
}

extension DocumentBody {
    /// The bytes of the JSON and of the attachments.
    package var storedBytes: Int64 { Int64(json.count) + attachments.reduce(0) { $0 + $1.length } }
}

extension Blob {
    /// Decodes a list of attachments.
    ///
    /// - Throws: `CodecError`.
    func attachments() throws -> [Attachment] {
        try bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            return try reader.attachments()
        }
    }
}
