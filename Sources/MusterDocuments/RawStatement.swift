package import GRDB
import GRDBSQLite

/// A prepared statement of GRDB whose numbers are bound and read without boxing: half the time of a row, where rows
/// come by the hundred thousand.
///
/// Binding cannot fail for an index that the SQL has; a mistaken index shows in the first test that runs it.
package struct RawStatement {
    @usableFromInline let statement: Statement
    @usableFromInline let handle: OpaquePointer

    /// The connection's one copy of this SQL. Two users of one SQL must not overlap.
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
            // A null pointer would bind NULL.
            let start = UnsafeRawPointer(bytes.baseAddress ?? StaticString("").utf8Start)
            let text = start.assumingMemoryBound(to: CChar.self)
            _ = sqlite3_bind_text64(
                handle, index, text, UInt64(bytes.count), transientBytes, UInt8(SQLITE_UTF8))
        }
    }

    /// Runs `body` with the bytes bound; SQLite reads them where they are.
    @inlinable package func binding<Result>(_ index: Int32, _ bytes: ArraySlice<UInt8>, _ body: () throws -> Result)
        throws -> Result
    {
        try bytes.withUnsafeBytes {
            guard let count = Int32(exactly: $0.count) else {
                throw DatabaseError(resultCode: .SQLITE_TOOBIG, message: "a value larger than 2 GB")
            }
            // A null pointer would bind NULL.
            let start = $0.baseAddress ?? UnsafeRawPointer(StaticString("").utf8Start)
            sqlite3_bind_blob(handle, index, start, count, nil)
            defer { sqlite3_bind_null(handle, index) }
            return try body()
        }
    }

    /// Runs a statement that returns no row, and makes it ready for the next values.
    ///
    /// - Throws: `DatabaseError`.
    @inlinable package func run() throws {
        let code = sqlite3_step(handle)
        if code != SQLITE_DONE && code != SQLITE_ROW { try fail(code) }
        sqlite3_reset(handle)
    }

    /// Whether there is a (next) row to read.
    ///
    /// - Throws: `DatabaseError`.
    @inlinable package func step() throws -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code != SQLITE_DONE { try fail(code) }
        sqlite3_reset(handle)
        return false
    }

    /// Makes the statement ready for its next use before its last row was read.
    @inlinable package func reset() { sqlite3_reset(handle) }

    @inlinable package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    @inlinable package func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }
    @inlinable package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    @inlinable package func text(_ column: Int32) -> String? {
        guard let text = sqlite3_column_text(handle, column) else { return nil }
        let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, column)))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Runs `body` on a blob's bytes, which are good until the next step.
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

/// SQLite's SQLITE_TRANSIENT, a macro that Swift does not import: the bytes are copied at once.
private let transientBytes = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
