import GRDB
package import MusterCore

/// Reads documents, bodies and changes.
extension DocumentTables {
    /// The columns that `row(in:)`, `body(of:in:)` and `documents(from:)` read, in this order.
    static let columns =
        "number, database, sequence, tree, is_deleted, length(body), attachments, id, body, is_qualified"

    package func document(_ id: String, in scope: DatabaseScope) throws -> StoredDocument? {
        guard case .database(let database) = scope else { return try location(id) }
        guard try !isRemoved(database) else { return nil }
        if let recent, recent.row == nil, recent.isOf(id, in: database) { return nil }
        return try lookUp(id, in: database) { row, statement in
            document(id, row, body: body(of: row, in: statement))
        }
    }

    package func missing(_ wanted: [WantedRevisions], in scope: DatabaseScope) throws -> [MissingRevisions] {
        guard case .database(let database) = scope else {
            return try wanted.map { MissingRevisions($0, in: try location($0.id, withBody: false)?.tree) }
        }
        guard try !isRemoved(database) else { return wanted.map { MissingRevisions($0, in: nil) } }
        let statement = try statement(.tree, "SELECT tree FROM documents WHERE database = ? AND id = ?")
        defer { statement.reset() }
        statement.bind(1, Int64(database.rawValue))
        return try wanted.map { wanted in
            statement.reset()
            statement.bind(2, wanted.id)
            guard try statement.step() else { return MissingRevisions(wanted, in: nil) }
            return MissingRevisions(wanted, in: try tree(in: statement, 0))
        }
    }

    package func body(of revision: Revision, of id: String, in scope: DatabaseScope) throws -> DocumentBody? {
        guard case .database(let database) = scope else {
            return try locationRow(id).flatMap { try body(of: revision, in: $0) }
        }
        guard try !isRemoved(database), let row = try row(of: id, in: database) else { return nil }
        return try body(of: revision, in: row)
    }

    package func changes(
        in scope: DatabaseScope, since: LogSequence, isDescending: Bool, withBodies: Bool, limit: Int
    ) throws -> [StoredDocument] {
        guard case .database(let database) = scope else {
            return try locationChanges(since: since, isDescending: isDescending, withBodies: withBodies, limit: limit)
        }
        guard try !isRemoved(database) else { return [] }
        let statement = try statement(
            """
            SELECT \(Self.columns) FROM documents
            WHERE database = ? AND sequence \(isDescending ? "<=" : ">") ?
            ORDER BY sequence \(isDescending ? "DESC" : "ASC") LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(1, Int64(database.rawValue))
        statement.bind(2, since.rawValue)
        statement.bind(3, Int64(max(0, limit)))
        return try documents(from: statement, withBodies: withBodies)
    }

    package func documents(in scope: DatabaseScope, _ range: DocumentRange) throws -> [StoredDocument] {
        guard case .database(let database) = scope else { return try locations(range) }
        guard try !isRemoved(database) else { return [] }
        let statement = try statement(
            """
            SELECT \(Self.columns) FROM documents WHERE database = ?1 AND is_deleted = 0 AND \(range.condition(from: 3))
            ORDER BY id \(range.isDescending ? "DESC" : "ASC") LIMIT ?2
            """)
        defer { statement.reset() }
        statement.bind(1, Int64(database.rawValue))
        statement.bind(2, Int64(max(0, range.limit)))
        range.bind(to: statement, from: 3)
        return try documents(from: statement, withBodies: range.withBodies)
    }

    /// Returns the row of a document; nil if there is none.
    func row(of id: String, in database: DatabaseNumber) throws -> Row? {
        if let recent, recent.isOf(id, in: database) { return recent.row }
        return try lookUp(id, in: database) { row, _ in row }
    }

    private func lookUp<Found>(
        _ id: String, in database: DatabaseNumber, _ body: (Row, RawStatement) throws -> Found
    ) throws -> Found? {
        let statement = try statement(
            .document, "SELECT \(Self.columns) FROM documents WHERE database = ? AND id = ?")
        defer { statement.reset() }
        statement.bind(1, Int64(database.rawValue))
        statement.bind(2, id)
        guard try statement.step() else {
            recent = Recent(database: database, id: id, row: nil)
            return nil
        }
        let row = try row(in: statement)
        recent = Recent(database: database, id: id, row: row)
        return try body(row, statement)
    }

    private func documents(from statement: RawStatement, withBodies: Bool) throws -> [StoredDocument] {
        var documents: [StoredDocument] = []
        while try statement.step() {
            let row = try row(in: statement)
            let body = withBodies ? body(of: row, in: statement) : nil
            documents.append(document(statement.text(7) ?? "", row, body: body))
        }
        return documents
    }

    /// Reads the current row of a statement with `columns`.
    func row(in statement: RawStatement) throws -> Row {
        Row(
            number: statement.integer(0), database: DatabaseNumber(Int32(truncatingIfNeeded: statement.integer(1))),
            sequence: LogSequence(statement.integer(2)),
            tree: try tree(in: statement, 3),
            jsonLength: Int(statement.integer(5)),
            attachments: try attachments(in: statement, 6),
            isQualified: statement.integer(9) != 0)
    }

    /// Reads the winner's body from the current row of a statement with `columns`; nil if the body never arrived.
    func body(of row: Row, in statement: RawStatement) -> DocumentBody? {
        guard !statement.isNull(8) else { return nil }
        return DocumentBody(json: statement.withBlob(8) { [UInt8]($0) }, attachments: row.attachments)
    }

    private func tree(in statement: RawStatement, _ column: Int32) throws -> RevisionTree {
        try statement.withBlob(column) { bytes in
            var reader = ByteReader(bytes)
            return try reader.revisionTree()
        }
    }

    func attachments(in statement: RawStatement, _ column: Int32) throws -> [Attachment] {
        guard !statement.isNull(column) else { return [] }
        return try statement.withBlob(column) { bytes in
            var reader = ByteReader(bytes)
            return try reader.attachments()
        }
    }

    func document(_ id: String, _ row: Row, body: DocumentBody?) -> StoredDocument {
        StoredDocument(id: id, database: row.database, sequence: row.sequence, tree: row.tree, body: body)
    }
}

extension DocumentRange {
    /// The range as a condition in SQL, which takes two parameters from `index` on.
    func condition(from index: Int) -> String {
        let isAbove = lower == nil ? "?\(index) IS NULL" : "id \(includesLower ? ">=" : ">") ?\(index)"
        let isBelow = upper == nil ? "?\(index + 1) IS NULL" : "id \(includesUpper ? "<=" : "<") ?\(index + 1)"
        return isAbove + " AND " + isBelow
    }

    func bind(to statement: RawStatement, from index: Int32) {
        statement.bind(index, lower)
        statement.bind(index + 1, upper)
    }
}
