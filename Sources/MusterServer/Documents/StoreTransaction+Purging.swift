package import MusterCore
import MusterDocuments
import MusterStore

/// Purges revisions, without a tombstone that later readers could see.
extension StoreTransaction {
    /// Removes leaf revisions of a document without a trace, and the document itself when no revision is left.
    ///
    /// - Returns: those of the revisions that were leaves.
    package func purge(_ revisions: Set<Revision>, of id: String, in database: DatabaseNumber) throws -> [Revision] {
        guard var document = try documents.document(id, in: .database(database)) else { return [] }
        let before = document.tree.nodes.map(\.revision)
        let purged = document.tree.purge(revisions)
        guard !purged.isEmpty else { return [] }
        guard let winner = document.tree.winner else {
            try documents.remove(document: id, from: database)
            return purged
        }
        let touch = DocumentTouch(
            database: database, id: id, winner: winner.revision, isDeleted: winner.isDeleted)
        document.sequence = try append(.document(touch))
        document.body = nil
        let kept = Set(document.tree.nodes.map(\.revision))
        try documents.put(document, bodies: [:], gone: before.filter { !kept.contains($0) })
        return purged
    }
}
