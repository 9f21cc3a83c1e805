import MusterCore
import MusterDocuments
import MusterStore

/// Creates databases.
extension StoreCoordinator {
    /// Creates an empty database. The caller must check that the name is allowed.
    ///
    /// - Parameter author: the author, for the audit log; nil for the server itself.
    /// - Returns: false when a database of that name exists.
    /// - Throws: `CoordinatorError`, `StoreError`.
    package func makeDatabase(
        named name: String, isPartitioned: Bool = false, by author: Author?
    ) async throws -> Bool {
        let moment = now()
        return try await edit(by: author) { directory, draft in
            guard directory.database(named: name) == nil else { return false }
            let number = try draft.transaction.documents.nextDatabaseNumber()
            draft.edits.append(
                .putDatabase(
                    StoredDatabase(number: number, name: name, createdAt: moment, isPartitioned: isPartitioned)))
            return true
        }
    }
}
