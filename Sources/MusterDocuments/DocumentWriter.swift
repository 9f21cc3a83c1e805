package import MusterCore
package import MusterWire

/// Writes documents in one transaction. Its reads see its own writes. A writer is valid only inside the closure that
/// received it.
///
/// Every function throws `DatabaseError` if SQLite fails. The transaction can then not be committed.
package protocol DocumentWriter: DocumentReader {
    /// Returns the number for a new database. No database ever had it.
    func nextDatabaseNumber() throws -> DatabaseNumber
    /// Inserts a database, or replaces the one of its number. The caller appends the `Change` that announces it.
    func put(_ database: StoredDatabase) throws
    /// Removes a database, or the location database of a user. Readers that begin after the transaction do not see its
    /// content. The writer erases a small database at once, and `DocumentTables.eraseRemoved` erases a large one later;
    /// until then the counts of the union may include its documents.
    func remove(_ database: DatabaseNumber) throws

    /// Inserts a document, or replaces the one of its id.
    ///
    /// - Parameters:
    ///   - document: the document; its `body` is ignored. If its tree is empty, the document is removed. No other
    ///     document of the database has its sequence.
    ///   - bodies: the bodies of the revisions that were not stored before.
    ///   - gone: the revisions that left its tree.
    func put(_ document: StoredDocument, bodies: [Revision: DocumentBody], gone: [Revision]) throws
    /// Removes a document with its whole history, as `_purge` does. Does nothing if there is none.
    func remove(document id: String, from database: DatabaseNumber) throws

    /// Moves documents of a location database to qualified ids in the union, or back to their own ids, independently of
    /// the decision at their creation. Used for ids that contain the user to whom they belong, such as the ids of
    /// positions.
    ///
    /// - Parameters:
    ///   - isQualified: whether the documents get qualified ids. If it is false, a document stays qualified while
    ///     another user's document has its id in the union.
    ///   - start: the first id, as it is in the location database.
    ///   - end: the end of the range of ids, exclusive.
    func setQualified(_ isQualified: Bool, idsFrom start: String, below end: String, in database: DatabaseNumber) throws

    /// Inserts a local document, or replaces the one of its id.
    func put(_ local: LocalDocument, in database: DatabaseNumber) throws
    /// Removes a local document. Does nothing if there is none.
    func removeLocal(_ id: String, from database: DatabaseNumber) throws

    /// Compaction (`_compact`): deletes stored bodies of revisions that are not leaves.
    ///
    /// - Parameter limit: the largest number of bodies that a call deletes.
    /// - Returns: whether there may be more.
    func compact(_ database: DatabaseNumber, limit: Int) throws -> Bool

    /// Makes an index. If an equal index exists, the writer returns that one; an index of the same name with another
    /// definition is replaced.
    ///
    /// - Returns: the index; if it is not ready, `fillIndexes` has to fill it.
    /// - Throws: `MangoError` if the database has `DocumentTables.indexLimit` indexes already.
    func put(_ definition: IndexDefinition, in database: DatabaseNumber) throws -> StoredIndex
    /// Removes an index. No later query can use it. The writer erases a small index at once, and
    /// `DocumentTables.eraseRemoved` erases a large one later. Does nothing if there is no index of that number.
    func removeIndex(_ number: Int64) throws
    /// Indexes the next documents for an index that was made when the database already had documents.
    ///
    /// - Parameter limit: about how many documents a call reads.
    /// - Returns: whether any index still has to be filled.
    func fillIndexes(limit: Int) throws -> Bool

    /// Begins an attachment, whose bytes arrive in pieces and in several transactions.
    func beginBlob() throws -> BlobNumber
    /// Appends a piece to a blob. The pieces come in order.
    ///
    /// - Throws: `BlobError.unknown`, `.tooLarge`.
    func append(_ bytes: [UInt8], to blob: BlobNumber) throws
    /// Finishes a blob, so that documents may refer to it. If a finished blob has the same bytes, the new one is
    /// dropped. `dropUnusedBlobs` drops a blob that no document refers to.
    ///
    /// - Parameters:
    ///   - key: the SHA-256 digest of the whole attachment.
    ///   - length: the expected number of bytes.
    /// - Throws: `BlobError.unknown`; `.length` if another number of bytes arrived.
    func finish(_ blob: BlobNumber, key: [UInt8], length: Int64, at moment: Instant) throws
    /// Drops an unfinished blob. Does nothing if there is none of that number.
    func abandon(_ blob: BlobNumber) throws
    /// Drops blobs that no document refers to, an hour after they were finished, or after a call first saw that they
    /// receive no more bytes.
    ///
    /// - Parameter limit: about how many pieces one call drops.
    /// - Returns: whether there may be more to drop.
    func dropUnusedBlobs(at moment: Instant, limit: Int) throws -> Bool
    /// Whether a finished blob has this SHA-256 digest.
    func holdsBlob(_ key: [UInt8]) throws -> Bool
}

