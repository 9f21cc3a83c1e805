import MusterCore
import MusterDocuments
import MusterStore

extension StoreCoordinator {
    /// Makes a database with nothing in it. Whether it may have the name is the caller's to know.
    ///
    /// - Parameter author: who makes it; nil for the server itself.
    /// - Returns: false when there is one of that name.
    /// - Throws: `CoordinatorError`.
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
