import GRDB
package import MusterCore

/// Writes and removes documents, in the caller's transaction.
extension DocumentTables {
    package func put(_ document: StoredDocument, bodies: [Revision: DocumentBody], gone: [Revision]) throws {
        try change {
            let before = try row(of: document.id, in: document.database)
            var after = Row(
                number: before?.number ?? 0, database: document.database, sequence: document.sequence,
                tree: document.tree, jsonLength: 0, attachments: [], isQualified: before?.isQualified ?? false)
            guard let winner = after.winner?.revision else {
                return try remove(document: document.id, from: document.database)
            }
            recent = nil
            if let before {
                try replace(before, by: &after, winner, bodies: bodies, gone: gone)
            } else {
                after.isQualified = try standsQualified(document.id, in: document.database)
                try insert(&after, id: document.id, winner, bodies: bodies)
            }
            count(document.id, before: before, after: after)
            try file(after, id: document.id, winner)
        }
    }

    package func remove(document id: String, from database: DatabaseNumber) throws {
        try change { try remove(id, from: database, keepsID: true) }
    }

    /// Removes a document.
    ///
    /// - Parameter keepsID: whether its union id stays reserved for its owner.
    private func remove(_ id: String, from database: DatabaseNumber, keepsID: Bool) throws {
        guard let before = try row(of: id, in: database) else { return }
        recent = nil
        while try forgetBodies(where: "document = \(before.number)", limit: 1_000) == 1_000 {}
        try release(before.attachments)
        try unfile(before)
        let statement = try statement("DELETE FROM documents WHERE number = ?")
        statement.bind(1, before.number)
        try statement.run()
        if keepsID { try keepID(id, of: before) }
        count(id, before: before, after: nil)
    }

    /// Removes the documents of all location databases that a change up to `sequence` touched last, at most `limit`,
    /// oldest first. It also forgets the reserved union ids up to that change, at most `limit`.
    ///
    /// - Returns: how many documents and reserved ids were removed.
    /// - Throws: `DatabaseError` if SQLite fails. The transaction can then not be committed.
    package func forgetLocations(through sequence: LogSequence, limit: Int) throws -> Int {
        let old = try GRDB.Row.fetchAll(
            database,
            sql: """
                SELECT database, id FROM documents WHERE \(Self.isLocation) AND sequence <= ?
                ORDER BY sequence LIMIT ?
                """,
            arguments: [sequence.rawValue, max(0, limit)])
        for row in old {
            let number: Int32 = row["database"]
            try change { try remove(row["id"], from: DatabaseNumber(number), keepsID: false) }
        }
        return try old.count + forgetKeptIDs(through: sequence, limit: limit)
    }

    private func insert(
        _ row: inout Row, id: String, _ winner: Revision, bodies: [Revision: DocumentBody]
    ) throws {
        let body = bodies[winner]
        let statement = try statement(
            .insert,
            """
            INSERT INTO documents (database, sequence, is_deleted, id, tree, body, attachments, is_qualified)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """)
        statement.bind(4, id)
        statement.bind(8, row.isQualified ? 1 : 0 as Int64)
        try write(&row, body, with: statement)
        row.number = database.lastInsertedRowID
        try use(row.attachments)
        try storeBodies(bodies, besides: winner, of: row)
    }

    /// Replaces the row of a stored document.
    private func replace(
        _ before: Row, by after: inout Row, _ winner: Revision, bodies: [Revision: DocumentBody], gone: [Revision]
    ) throws {
        guard let old = before.winner?.revision else { preconditionFailure("no tree is stored empty") }
        for leaf in before.tree.leaves(lostIn: after.tree) where leaf != old { try noteEdited(leaf, of: before) }
        try forget(gone, of: before)
        if winner == old, bodies[old] == nil {
            (after.jsonLength, after.attachments) = (before.jsonLength, before.attachments)
            try update(after)
        } else {
            if winner == old || gone.contains(old) {
                try release(before.attachments)
            } else {
                try keepWinner(of: before, old, isLeaf: after.tree.isLeaf(old))
            }
            let statement = try statement(
                """
                UPDATE documents SET database = ?1, sequence = ?2, is_deleted = ?3, tree = ?5, body = ?6,
                    attachments = ?7
                WHERE number = ?4
                """)
            statement.bind(4, after.number)
            if let body = bodies[winner] {
                try use(body.attachments)
                try write(&after, body, with: statement)
            } else {
                try write(&after, removeBody(winner, of: before), with: statement)
            }
        }
        try storeBodies(bodies, besides: winner, of: after)
    }

    /// Binds the parameters 1 to 3 and 5 to 7 to a row's columns, and runs the statement.
    private func write(_ row: inout Row, _ body: DocumentBody?, with statement: RawStatement) throws {
        statement.bind(1, Int64(row.database.rawValue))
        statement.bind(2, row.sequence.rawValue)
        statement.bind(3, row.isDeleted ? 1 : 0 as Int64)
        var tree = ByteWriter()
        tree.put(row.tree)
        try statement.binding(5, tree.bytes[...]) {
            guard let body else { return try statement.run() }
            row.jsonLength = body.json.count
            row.attachments = body.attachments
            try statement.binding(6, body.json[...]) {
                try bindAttachments(body.attachments, to: statement, 7) { try statement.run() }
            }
        }
    }

    /// Writes a row whose winner and its body are unchanged.
    private func update(_ row: Row) throws {
        let statement = try statement("UPDATE documents SET sequence = ?, tree = ? WHERE number = ?")
        statement.bind(1, row.sequence.rawValue)
        statement.bind(3, row.number)
        var tree = ByteWriter()
        tree.put(row.tree)
        try statement.binding(2, tree.bytes[...]) { try statement.run() }
    }

    /// Stores the bodies of new revisions, except the winner's.
    private func storeBodies(_ bodies: [Revision: DocumentBody], besides winner: Revision, of row: Row) throws {
        guard bodies.count > 1 || bodies[winner] == nil else { return }
        let offspring = RevisionTree.Offspring(of: row.tree)
        for (revision, body) in bodies where revision != winner {
            try storeBody(body, of: revision, isLeaf: offspring.isLeaf(revision), row.number, row.database)
            try use(body.attachments)
        }
    }
}
