package import GRDB
package import MusterCore
import MusterWire

/// Documents as they lie in a file: `DocumentReader` and `DocumentWriter` over an SQLite connection, inside a
/// transaction or a read that someone else runs. An instance lives no longer than that.
///
/// The server's store and the client's have this in common; what differs is who numbers the changes.
package final class DocumentTables: DocumentWriter {
    /// What is wrong with a blob.
    package enum BlobError: Error, Hashable, Sendable {
        /// It was never begun, is finished, or was dropped because nobody added to it for an hour.
        case unknown(BlobNumber)
        /// It has not as many bytes as it was said to have.
        case length(Int64, expected: Int64)
        /// It is larger than any may be.
        case tooLarge
    }

    let database: Database
    private let newest: () -> LogSequence
    /// The document that was looked up last: whoever edits one looks it up first.
    var recent: Recent?
    /// What this transaction adds to the counts, by database; 0 is the union of all locations.
    var countChanges: [Int32: DocumentCounts] = [:]
    /// The indexes of databases that this transaction looked at, and what they file documents by.
    var indexesByDatabase: [DatabaseNumber: [StoredIndex]] = [:]
    var rulesByIndex: [Int64: IndexRule] = [:]
    /// Databases that are gone and wait to be erased, once someone asked.
    var knownRemoved: Set<DatabaseNumber>?
    /// Whether this transaction removed a database, or an index, of which more is to be erased.
    package internal(set) var hasRemoved = false
    /// What this transaction adds to the blocks of changes.
    var blockChanges: [Block: Int] = [:]
    /// Statements of `Frequent` that were prepared.
    private var frequent = [RawStatement?](repeating: nil, count: Frequent.allCases.count)
    /// What went wrong first. The transaction cannot be committed after that, whoever caught the error.
    private var failure: (any Error)?

    /// Documents of a connection.
    ///
    /// - Parameter lastSequence: the number of the newest change that is seen.
    package init(in database: Database, lastSequence: @escaping () -> LogSequence) {
        self.database = database
        newest = lastSequence
    }

    package var lastSequence: LogSequence { newest() }

    /// Writes what has gathered. Call it before the commit of a transaction that wrote.
    ///
    /// - Throws: what the database refuses now, or refused before.
    package func finish() throws {
        if let failure { throw failure }
        try storeCountChanges()
    }

    /// Runs a step that changes something; a failure stays with the transaction.
    func change<Result>(_ step: () throws -> Result) throws -> Result {
        do {
            return try step()
        } catch {
            failure = failure ?? error
            throw error
        }
    }

    func statement(_ sql: String) throws -> RawStatement { try RawStatement(sql, in: database) }

    /// Statements that documents come by: kept at hand, for to find one by its text costs as much as a row.
    enum Frequent: Int, CaseIterable {
        case document, tree, insert, holder, keeper
    }

    func statement(_ name: Frequent, _ sql: @autoclosure () -> String) throws -> RawStatement {
        if let known = frequent[name.rawValue] {
            known.reset()
            return known
        }
        let statement = try statement(sql())
        frequent[name.rawValue] = statement
        return statement
    }

    /// The next of a kind of numbers that are never given twice.
    func nextNumber(of kind: String) throws -> Int64 {
        let number =
            try Int64.fetchOne(
                database, sql: "SELECT value FROM document_counters WHERE name = ?", arguments: [kind]) ?? 0
        try database.execute(
            sql: """
                INSERT INTO document_counters (name, value) VALUES (?, ?)
                ON CONFLICT (name) DO UPDATE SET value = excluded.value
                """, arguments: [kind, number + 1])
        return number + 1
    }
}

extension String {
    /// Whether both are the same bytes; `==` also takes two ways to write é for the same.
    func hasSameBytes(as other: String) -> Bool {
        let isSame = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { others in
                bytes.count == others.count && bytes.elementsEqual(others)
            }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

extension DocumentTables {
    /// A document's row.
    struct Row {
        var number: Int64
        var database: DatabaseNumber
        var sequence: LogSequence
        let tree: RevisionTree
        /// The tree's winner; nil for an empty tree, which is never stored.
        let winner: RevisionTree.Node?
        /// How long what the winner says is, without its attachments.
        var jsonLength: Int
        var attachments: [Attachment]
        /// Whether the union has it under a qualified id.
        var isQualified: Bool

        init(
            number: Int64, database: DatabaseNumber, sequence: LogSequence, tree: RevisionTree, jsonLength: Int,
            attachments: [Attachment], isQualified: Bool
        ) {
            self.number = number
            self.database = database
            self.sequence = sequence
            self.tree = tree
            winner = tree.winner
            self.jsonLength = jsonLength
            self.attachments = attachments
            self.isQualified = isQualified
        }

        /// Whether the winner says that the document is no more.
        var isDeleted: Bool { winner?.isDeleted ?? true }

        /// What this row counts for.
        var counts: DocumentCounts {
            DocumentCounts(
                living: isDeleted ? 0 : 1, deleted: isDeleted ? 1 : 0,
                bytes: Int64(jsonLength) + attachments.reduce(0) { $0 + $1.length })
        }
    }

    /// A look-up of one document, and what it found.
    struct Recent {
        var database: DatabaseNumber
        var id: String
        var row: Row?

        func isOf(_ id: String, in database: DatabaseNumber) -> Bool {
            // Not `==`: ids are bytes, and of two ways to write é each is an id of its own.
            self.database == database && self.id.hasSameBytes(as: id)
        }
    }
}
