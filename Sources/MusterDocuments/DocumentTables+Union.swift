import GRDB
import MusterCore

/// The location databases of all users as one.
extension DocumentTables {
    /// The rows that have an id, one a user that has it; newest last.
    func members(_ id: String) throws -> [Row] {
        let statement = try statement(
            "SELECT \(Self.columns) FROM documents WHERE database < 0 AND id = ? ORDER BY sequence")
        defer { statement.reset() }
        statement.bind(1, id)
        var rows: [Row] = []
        while try statement.step() { rows.append(try row(in: statement)) }
        return rows
    }

    /// The document that all users' documents of an id make.
    func location(_ id: String, withBody: Bool = true) throws -> StoredDocument? {
        try union(of: members(id), id: id, withBody: withBody)
    }

    /// The location documents that were touched after `since`, or up to it from the newest.
    func locationChanges(
        since: Sequence, isDescending: Bool, withBodies: Bool, limit: Int
    ) throws -> [StoredDocument] {
        let statement = try statement(
            """
            SELECT \(Self.columns) FROM documents WHERE database < 0 AND sequence \(isDescending ? "<=" : ">") ?
            ORDER BY sequence \(isDescending ? "DESC" : "ASC")
            """)
        defer { statement.reset() }
        statement.bind(1, since.rawValue)
        var documents: [StoredDocument] = []
        while documents.count < limit, try statement.step() {
            let row = try row(in: statement)
            let id = statement.text(7) ?? ""
            let (count, newest) = try crowd(id)
            // Each once, at its highest number.
            guard newest == row.sequence.rawValue else { continue }
            if count > 1 {
                if let document = try location(id, withBody: withBodies) { documents.append(document) }
            } else {
                let body = withBodies ? body(of: row, in: statement) : nil
                documents.append(
                    StoredDocument(id: id, database: row.database, sequence: row.sequence, tree: row.tree, body: body))
            }
        }
        return documents
    }

    /// The living location documents of a range.
    func locations(_ range: DocumentRange) throws -> [StoredDocument] {
        let direction = range.isDescending ? "DESC" : "ASC"
        let statement = try statement(
            """
            SELECT \(Self.columns) FROM documents WHERE database < 0 AND \(range.condition(from: 1))
            ORDER BY id \(direction), sequence \(direction)
            """)
        defer { statement.reset() }
        range.bind(to: statement, from: 1)
        var documents: [StoredDocument] = []
        var last: String?
        while documents.count < range.limit, try statement.step() {
            let id = statement.text(7) ?? ""
            if let last, last.utf8.elementsEqual(id.utf8) { continue }
            last = id
            if try crowd(id).count > 1 {
                guard let document = try location(id, withBody: range.withBodies) else { continue }
                if document.tree.winner?.isDeleted == false { documents.append(document) }
                continue
            }
            let row = try row(in: statement)
            guard !row.isDeleted else { continue }
            let body = range.withBodies ? body(of: row, in: statement) : nil
            documents.append(
                StoredDocument(id: id, database: row.database, sequence: row.sequence, tree: row.tree, body: body))
        }
        return documents
    }

    /// How many users have an id, and the highest number of a change of theirs.
    private func crowd(_ id: String) throws -> (count: Int, newest: Int64) {
        let statement = try statement(
            "SELECT count(*), coalesce(max(sequence), 0) FROM documents WHERE database < 0 AND id = ?")
        defer { statement.reset() }
        statement.bind(1, id)
        guard try statement.step() else { return (0, 0) }
        return (Int(statement.integer(0)), statement.integer(1))
    }

    private func union(of rows: [Row], id: String, withBody: Bool) throws -> StoredDocument? {
        guard let newest = rows.last else { return nil }
        let tree = Self.tree(of: rows)
        var body: DocumentBody?
        if withBody, let winner = tree.winner?.revision { body = try self.body(of: winner, in: rows) }
        return StoredDocument(id: id, database: newest.database, sequence: newest.sequence, tree: tree, body: body)
    }

    private func body(of revision: Revision, in rows: [Row]) throws -> DocumentBody? {
        for row in rows { if let body = try body(of: revision, in: row) { return body } }
        return nil
    }

    private static func tree(of rows: [Row]) -> RevisionTree {
        guard let first = rows.first else { return RevisionTree() }
        return rows.dropFirst().reduce(into: first.tree) { $0.merge($1.tree) }
    }

    // MARK: Counts

    /// What an id is in the union when more users have it than the one whose row this is; nil when none does, or the
    /// database is no user's.
    func share(of id: String, in database: DatabaseNumber, besides number: Int64?) throws -> Share? {
        guard database.user != nil, try crowd(id).count > (number == nil ? 0 : 1) else { return nil }
        return try unionShare(of: id)
    }

    /// What an id is in the union; nil where nobody has it.
    func unionShare(of id: String) throws -> Share? {
        let rows = try members(id)
        guard let newest = rows.last, let winner = Self.tree(of: rows).winner else { return nil }
        let body = try body(of: winner.revision, in: rows)
        let bytes = Int64(body?.json.count ?? 0) + (body?.attachments ?? []).reduce(0) { $0 + $1.length }
        return Share(
            counts: DocumentCounts(
                living: winner.isDeleted ? 0 : 1, deleted: winner.isDeleted ? 1 : 0, bytes: bytes),
            sequence: newest.sequence)
    }
}
