import Crypto
import GRDB
package import MusterCore

/// The union of the location databases of all users. It has all their documents except design documents.
///
/// A document has its own id in the union. If another user's document has that id there already, it gets a qualified id
/// (`QualifiedID`). The writer decides this when the document is made, and the id stays as long as the document exists,
/// because replicas of the union identify documents by their ids.
extension DocumentTables {
    /// The SQL condition of a location, the same as in the indexes: a user's document that is no design document.
    static let isLocation = "database < 0 AND substr(id, 1, 8) <> '_design/'"

    /// The SQL condition of a location that has its own id in the union.
    private static let isPlain = isLocation + " AND is_qualified = 0"

    static func isLocation(_ id: String, in database: DatabaseNumber) -> Bool {
        database.user != nil && !id.utf8.starts(with: "_design/".utf8)
    }

    /// Returns the SQL condition of the rows that the union shows: locations whose database was not removed.
    func isSeen() throws -> String {
        let isThere = "database NOT IN (SELECT number FROM removed_databases)"
        return Self.isLocation + (try removed().isEmpty ? "" : " AND " + isThere)
    }

    // MARK: Looks

    /// Returns the document that has an id in the union; nil if there is none.
    func location(_ id: String, withBody: Bool = true) throws -> StoredDocument? {
        try lookUpLocation(id) { row, statement in
            document(id, row, body: withBody ? body(of: row, in: statement) : nil)
        }
    }

    /// Returns the row of the document that has an id in the union; nil if there is none.
    func locationRow(_ id: String) throws -> Row? { try lookUpLocation(id) { row, _ in row } }

    private func lookUpLocation<Found>(_ id: String, _ body: (Row, RawStatement) throws -> Found) throws -> Found? {
        let qualified = QualifiedID(id)
        let isThere = qualified == nil ? "is_qualified = 0" : "is_qualified = 1 AND database = ?2"
        let statement = try statement(
            "SELECT \(Self.columns) FROM documents WHERE \(try isSeen()) AND id = ?1 AND \(isThere)")
        statement.bind(1, qualified?.id ?? id)
        if let qualified { statement.bind(2, Int64(qualified.database.rawValue)) }
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return try body(try row(in: statement), statement)
    }

