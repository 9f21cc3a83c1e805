package import GRDB
package import MusterCore
import MusterWire

/// Reads and writes documents over an SQLite connection, inside a transaction or a read that the caller runs. An
/// instance lives no longer than that.
///
/// The server's store and the client's use it alike; each passes a function that returns the newest change's number.
package final class DocumentTables: DocumentWriter {
    /// Why a blob cannot be written.
    package enum BlobError: Error, Hashable, Sendable {
        /// No unfinished blob has this number: it was never begun, is finished, or was dropped because it received no
        /// bytes for an hour.
        case unknown(BlobNumber)
        /// The blob has another number of bytes than announced.
        case length(Int64, expected: Int64)
        /// The blob would reach the limit of 64 GiB.
        case tooLarge
    }

    let database: Database
    private let newest: () -> LogSequence
    /// The document that was looked up last. Its editor looks it up first and then writes it.
    var recent: Recent?
    /// The changes of this transaction to the counts, by database; 0 is the union of all locations.
    var countChanges: [Int32: DocumentCounts] = [:]
    /// The indexes of the databases that this transaction has read, and the rules that make their keys.
    var indexesByDatabase: [DatabaseNumber: [StoredIndex]] = [:]
    var rulesByIndex: [Int64: IndexRule] = [:]
    /// The removed databases that are not erased yet; nil until a read needs them.
    var knownRemoved: Set<DatabaseNumber>?
    /// Whether this transaction removed a database or an index that `eraseRemoved` still has to erase.
    package internal(set) var hasRemoved = false
    /// The changes of this transaction to the counts by thousands of changes.
    var blockChanges: [Block: Int] = [:]
    /// The prepared statements of `Frequent`, by raw value.
    private var frequent = [RawStatement?](repeating: nil, count: Frequent.allCases.count)
    /// The first failure of a write. The transaction cannot be committed after it, even if a caller caught the error.
    private var failure: (any Error)?

    /// Makes a reader and writer of a connection's documents.
    ///
    /// - Parameter lastSequence: returns the number of the newest change in the snapshot.
    package init(in database: Database, lastSequence: @escaping () -> LogSequence) {
        self.database = database
        newest = lastSequence
    }

    package var lastSequence: LogSequence { newest() }

    /// Writes the gathered counts. The caller calls it before it commits a transaction that wrote.
    ///
    /// - Throws: the first failure of a write; `DatabaseError`.
    package func finish() throws {
        if let failure { throw failure }
        try storeCountChanges()
    }

    /// Runs a step that writes, and records its failure, so that `finish` throws it too.
    func change<Result>(_ step: () throws -> Result) throws -> Result {
        do {
            return try step()
        } catch {
            failure = failure ?? error
            throw error
        }
    }

    func statement(_ sql: String) throws -> RawStatement { try RawStatement(sql, in: database) }

    /// Statements that run for every document. They are kept here, because GRDB's look-up by the SQL text costs as much
    /// as reading a row.
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

    /// Returns the next number of a kind. No number is returned twice.
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
    /// Whether both strings have the same UTF-8; `==` also equates two ways to encode é.
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
    /// A row of the table `documents`, without the JSON of its winner.
    struct Row {
        var number: Int64
        var database: DatabaseNumber
        var sequence: LogSequence
        let tree: RevisionTree
        /// The winner of the tree; nil for an empty tree, which is never stored.
        let winner: RevisionTree.Node?
        /// The length of the winner's JSON in bytes.
        var jsonLength: Int
        var attachments: [Attachment]
        /// Whether the union has the document under a qualified id.
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

        /// Whether the winner is a deletion.
        var isDeleted: Bool { winner?.isDeleted ?? true }

        /// The row's part in the counts of its database.
        var counts: DocumentCounts {
            DocumentCounts(
                living: isDeleted ? 0 : 1, deleted: isDeleted ? 1 : 0,
                bytes: Int64(jsonLength) + attachments.reduce(0) { $0 + $1.length })
        }
    }

    /// The result of looking up one document.
    struct Recent {
        var database: DatabaseNumber
        var id: String
        var row: Row?

        func isOf(_ id: String, in database: DatabaseNumber) -> Bool {
            // Not `==`: two ways to encode é make two ids.
            self.database == database && self.id.hasSameBytes(as: id)
        }
    }
}
