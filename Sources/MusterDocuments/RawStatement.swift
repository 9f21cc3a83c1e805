package import GRDB
import GRDBSQLite

/// A prepared statement of GRDB that binds and reads numbers without boxing them. Reading a row takes half the time,
/// which matters for reads of hundreds of thousands of rows.
///
/// Parameter indexes count from 1, column indexes from 0. Binding fails only for an index that the SQL does not have;
/// the first test that runs the statement shows such a mistake.
package struct RawStatement {
    @usableFromInline let statement: Statement
    @usableFromInline let handle: OpaquePointer

    /// Uses the connection's one cached statement of this SQL, and resets it. Two callers must not use the same SQL at
    /// the same time.
    ///
    /// - Throws: `DatabaseError` if SQLite cannot prepare the statement.
    @inlinable package init(_ sql: String, in database: Database) throws {
        statement = try database.cachedStatement(sql: sql)
        handle = statement.sqliteStatement
        sqlite3_reset(handle)
    }

    @inlinable package func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }
    @inlinable package func bind(_ index: Int32, _ value: Double) { sqlite3_bind_double(handle, index, value) }

    @inlinable package func bind(_ index: Int32, _ value: Int64?) {
        if let value { sqlite3_bind_int64(handle, index, value) } else { sqlite3_bind_null(handle, index) }
    }

    @inlinable package func bind(_ index: Int32, _ value: Double?) {
        if let value { sqlite3_bind_double(handle, index, value) } else { sqlite3_bind_null(handle, index) }
    }

    package func bind(_ index: Int32, _ value: String?) {
        guard var value else {
            sqlite3_bind_null(handle, index)
            return
        }
        value.withUTF8 { bytes in
            // SQLite would bind a null pointer as NULL.
            let start = UnsafeRawPointer(bytes.baseAddress ?? StaticString("").utf8Start)
            let text = start.assumingMemoryBound(to: CChar.self)
            _ = sqlite3_bind_text64(
                handle, index, text, UInt64(bytes.count), transientBytes, UInt8(SQLITE_UTF8))
        }
    }

    /// Runs `body` while the bytes are bound. SQLite reads them without a copy, and the parameter is NULL afterwards.
    ///
    /// - Throws: `DatabaseError` with `SQLITE_TOOBIG` for more than 2 GB; what `body` throws.
    @inlinable package func binding<Result>(_ index: Int32, _ bytes: ArraySlice<UInt8>, _ body: () throws -> Result)
        throws -> Result
    {
        try bytes.withUnsafeBytes {
            guard let count = Int32(exactly: $0.count) else {
                throw DatabaseError(resultCode: .SQLITE_TOOBIG, message: "the value is larger than 2 GB")
            }
            // SQLite would bind a null pointer as NULL.
            let start = $0.baseAddress ?? UnsafeRawPointer(StaticString("").utf8Start)
            sqlite3_bind_blob(handle, index, start, count, nil)
            defer { sqlite3_bind_null(handle, index) }
            return try body()
        }
    }

    /// Runs a statement that returns no row, and resets it for the next values.
    ///
    /// - Throws: `DatabaseError`.
    @inlinable package func run() throws {
        let code = sqlite3_step(handle)
        if code != SQLITE_DONE && code != SQLITE_ROW { try fail(code) }
        sqlite3_reset(handle)
    }

    /// Moves to the first or the next row. After the last row the statement is reset.
    ///
    /// - Returns: whether there is a row to read.
    /// - Throws: `DatabaseError`.
    @inlinable package func step() throws -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code != SQLITE_DONE { try fail(code) }
        sqlite3_reset(handle)
        return false
    }

    /// Resets the statement before the caller has read its last row.
    @inlinable package func reset() { sqlite3_reset(handle) }

    @inlinable package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    @inlinable package func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }
    @inlinable package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    @inlinable package func text(_ column: Int32) -> String? {
        guard let text = sqlite3_column_text(handle, column) else { return nil }
        let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, column)))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Runs `body` on the bytes of a blob, which are valid until the next step.
    @inlinable package func withBlob<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> Result)
        rethrows -> Result
    {
        let start = sqlite3_column_blob(handle, column)
        return try body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    @usableFromInline func fail(_ code: Int32) throws -> Never {
        let connection = sqlite3_db_handle(handle)
        let error = DatabaseError(
            resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection)),
            message: String(cString: sqlite3_errmsg(connection)), sql: statement.sql)
        sqlite3_reset(handle)
        throw error
    }
}

/// SQLite's `SQLITE_TRANSIENT`, a macro that Swift does not import: SQLite copies the bytes at once.
private let transientBytes = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
