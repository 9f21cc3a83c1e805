package import MusterCore
import MusterDocuments
import MusterStore
package import MusterWire

/// Makes, fills and removes the indexes of databases.
extension StoreCoordinator {
    /// The number of documents that one transaction adds to an index. This takes a few milliseconds, so that other
    /// writes wait only briefly.
    private static let fillSlice = 500

    /// Creates an index and fills it.
    ///
    /// - Returns: whether the index is new.
    /// - Throws: `MangoError` when the database has reached its limit of indexes, or a design document of that name has
    ///   programs of another language; `CoordinatorError`, `StoreError`.
    package func makeIndex(
        _ definition: IndexDefinition, in database: DatabaseNumber, by author: Author?
    ) async throws -> Bool {
        let isNew = try await edit(by: author) { directory, draft in
            let documents = draft.transaction.documents
            draft.addAction(.indexMade, label: directory.name(of: database))
            try documents.requireNoProgram(in: "_design/\(definition.design)", of: database)
            let isKnown = try documents.indexes(in: database).contains { $0.definition == definition }
            _ = try documents.put(definition, in: database)
            return !isKnown
        }
        try await fillIndexes()
        return isNew
    }

    package func removeIndex(_ number: Int64, by author: Author?) async throws {
        try await edit(by: author) { _, draft in
            draft.addAction(.indexRemoved, label: "\(number)")
            try draft.transaction.documents.removeIndex(number)
        }
    }

    /// Continues to fill indexes until all are complete.
    package func fillIndexes() async throws {
        while try await edit(
            by: nil, { _, draft in try draft.transaction.documents.fillIndexes(limit: Self.fillSlice) })
        {}
    }

    /// Creates the places database with its spatial index, unless the store has ever had a database. So it stays
    /// removed once an admin removes it.
    package func makePlaces() async throws {
        guard directory.databases.count == 0 else { return }
        try await edit(by: nil) { _, draft in
            let documents = draft.transaction.documents
            guard try documents.databases().isEmpty else { return }
            let number = try documents.nextDatabaseNumber()
            // Database numbers are never reused, so any other number means that databases existed before.
            guard number == DatabaseNumber(1) else { return }
            let database = StoredDatabase(number: number, name: DatabaseName.places, createdAt: self.now())
            draft.edits.append(.putDatabase(database))
            let design = DocumentEdit(
                id: SpatialIndexes.standardDesign, body: SpatialIndexes.standardBody, isDeleted: false, place: .on(nil))
            _ = try documents.apply(design, to: number, revisionLimit: database.revisionLimit) { winner in
                try draft.transaction.append(
                    .document(
                        DocumentTouch(
                            database: number, id: design.id, winner: winner.revision, isDeleted: winner.isDeleted)))
            }
        }
    }
}

extension DocumentReader {
    /// Makes sure that there is no design document of another language than that of indexes. CouchDB keeps its indexes
    /// in design documents, and refuses such a one.
    fileprivate func requireNoProgram(in id: String, of database: DatabaseNumber) throws {
        let scope = DatabaseScope.database(database)
        guard let document = try document(id, in: scope), let winner = document.tree.winner, !winner.isDeleted,
            let body = try document.body ?? body(of: winner.revision, of: id, in: scope),
            let value = try? JSONValue(parsing: body.json, depthLimit: 64, valueLimit: .max)
        else { return }
        let language = value["language"]
        guard language?.string != "query" else { return }
        let name = language.map { $0.string ?? String(decoding: $0.bytes.prefix(100), as: UTF8.self) } ?? "false"
        throw MangoError("invalid_ddoc_lang", "Existing design doc has an invalid language: \(name)")
    }
}
