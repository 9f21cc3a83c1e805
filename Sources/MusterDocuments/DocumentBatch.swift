package import MusterCore

/// Applies edits of documents of one database, in order and in one transaction. A document that several edits change is
/// read and written once: a thousand conflicting revisions of one document cost little more than a thousand documents.
///
/// Before `finish`, the transaction's reads return such a document as it was.
package struct DocumentBatch {
    private let documents: any DocumentWriter
    private let database: DatabaseNumber
    private let revisionLimit: Int
    /// The documents that several edits change, by the bytes of their ids: two ways to encode é make two ids.
    private var shared: [[UInt8]: Shared] = [:]

    /// A document that `finish` writes.
    private struct Shared {
        var growth = RevisionTree.Growth()
        /// The bodies of its new revisions.
        var bodies: [Revision: DocumentBody] = [:]
        /// The number of its newest change; nil if no edit has changed it yet.
        var sequence: LogSequence?
    }

    /// Makes a batch that has applied no edit yet.
    ///
    /// - Parameters:
    ///   - edits: all edits that the caller may apply.
    ///   - revisionLimit: the number of revisions of each branch that stay in the tree, counted from its leaf
    ///     (`_revs_limit`).
    package init(
        of edits: [DocumentEdit], in database: DatabaseNumber, revisionLimit: Int, to documents: any DocumentWriter
    ) {
        self.documents = documents
        self.database = database
        self.revisionLimit = revisionLimit
        guard edits.count > 1 else { return }
        // Ids are compared by their hashes, because most documents are edited once. A document whose id only has the
        // hash of another is written at the end needlessly, which does no harm.
        var seen = Set<Int>(minimumCapacity: edits.count)
        for edit in edits {
            var hasher = Hasher()
            var id = edit.id
            id.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            if !seen.insert(hasher.finalize()).inserted { shared[Array(edit.id.utf8)] = Shared() }
        }
    }

    /// Whether several edits may change one document.
    package var mayRepeat: Bool { !shared.isEmpty }

    /// Whether the batch holds a newer state of a document than the transaction's reads return.
    package func holds(_ id: String) -> Bool {
        guard !shared.isEmpty, let document = shared[Array(id.utf8)] else { return false }
        return !document.growth.isEmpty
    }

    /// Applies an edit, as `DocumentWriter.apply` does.
    ///
    /// - Parameters:
    ///   - edit: one of the edits that the batch was made of.
    ///   - before: the present document, if the caller has read it already; else it is looked up. Ignored for a
    ///     document that the batch `holds`.
    ///   - appended: appends the change of this edit, given the new winner, and returns its number; called at most
    ///     once.
    package mutating func apply(
        _ edit: DocumentEdit, over before: StoredDocument? = nil, appended: (RevisionTree.Node) throws -> LogSequence
    ) throws -> EditOutcome {
        let key = shared.isEmpty ? [] : Array(edit.id.utf8)
        guard let place = shared.index(forKey: key) else {
            return try documents.apply(
                edit, to: database, revisionLimit: revisionLimit, over: before, appended: appended)
        }
        // Moved out of the dictionary while it changes, so that Swift does not copy it.
        var document = Shared()
        swap(&document, &shared.values[place])
        defer { swap(&document, &shared.values[place]) }
        if document.growth.isEmpty, let before = try before ?? documents.document(edit.id, in: .database(database)) {
            document.growth = RevisionTree.Growth(before.tree)
        }
        switch try documents.mergeEdit(edit, into: &document.growth) {
        case .unchanged(let outcome): return outcome
        case .stored(let revision):
            guard let winner = document.growth.winner else {
                preconditionFailure("a tree that was merged into is not empty")
            }
            let sequence = try appended(winner)
            document.sequence = sequence
            document.bodies[revision] = edit.body
            return .stored(revision, sequence)
        }
    }

    /// Writes the documents that the batch holds. The caller calls it after the last edit.
    package mutating func finish() throws {
        let changed = shared.compactMap { key, document in document.sequence.map { (key, document, $0) } }
        for (key, document, sequence) in changed.sorted(by: { $0.2 < $1.2 }) {
            var tree = document.growth.tree
            let gone = tree.stem(to: revisionLimit)
            var bodies = document.bodies
            for revision in gone { bodies[revision] = nil }
            try documents.put(
                StoredDocument(
                    id: String(decoding: key, as: UTF8.self), database: database, sequence: sequence, tree: tree,
                    body: nil),
                bodies: bodies, gone: gone)
        }
        shared = [:]
    }
}
