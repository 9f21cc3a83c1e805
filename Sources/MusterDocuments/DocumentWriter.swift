package import MusterCore
package import MusterWire

/// What a transaction may do to documents; reads see what it did. Valid only inside the transaction that lent it.
package protocol DocumentWriter: DocumentReader {
    /// A number never given before.
    func nextDatabaseNumber() throws -> DatabaseNumber
    /// Inserts or replaces a database by number. The caller appends the `Change` that says so.
    func put(_ database: StoredDatabase) throws
    /// Removes a database, or the location database of a user: nobody reads what was in it any more. A small one is
    /// erased at once, a large one by `eraseRemoved`; until then the counts of the union may have its documents.
    func remove(_ database: DatabaseNumber) throws
    /// Goes on erasing databases and indexes that were removed.
    ///
    /// - Parameter limit: about how many documents a call erases.
    /// - Returns: whether more is left.
    func eraseRemoved(limit: Int) throws -> Bool

    /// Inserts or replaces a document.
    ///
    /// - Parameters:
    ///   - document: the document, `body` aside. One whose tree is empty is removed. Its sequence is no other's.
    ///   - bodies: what revisions of it say that were not stored before.
    ///   - gone: revisions that are no longer in its tree.
    func put(_ document: StoredDocument, bodies: [Revision: DocumentBody], gone: [Revision]) throws
    /// Removes a document as if it had never been.
    func remove(document id: String, from database: DatabaseNumber) throws

    /// Says whether documents of a location database stand in the union under qualified ids, whatever was decided when
    /// they were made: for ids that are somebody's by what they name, as those of positions are.
    ///
    /// - Parameters:
    ///   - isQualified: where it is false, a document whose id another user's has in the union stays qualified.
    ///   - start: the first id, as it is in the database.
    ///   - end: what stands behind the last.
    func setQualified(_ isQualified: Bool, idsFrom start: String, below end: String, in database: DatabaseNumber) throws

    /// Inserts or replaces a document that is never replicated.
    func put(_ local: LocalDocument, in database: DatabaseNumber) throws
    /// Removes one; nothing happens when there is none.
    func removeLocal(_ id: String, from database: DatabaseNumber) throws

    /// Forgets what revisions say that are no leaves (`_compact`).
    ///
    /// - Returns: whether more is left; a call does at most about `limit`.
    func compact(_ database: DatabaseNumber, limit: Int) throws -> Bool
    /// Forgets what the location databases hold that was touched last by a change up to `sequence`, at most `limit`.
    ///
    /// - Returns: how many documents were forgotten.
    func forgetLocations(through sequence: LogSequence, limit: Int) throws -> Int

    /// Makes an index, or gives the same that is there. One of the same name and another definition is replaced.
    ///
    /// - Returns: the index; where it is not ready, `fillIndexes` makes it so.
    /// - Throws: `MangoError` when there are as many as there may be.
    func put(_ definition: IndexDefinition, in database: DatabaseNumber) throws -> StoredIndex
    /// Removes an index: nobody can ask it any more. A small one is erased at once, a large one by `eraseRemoved`.
    /// Nothing happens when there is none of that number.
    func removeIndex(_ number: Int64) throws
    /// Goes on filling indexes that were made over documents that are there.
    ///
    /// - Parameter limit: about how many documents a call looks at.
    /// - Returns: whether more is left.
    func fillIndexes(limit: Int) throws -> Bool

    /// Begins to take the bytes of an attachment, which come in pieces and in several transactions.
    func beginBlob() throws -> BlobNumber
    /// Adds a piece; they come in order.
    func append(_ bytes: [UInt8], to blob: BlobNumber) throws
    /// Ends a blob: from now on documents may name it. Where the same bytes are there already, these are dropped. One
    /// that no document names within an hour, or that the last document has ceased to name, is dropped too.
    ///
    /// - Parameters:
    ///   - key: the SHA-256 digest of the whole.
    ///   - length: how many bytes it has; what is there must be as many.
    func finish(_ blob: BlobNumber, key: [UInt8], length: Int64, at moment: Instant) throws
    /// Drops a blob that was begun and not finished.
    func abandon(_ blob: BlobNumber) throws
    /// Drops blobs that no document names, an hour after they were finished, or were seen to get no more bytes.
    ///
    /// - Parameter limit: about how many pieces one call drops.
    /// - Returns: whether more are to be dropped.
    func dropUnusedBlobs(at moment: Instant, limit: Int) throws -> Bool
    /// Whether a finished blob with these bytes is there.
    func holdsBlob(_ key: [UInt8]) throws -> Bool
}

extension DocumentWriter {
    /// Carries out an edit of a document.
    ///
    /// - Parameters:
    ///   - revisionLimit: how many ancestors of a leaf are remembered.
    ///   - before: the document as it is, where that is known already; else it is looked up.
    ///   - appended: appends the change that tells of it, given the winner, and returns its number; called at most
    ///     once.
    package func apply(
        _ edit: DocumentEdit, to database: DatabaseNumber, revisionLimit: Int, over before: StoredDocument? = nil,
        appended: (RevisionTree.Node) throws -> LogSequence
    ) throws -> EditOutcome {
        let before = try before ?? document(edit.id, in: .database(database))
        var tree = before?.tree ?? RevisionTree()
        let revision: Revision
        switch try take(edit, into: &tree) {
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

    /// Merges an edit into a tree, where it is to be stored.
    func take(_ edit: DocumentEdit, into tree: inout some EditedTree) throws -> MergeOutcome {
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

    /// What an edit made here stands on; nil where that would be a conflict.
    private static func base(_ parent: Revision?, isDeleted: Bool, in tree: some EditedTree) -> EditBase? {
        guard let parent else {
            guard let winner = tree.winner else { return EditBase(revision: nil) }
            // Whoever makes a document anew builds upon its deletion.
            guard winner.isDeleted, !isDeleted, winner.revision.generation < Revision.generationLimit else {
                return nil
            }
            return EditBase(revision: winner.revision)
        }
        guard parent.generation < Revision.generationLimit else { return nil }
        // What is deleted is made anew without a revision, and not deleted again.
        guard tree.winner?.isDeleted == false, tree.isLeaf(parent) else { return nil }
        return EditBase(revision: parent)
    }
}

/// A tree as far as an edit asks it.
protocol EditedTree {
    var winner: RevisionTree.Node? { get }
    func isLeaf(_ revision: Revision) -> Bool
    /// Whether what a revision says was told already.
    func knows(_ revision: Revision) -> Bool
    @discardableResult
    mutating func merge(_ path: [Revision], isDeleted: Bool) -> Bool
}

extension RevisionTree: EditedTree {}
extension RevisionTree.Growth: EditedTree {}

/// What merging an edit did.
enum MergeOutcome {
    /// The tree has this revision now, which is to be stored.
    case stored(Revision)
    /// Nothing changed.
    case unchanged(EditOutcome)
}

/// A blob that is being put.
package struct BlobNumber: Hashable, Sendable {
    /// The number as it is stored.
    package let rawValue: Int64

    package init(_ rawValue: Int64) { self.rawValue = rawValue }
}

/// What an edit stands on: a leaf, or nothing.
private struct EditBase {
    var revision: Revision?
}
