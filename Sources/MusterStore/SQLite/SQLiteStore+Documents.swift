import GRDB
package import MusterDocuments

extension SQLiteStore {
    package func readDocuments<Result>(_ body: (any DocumentReader) throws -> Result) throws -> Result {
        preconditionFailure("helper documents writes this")
    }
}

extension SQLiteTransaction {
    var documents: any DocumentWriter { preconditionFailure("helper documents writes this") }
}