extension DocumentWriter {
    /// Applies an edit to a document.
    ///
    /// - Parameters:
    ///   - revisionLimit: the number of revisions of each branch that stay in the tree, counted from its leaf
    ///     (`_revs_limit`).
    ///   - before: the present document, if the caller has read it already; else it is looked up.
    ///   - appended: appends the change of this edit, given the new winner, and returns its number; called at most
    ///     once.
    package func apply(
        _ edit: DocumentEdit, to database: DatabaseNumber, revisionLimit: Int, over before: StoredDocument? = nil,
        appended: (RevisionTree.Node) throws -> LogSequence
    ) throws -> EditOutcome {
        let before = try before ?? document(edit.id, in: .database(database))
        var tree = before?.tree ?? RevisionTree()
        let revision: Revision
        switch try mergeEdit(edit, into: &tree) {
        case .stored(let made): revision = made
        case .unchanged(let outcome): return outcome
        }
        let gone = tree.stem(to: revisionLimit)
        guard let winner = tree.winner else { preconditionFailure("a tree that was merged into is not empty") }
        let sequence = try appended(winner)
        try put(
            StoredDocument(id: edit.id, database: database, sequence: sequence, tree: tree, body: nil),
            bodies: [revision: edit.body], gone: gone)
        return .stored(revision, sequence)
    }

    /// Merges an edit into a tree, unless the edit is a conflict, is stored already, or lacks an attachment.
    func mergeEdit(_ edit: DocumentEdit, into tree: inout some EditedTree) throws -> MergeOutcome {
        let path: [Revision]
        switch edit.place {
        case .at(let known): path = known
        case .on(let parent):
            guard let base = Self.base(parent, isDeleted: edit.isDeleted, in: tree) else {
                return .unchanged(.conflict)
            }
            let revision = RevisionDigest.revision(of: edit, on: base.revision)
            path = [revision] + (base.revision.map { [$0] } ?? [])
        }
        if tree.knows(path[0]) { return .unchanged(.known(path[0])) }
        for attachment in edit.body.attachments where try !holdsBlob(attachment.key) {
            return .unchanged(.missingAttachment(name: attachment.name))
        }
        tree.merge(path, isDeleted: edit.isDeleted)
        return .stored(path[0])
    }

    /// Returns the revision that a new edit replaces; nil if the edit is a conflict.
    private static func base(_ parent: Revision?, isDeleted: Bool, in tree: some EditedTree) -> EditBase? {
        guard let parent else {
            guard let winner = tree.winner else { return EditBase(revision: nil) }
            // A new document of a deleted one's id continues the tree after the deletion.
            guard winner.isDeleted, !isDeleted, winner.revision.generation < Revision.generationLimit else {
                return nil
            }
            return EditBase(revision: winner.revision)
        }
        guard parent.generation < Revision.generationLimit else { return nil }
        // A deleted document is made anew without a revision, and cannot be deleted again.
        guard tree.winner?.isDeleted == false, tree.isLeaf(parent) else { return nil }
        return EditBase(revision: parent)
    }
}

/// The part of a revision tree that an edit needs.
protocol EditedTree {
    var winner: RevisionTree.Node? { get }
    func isLeaf(_ revision: Revision) -> Bool
    /// Whether the content of a revision was received before.
    func knows(_ revision: Revision) -> Bool
    @discardableResult
    mutating func merge(_ path: [Revision], isDeleted: Bool) -> Bool
}

extension RevisionTree: EditedTree {}
extension RevisionTree.Growth: EditedTree {}

/// The result of merging an edit into a tree.
enum MergeOutcome {
    /// The tree has this revision now, and its body has to be stored.
    case stored(Revision)
    /// The tree is unchanged.
    case unchanged(EditOutcome)
}

/// Identifies a blob that is being written.
package struct BlobNumber: Hashable, Sendable {
    package let rawValue: Int64

    package init(_ rawValue: Int64) { self.rawValue = rawValue }
}

/// The revision that an edit replaces; nil for a new document.
private struct EditBase {
    var revision: Revision?
}
