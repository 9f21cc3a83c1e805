import Foundation
import GRDB
package import MusterCore
package import MusterWire

/// Indexes of databases. The transaction that writes a document also writes its entries, so an index is never behind.
/// An index that is made over existing documents is filled in slices by `fillIndexes`.
extension DocumentTables {
    /// The largest number of indexes of a database.
    package static let indexLimit = 64

    package func indexes(in database: DatabaseNumber) throws -> [StoredIndex] {
        if let known = indexesByDatabase[database] { return known }
        let rows = try GRDB.Row.fetchAll(
            self.database, sql: "SELECT * FROM document_indexes WHERE database = ? ORDER BY design, name",
            arguments: [database.rawValue])
        let indexes = try rows.map { row in
            let fields: String = row["fields"]
            let partial: Data? = row["partial_selector"]
            let filled: Int64? = row["filled"]
            let paths = try JSONValue(parsing: Array(fields.utf8)).elements ?? []
            let definition = IndexDefinition(
                design: row["design"], name: row["name"],
                fields: try paths.map { try FieldPath($0.string ?? "") }, isDescending: row["is_descending"],
                partialSelector: partial.map { [UInt8]($0) },
                isPartitioned: row["is_partitioned"])
            return StoredIndex(
                number: row["number"], database: database, definition: definition, isReady: filled == nil)
        }
        indexesByDatabase[database] = indexes
        return indexes
    }

    package func put(_ definition: IndexDefinition, in database: DatabaseNumber) throws -> StoredIndex {
        try change {
            let known = try indexes(in: database)
            let same = known.first {
                $0.definition.design == definition.design && $0.definition.name == definition.name
            }
            if let same {
                if same.definition == definition { return same }
                try removeIndex(same.number)
            } else if known.count >= Self.indexLimit {
                throw MangoError("too_many_indexes", "A database has at most \(Self.indexLimit) indexes")
            }
            indexesByDatabase[database] = nil
            let number = try nextNumber(of: "index")
            let isEmpty = try counts(in: .database(database)).living == 0
            let fields = JSONValue.array(definition.fields.map { .string($0.text) }).bytes
            try self.database.execute(
                sql: """
                    INSERT INTO document_indexes (number, database, design, name, fields, is_descending,
                        partial_selector, filled, is_partitioned) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    number, database.rawValue, definition.design, definition.name,
                    String(decoding: fields, as: UTF8.self), definition.isDescending,
                    definition.partialSelector.map { Data($0) }, isEmpty ? nil : 0 as Int64?,
                    definition.isPartitioned,
                ])
            return StoredIndex(number: number, database: database, definition: definition, isReady: isEmpty)
        }
    }

    package func removeIndex(_ number: Int64) throws {
        try change {
            indexesByDatabase = [:]
            try database.execute(sql: "DELETE FROM document_indexes WHERE number = ?", arguments: [number])
            hasRemoved = try eraseEntries(of: number, limit: Self.erasedAtOnce) || hasRemoved
        }
    }

    package func fillIndexes(limit: Int) throws -> Bool {
        try change {
            let row = try GRDB.Row.fetchOne(
                database,
                sql: "SELECT number, database, filled FROM document_indexes WHERE filled IS NOT NULL ORDER BY number")
            guard let row else { return false }
            let number: Int64 = row["number"]
            let place: Int32 = row["database"]
            let filled: Int64 = row["filled"]
            guard let index = try indexes(in: DatabaseNumber(place)).first(where: { $0.number == number }) else {
                return false
            }
            let documents = try GRDB.Row.fetchAll(
                database,
                sql: """
                    SELECT number, id FROM documents
                    WHERE database = ? AND number > ? AND NOT is_deleted ORDER BY number LIMIT ?
                    """, arguments: [place, filled, max(1, limit)])
            for document in documents {
                let id: String = document["id"]
                guard let stored = try self.document(id, in: .database(index.database)), let body = stored.body,
                    let winner = stored.tree.winner, !id.utf8.starts(with: "_design/".utf8)
                else { continue }
                let value = JSONValue(
                    documentWithID: id, revision: winner.revision.text, body: body, conflicts: stored.tree.conflicts)
                try file(document["number"], id, value, in: index)
            }
            let last: Int64? = documents.count < max(1, limit) ? nil : documents.last?["number"]
            try database.execute(
                sql: "UPDATE document_indexes SET filled = ? WHERE number = ?", arguments: [last, number])
            indexesByDatabase = [:]
            return try Bool.fetchOne(
                database, sql: "SELECT EXISTS (SELECT 1 FROM document_indexes WHERE filled IS NOT NULL)") ?? false
        }
    }

    package func entries(
        of index: StoredIndex, in range: KeyRange, after entry: IndexEntry?, isDescending: Bool, limit: Int
    ) throws -> [IndexEntry] {
        var sql = "SELECT key, id FROM index_entries WHERE index_number = ?"
        var arguments: StatementArguments = [index.number]
        if let lower = range.lower {
            sql += " AND key >= ?"
            arguments += [Data(lower.bytes)]
        }
        if let upper = range.upper {
            sql += " AND key < ?"
            arguments += [Data(upper.bytes)]
        }
        if let entry {
            sql += " AND (key, id) \(isDescending ? "<" : ">") (?, ?)"
            arguments += [Data(entry.key.bytes), entry.id]
        }
        let direction = isDescending ? "DESC" : "ASC"
        sql += " ORDER BY key \(direction), id \(direction) LIMIT ?"
        arguments += [limit]
        return try GRDB.Row.fetchAll(database.cachedStatement(sql: sql), arguments: arguments).map { row in
            let key: Data = row["key"]
            return IndexEntry(key: CollationKey(stored: [UInt8](key)), id: row["id"])
        }
    }

    // MARK: Entries of documents

    /// Replaces the entries of a document. Called in the transaction that wrote the document.
    func file(_ row: Row, id: String, _ winner: Revision) throws {
        guard !id.utf8.starts(with: "_design/".utf8) else { return }
        let indexes = try indexes(in: row.database)
        guard !indexes.isEmpty else { return }
        try unfile(row)
        guard !row.isDeleted, let body = try body(of: winner, in: row) else { return }
        let value = JSONValue(
            documentWithID: id, revision: winner.text, body: body, conflicts: row.tree.conflicts)
        for index in indexes { try file(row.number, id, value, in: index) }
    }

    /// Deletes the entries of a document.
    func unfile(_ row: Row) throws {
        guard try !indexes(in: row.database).isEmpty else { return }
        try database.cachedStatement(sql: "DELETE FROM index_entries WHERE document = ?")
            .execute(arguments: [row.number])
    }

    private func rule(of index: StoredIndex) -> IndexRule {
        if let known = rulesByIndex[index.number] { return known }
        let rule = IndexRule(index.definition)
        rulesByIndex[index.number] = rule
        return rule
    }

    private func file(_ document: Int64, _ id: String, _ value: JSONValue, in index: StoredIndex) throws {
        guard let key = rule(of: index).key(of: value) else { return }
        try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO index_entries (index_number, key, id, document) VALUES (?, ?, ?, ?)"
        ).execute(arguments: [index.number, Data(key.bytes), id, document])
    }
}
