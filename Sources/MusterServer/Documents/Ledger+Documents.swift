package import MusterCore
package import MusterDocuments
import MusterStore

/// The roads to documents. Everything that an endpoint reads of or writes to databases goes through here, so that users'
/// positions are documents wherever documents are read, and location documents are observations wherever they arrive.
extension Ledger {
    /// Runs `body` with a look at the documents, positions among them, on a thread where it may block.
    ///
    /// - Throws: what `body` throws, `StoreError`.
    package func readDocuments<Success: Sendable>(
        _ body: @escaping @Sendable (any DocumentReader) throws -> Success
    ) async throws -> Success {
        try await read { store in try store.readDocuments { try body($0) } }
    }

    /// Carries out edits of documents in one database, in order, in one transaction.
    ///
    /// - Returns: what became of each, once all is on disk.
    /// - Throws: `LedgerError`; then nothing happened.
    package func write(_ edits: [DocumentEdit], to place: DatabasePlace) async throws -> [EditOutcome] {
        guard let database = place.number else { throw LedgerError.closed }
        return try await edit { _, draft in
            let transaction = draft.transaction
            return try edits.map { edit in
                try transaction.documents.apply(edit, to: database, revisionLimit: place.revisionLimit) { winner in
                    try transaction.append(
                        .document(
                            DocumentTouch(
                                database: database, id: edit.id, winner: winner.revision, isDeleted: winner.isDeleted)))
                }
            }
        }
    }
}
