import GRDB
import MusterCore

/// The location databases of all users as one.
///
/// An id may be in many of them. What it is here is made of the documents of those `ownerLimit` users who touched it
/// last, so that neither a write nor a look costs more the more users have it.
extension DocumentTables {
    /// How many users' documents of one id are merged into one.
    package static let ownerLimit = 32

    /// What makes a row a location, as the indexes have it: it is a user's, and no design document.
    static let isLocation = isLocation(in: "documents")

    private static func isLocation(in table: String) -> String {
        "\(table).database < 0 AND substr(\(table).id, 1, 8) <> '_design/'"
    }

    /// What makes a row one that the union shows: a location whose database was not removed.
    func isSeen(in table: String = "documents") throws -> String {
        let isThere = "\(table).database NOT IN (SELECT number FROM removed_databases)"
        return Self.isLocation(in: table) + (try removed().isEmpty ? "" : " AND " + isThere)
    }

    /// Whether another row that the union shows has a row's id, and a sequence that compares so to the row's.
    func hasOther(_ comparison: String) throws -> String {
        """
        EXISTS (
            SELECT 1 FROM documents AS other
            WHERE \(try isSeen(in: "other")) AND other.id = documents.id
                AND other.sequence \(comparison) documents.sequence)
        """
    }

    // MARK: Looks

