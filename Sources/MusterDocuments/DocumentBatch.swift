package import MusterCore

/// Edits of documents of one database, carried out in order in one transaction. A document that several of them edit is
/// read and written once: a thousand conflicts of one document cost little more than a thousand documents.
///
/// Until `finish`, the transaction's reads do not see what became of such a document.
package struct DocumentBatch {
    private let documents: any DocumentWriter
    private let database: DatabaseNumber
    private let revisionLimit: Int
    /// The documents that more than one edit is of, by the bytes of their ids: of two ways to write é each is an id of
    /// its own.
    private var shared: [[UInt8]: Shared] = [:]

    /// A document that is written at the end.
    private struct Shared {
        var growth = RevisionTree.Growth()
        /// What revisions say that are new.
        var bodies: [Revision: DocumentBody] = [:]
        /// The number of the newest change that tells of it; nil as long as nothing changed.
        var sequence: LogSequence?
    }

    /// A batch of nothing done yet.
    ///
    /// - Parameters:
    ///   - edits: all that may come.
    ///   - revisionLimit: how many ancestors of a leaf are remembered.
    package init(
        of edits: [DocumentEdit], in database: DatabaseNumber, revisionLimit: Int, to documents: any DocumentWriter
    ) {
        self.documents = documents
        self.database = database
        self.revisionLimit = revisionLimit
        guard edits.count > 1 else { return }
        // By hashes, for most are edited once; one that only looks like another is held back for nothing.
        var seen = Set<Int>(minimumCapacity: edits.count)
        for edit in edits {
            var hasher = Hasher()
            var id = edit.id
            id.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            if !seen.insert(hasher.finalize()).inserted { shared[Array(edit.id.utf8)] = Shared() }
        }
    }

    /// Whether a document may be edited more than once.
    package var mayRepeat: Bool { !shared.isEmpty }

    /// Whether a document is known to be there: what the transaction reads of it may be old.
    package func holds(_ id: String) -> Bool {
        guard !shared.isEmpty, let document = shared[Array(id.utf8)] else { return false }
        return !document.growth.isEmpty
    }

    /// Carries out an edit, as `DocumentWriter.apply` does.
    ///
    /// - Parameters:
    ///   - edit: one of those that were announced.
    ///   - before: the document as it is, where that is known already; else it is looked up. Not asked where `holds`.
    ///   - appended: appends the change that tells of it, given the winner, and returns its number; called at most
    ///     once.
    package mutating func apply(
        _ edit: DocumentEdit, over before: StoredDocument? = nil, appended: (RevisionTree.Node) throws -> LogSequence
    ) throws -> EditOutcome {
        let key = shared.isEmpty ? [] : Array(edit.id.utf8)
        guard let place = shared.index(forKey: key) else {
            return try documents.apply(
                edit, to: database, revisionLimit: revisionLimit, over: before, appended: appended)
        }
        // Taken out while it changes, so that it is not copied.
        var document = Shared()
        swap(&document, &shared.values[place])
        defer { swap(&document, &shared.values[place]) }
        if document.growth.isEmpty, let before = try before ?? documents.document(edit.id, in: .database(database)) {
            document.growth = RevisionTree.Growth(before.tree)
        }
        switch try documents.take(edit, into: &document.growth) {
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

    /// Writes the documents that were held back. Call it once all edits are carried out.
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
