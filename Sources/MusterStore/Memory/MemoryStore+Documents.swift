package import MusterDocuments

extension MemoryStore {
    package func readDocuments<Result>(
        _ body: (any DocumentReader, any PositionReader) throws -> Result
    ) throws -> Result {
        preconditionFailure("helper documents writes this")
    }
}

extension MemoryTransaction {
    var documents: any DocumentWriter { preconditionFailure("helper documents writes this") }
}
