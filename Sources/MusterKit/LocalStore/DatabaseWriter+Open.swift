import GRDB

extension DatabaseWriter {
    /// Reads in one transaction, as `read` does, and throws where the database is closed. GRDB's own asynchronous
    /// `read` of a closed `DatabaseQueue` passes SQLite no connection, which ends the process.
    ///
    /// - Throws: `DatabaseError`; what `body` throws.
    func readIfOpen<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
        guard self is DatabaseQueue else { return try await read(body) }
        return try await writeWithoutTransaction { database in
            guard database.sqliteConnection != nil else {
                throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "The database is closed")
            }
            var value: Value?
            try database.readOnly {
                try database.inTransaction(.deferred) {
                    value = try body(database)
                    return .commit
                }
            }
            guard let value else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
            return value
        }
    }
}