    /// Returns location documents that a change after `since` touched last, ascending; or, if `isDescending`, those up
    /// to and including `since`, newest first.
    func locationChanges(
        since: LogSequence, isDescending: Bool, withBodies: Bool, limit: Int
    ) throws -> [StoredDocument] {
        let statement = try statement(
            """
            SELECT \(Self.columns) FROM documents
            WHERE \(try isSeen()) AND sequence \(isDescending ? "<=" : ">") ?
            ORDER BY sequence \(isDescending ? "DESC" : "ASC") LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(1, since.rawValue)
        statement.bind(2, Int64(max(0, limit)))
        return try locations(from: statement, withBodies: withBodies)
    }

    /// Returns the location documents in a range of the union's ids that are not deleted.
    func locations(_ range: DocumentRange) throws -> [StoredDocument] {
        let plain = try plainLocations(range)
        let qualified = try qualifiedLocations(range)
        guard !qualified.isEmpty else { return plain }
        let merged = (plain + qualified).sorted { left, right in
            range.isDescending
                ? right.id.utf8.lexicographicallyPrecedes(left.id.utf8)
                : left.id.utf8.lexicographicallyPrecedes(right.id.utf8)
        }
        return Array(merged.prefix(max(0, range.limit)))
    }

    private func plainLocations(_ range: DocumentRange) throws -> [StoredDocument] {
        let statement = try statement(
            """
            SELECT \(Self.columns) FROM documents
            WHERE \(try isSeen()) AND is_qualified = 0 AND is_deleted = 0 AND \(range.condition(from: 2))
            ORDER BY id \(range.isDescending ? "DESC" : "ASC") LIMIT ?1
            """)
        defer { statement.reset() }
        statement.bind(1, Int64(max(0, range.limit)))
        range.bind(to: statement, from: 2)
        return try locations(from: statement, withBodies: range.withBodies)
    }

    /// Reads qualified ids user by user: the ids of one user are adjacent, and users are ordered by their numbers.
    private func qualifiedLocations(_ range: DocumentRange) throws -> [StoredDocument] {
        let edge = range.isDescending ? range.upper : range.lower
        var last = edge.flatMap { QualifiedID.user(namedBy: $0) }.map { user in
            Int64(-user.rawValue) + (range.isDescending ? -1 : 1)
        }
        var found: [StoredDocument] = []
        while found.count < range.limit, let database = try nextQualified(after: last, isDescending: range.isDescending)
        {
            last = Int64(database.rawValue)
            guard try !isRemoved(database), var rest = range.ofQualified(in: database) else { continue }
            rest.limit = range.limit - found.count
            let statement = try statement(
                """
                SELECT \(Self.columns) FROM documents
                WHERE database = ?1 AND is_qualified = 1 AND is_deleted = 0 AND \(rest.condition(from: 3))
                ORDER BY id \(rest.isDescending ? "DESC" : "ASC") LIMIT ?2
                """)
            statement.bind(1, Int64(database.rawValue))
            statement.bind(2, Int64(rest.limit))
            rest.bind(to: statement, from: 3)
            found += try locations(from: statement, withBodies: rest.withBodies)
            statement.reset()
        }
        return found
    }

    /// Returns the next location database that has a document under a qualified id that is not deleted, in the order of
    /// the users' numbers; nil if there is none.
    private func nextQualified(after last: Int64?, isDescending: Bool) throws -> DatabaseNumber? {
        let statement = try statement(
            """
            SELECT \(isDescending ? "min" : "max")(database) FROM documents
            WHERE is_qualified = 1 AND is_deleted = 0 AND database \(isDescending ? ">" : "<") ?
            """)
        defer { statement.reset() }
        statement.bind(1, last ?? (isDescending ? Int64.min : 0))
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return DatabaseNumber(Int32(truncatingIfNeeded: statement.integer(0)))
    }

    private func locations(from statement: RawStatement, withBodies: Bool) throws -> [StoredDocument] {
        var documents: [StoredDocument] = []
        while try statement.step() {
            let id = statement.text(7) ?? ""
            let row = try row(in: statement)
            let name = row.isQualified ? QualifiedID(id, in: row.database).text : id
            documents.append(document(name, row, body: withBodies ? body(of: row, in: statement) : nil))
        }
        return documents
    }

    // MARK: Ids

    /// Whether a document that is made now gets a qualified id in the union.
    func standsQualified(_ id: String, in database: DatabaseNumber) throws -> Bool {
        guard Self.isLocation(id, in: database) else { return false }
        if QualifiedID(id) != nil { return true }
        let holder = try statement(.holder, "SELECT 1 FROM documents WHERE \(Self.isPlain) AND id = ?")
        defer { holder.reset() }
        holder.bind(1, id)
        if try holder.step() { return true }
        let keeper = try statement(.keeper, "SELECT database FROM union_ids WHERE digest = ?")
        defer { keeper.reset() }
        keeper.bind(1, Self.digest(of: id))
        return try keeper.step() && keeper.integer(0) != Int64(database.rawValue)
    }

    /// Reserves a union id for its owner, whose document is about to be removed. A replica may still have the document,
    /// and would mistake another user's new document of that id for it.
    func keepID(_ id: String, of row: Row) throws {
        guard Self.isLocation(id, in: row.database), !row.isQualified else { return }
        let statement = try statement(
            "INSERT OR REPLACE INTO union_ids (digest, database, sequence) VALUES (?, ?, ?)")
        statement.bind(1, Self.digest(of: id))
        statement.bind(2, Int64(row.database.rawValue))
        statement.bind(3, lastSequence.rawValue)
        try statement.run()
    }

    /// Deletes reserved union ids that were reserved up to a change, at most `limit`.
    ///
    /// - Returns: how many it deleted.
    func forgetKeptIDs(through sequence: LogSequence, limit: Int) throws -> Int {
        try database.cachedStatement(
            sql: """
                DELETE FROM union_ids WHERE digest IN (SELECT digest FROM union_ids WHERE sequence <= ? LIMIT ?)
                """
        ).execute(arguments: [sequence.rawValue, max(0, limit)])
        return database.changesCount
    }

    package func setQualified(
        _ isQualified: Bool, idsFrom start: String, below end: String, in database: DatabaseNumber
    ) throws {
        try change {
            recent = nil
            // If another user's document has the id, the unique index ignores the update, and the document stays
            // qualified.
            let statement = try statement(
                """
                UPDATE OR IGNORE documents SET is_qualified = ?1
                WHERE database = ?2 AND id >= ?3 AND id < ?4 AND is_qualified <> ?1
                """)
            statement.bind(1, isQualified ? 1 : 0 as Int64)
            statement.bind(2, Int64(database.rawValue))
            statement.bind(3, start)
            statement.bind(4, end)
            try statement.run()
        }
    }

    /// The digest under which a reserved id is stored, so that the file keeps no name of a removed user's document.
    private static func digest(of id: String) -> Int64 {
        var id = id
        return id.withUTF8 { bytes in
            Insecure.MD5.hash(data: UnsafeRawBufferPointer(bytes)).withUnsafeBytes { $0.loadUnaligned(as: Int64.self) }
        }
    }
}

extension DocumentRange {
    /// Returns the part of a range of union ids that is qualified ids of one database, as a range of ids in that
    /// database; nil if no id of it can be in the range.
    func ofQualified(in database: DatabaseNumber) -> DocumentRange? {
        let prefix = QualifiedID.prefix(of: database)
        var part = self
        if let lower {
            part.lower = lower.suffix(behind: prefix)
            if part.lower == nil, prefix.utf8.lexicographicallyPrecedes(lower.utf8) { return nil }
        }
        if let upper {
            part.upper = upper.suffix(behind: prefix)
            if part.upper == nil, upper.utf8.lexicographicallyPrecedes(prefix.utf8) { return nil }
        }
        return part
    }
}

extension String {
    /// Returns the text after a prefix; nil if the text does not begin with it. Compares bytes, as ids are compared.
    fileprivate func suffix(behind prefix: String) -> String? {
        utf8.starts(with: prefix.utf8) ? String(Substring(utf8.dropFirst(prefix.utf8.count))) : nil
    }
}