    /// The rows that have an id, of those users who touched it last; newest first.
    func members(_ id: String) throws -> [Row] {
        if let recentMembers, recentMembers.id.hasSameBytes(as: id) { return recentMembers.rows }
        let statement = try statement(
            """
            SELECT \(Self.columns) FROM documents WHERE \(try isSeen()) AND id = ? ORDER BY sequence DESC LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(1, id)
        statement.bind(2, Int64(Self.ownerLimit))
        var rows: [Row] = []
        while try statement.step() { rows.append(try row(in: statement)) }
        recentMembers = (id, rows)
        return rows
    }

    /// The document that users' documents of an id make.
    func location(_ id: String, withBody: Bool = true) throws -> StoredDocument? {
        let rows = try members(id)
        guard let newest = rows.first else { return nil }
        let tree = Self.tree(of: rows)
        var body: DocumentBody?
        if withBody, let winner = tree.winner?.revision { body = try self.body(of: winner, in: rows) }
        return StoredDocument(id: id, database: newest.database, sequence: newest.sequence, tree: tree, body: body)
    }

    /// The location documents that were touched after `since`, or up to it from the newest: each once, at its highest
    /// number.
    func locationChanges(
        since: Sequence, isDescending: Bool, withBodies: Bool, limit: Int
    ) throws -> [StoredDocument] {
        let statement = try statement(
            """
            SELECT \(Self.columns), \(try hasOther("<")) FROM documents
            WHERE \(try isSeen()) AND sequence \(isDescending ? "<=" : ">") ? AND NOT \(try hasOther(">"))
            ORDER BY sequence \(isDescending ? "DESC" : "ASC")
            """)
        defer { statement.reset() }
        statement.bind(1, since.rawValue)
        var documents: [StoredDocument] = []
        while documents.count < limit, try statement.step() {
            if let document = try location(in: statement, withBody: withBodies) { documents.append(document) }
        }
        return documents
    }

    /// The living location documents of a range.
    func locations(_ range: DocumentRange) throws -> [StoredDocument] {
        var documents: [StoredDocument] = []
        var rest: DocumentRange? = range
        // Behind an id that many have it goes on anew, and does not walk over each of them.
        while let range = rest { rest = try takeLocations(range, into: &documents) }
        return documents
    }

    /// Takes the living documents of a range, up to the first that more than one user has.
    ///
    /// - Returns: what of the range is left; nil when all is done.
    private func takeLocations(
        _ range: DocumentRange, into documents: inout [StoredDocument]
    ) throws -> DocumentRange? {
        let direction = range.isDescending ? "DESC" : "ASC"
        let statement = try statement(
            """
            SELECT \(Self.columns), \(try hasOther("<>")) FROM documents
            WHERE \(try isSeen()) AND \(range.condition(from: 1))
            ORDER BY id \(direction), sequence \(direction)
            """)
        defer { statement.reset() }
        range.bind(to: statement, from: 1)
        while documents.count < range.limit, try statement.step() {
            if let document = try location(in: statement, withBody: range.withBodies),
                document.tree.winner?.isDeleted == false
            {
                documents.append(document)
            }
            guard statement.integer(Self.sharedColumn) != 0 else { continue }
            var rest = range
            rest.advance(past: statement.text(7) ?? "")
            return rest
        }
        return nil
    }

    /// Where a statement of the union says whether more than one user has the id, behind `columns`.
    private static let sharedColumn: Int32 = 9

    /// The document whose row, or one of whose rows, a statement of the union is at.
    private func location(in statement: RawStatement, withBody: Bool) throws -> StoredDocument? {
        let id = statement.text(7) ?? ""
        if statement.integer(Self.sharedColumn) != 0 { return try location(id, withBody: withBody) }
        let row = try row(in: statement)
        return document(id, row, body: withBody ? body(of: row, in: statement) : nil)
    }

    /// What the newest of these that knows says in a revision.
    func body(of revision: Revision, in rows: [Row]) throws -> DocumentBody? {
        for row in rows { if let body = try body(of: revision, in: row) { return body } }
        return nil
    }

    private static func tree(of rows: [Row]) -> RevisionTree {
        guard let first = rows.first else { return RevisionTree() }
        return rows.dropFirst().reduce(into: first.tree) { $0.merge($1.tree) }
    }

    // MARK: Counts

    /// Rows of other users that have an id, as many as may count; nil where the document is no location.
    ///
    /// Those of databases that are being erased are among them: they count until they are gone.
    func others(of id: String, in database: DatabaseNumber, besides number: Int64?) throws -> [Row]? {
        guard database.user != nil, !id.utf8.starts(with: "_design/".utf8) else { return nil }
        let statement = try statement(
            """
            SELECT \(Self.columns) FROM documents WHERE \(Self.isLocation) AND id = ? AND number <> ?
            ORDER BY sequence DESC LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(1, id)
        statement.bind(2, number ?? 0)
        statement.bind(3, Int64(Self.ownerLimit))
        var rows: [Row] = []
        while try statement.step() { rows.append(try row(in: statement)) }
        return rows
    }

    /// What an id is in the union, of which this is one user's row and these are others'; nil for nothing.
    func share(of row: Row?, beside others: [Row]?) throws -> Share? {
        guard let others else { return nil }
        guard let row else { return try share(of: others) }
        return try others.isEmpty ? Share(of: row) : share(of: others + [row])
    }

    /// What the rows of an id are in the union; nil for none.
    func share(of rows: [Row]) throws -> Share? {
        let rows = rows.sorted { $0.sequence > $1.sequence }.prefix(Self.ownerLimit)
        guard let newest = rows.first, let winner = Self.tree(of: Array(rows)).winner else { return nil }
        let bytes = try rows.lazy.compactMap { try length(of: winner.revision, in: $0) }.first ?? 0
        return Share(
            counts: DocumentCounts(
                living: winner.isDeleted ? 0 : 1, deleted: winner.isDeleted ? 1 : 0, bytes: bytes),
            sequence: newest.sequence)
    }

    /// How many bytes a row's document says in a revision, with its attachments; nil where that is not known.
    private func length(of revision: Revision, in row: Row) throws -> Int64? {
        if row.winner?.revision == revision { return row.jsonLength == 0 ? nil : row.counts.bytes }
        guard row.tree.node(revision) != nil else { return nil }
        let statement = try statement(
            "SELECT length(json), attachments FROM bodies WHERE document = ? AND revision = ?")
        defer { statement.reset() }
        statement.bind(1, row.number)
        return try statement.binding(2, revision.key[...]) {
            guard try statement.step() else { return nil }
            return statement.integer(0) + (try attachments(in: statement, 1)).reduce(0) { $0 + $1.length }
        }
    }
}
