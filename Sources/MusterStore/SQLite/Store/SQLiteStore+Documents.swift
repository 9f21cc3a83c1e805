import GRDB
package import MusterDocuments
import Synchronization

/// Reads of documents, in one snapshot with the staged positions.
extension SQLiteStore {
    /// The largest number of attempts of a read. An attempt fails if a generation of positions is merged during it.
    private static let lookLimit = 8

    package func readDocuments<Result>(
        _ body: (any DocumentReader, any PositionReader) throws -> Result
    ) throws -> Result {
        for _ in 0..<Self.lookLimit {
            let generation = stage.withLock { $0.generation }
            do {
                return try onReader { database in
                    let positions = try SQLitePositionReader(self, in: database, generation: generation)
                    return try body(DocumentTables(in: database) { positions.lastSequence }, positions)
                }
            } catch is SQLitePositionReader.StageMoved {
                continue
            }
        }
        throw StoreError.unavailable(reason: "\(path): too many positions arrived during the read")
    }
}
