import GRDBSQLite
import NIOCore

/// An SQLite database that a stranger may have made, open for reading on one connection. One thread uses it at a time.
///
/// Views and triggers in it can call nothing but SQLite's harmless functions, and each question may take a limited
/// number of steps and give values of a limited size.
final class SQLiteFile {
    let path: String
    private let connection: OpaquePointer
    private let stepsLeft: UnsafeMutablePointer<Int>

    /// How many steps of SQLite's virtual machine one question may take: some 50 ms.
    private static let mostSteps = 2_000_000
    private static let stepsBetweenChecks: CInt = 1_000

    /// A value of a row.
    enum Value {
        case null
        case integer(Int64)
        case text(String)
        case blob(ByteBuffer)
    }

    /// - Parameter longestValue: how many bytes a value may have.
    /// - Throws: SQLite's words.
    init(path: String, longestValue: Int) throws(TileFileError) {
        self.path = path
        var opened: OpaquePointer?
        // The system's own files: the default of this process may be the one that expects checksums in each page.
        let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, "unix")
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw TileFileError(path, .sqlite(String(cString: sqlite3_errstr(code))))
        }
        connection = opened
        stepsLeft = .allocate(capacity: 1)
        stepsLeft.initialize(to: 0)
        sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, CInt(longestValue))
        sqlite3_limit(opened, SQLITE_LIMIT_ATTACHED, 0)
        sqlite3_progress_handler(
            opened, Self.stepsBetweenChecks,
            { steps in
                guard let steps = steps?.assumingMemoryBound(to: Int.self) else { return 1 }
                steps.pointee -= Int(SQLiteFile.stepsBetweenChecks)
                return steps.pointee > 0 ? 0 : 1
            }, stepsLeft)
        for pragma in ["trusted_schema = OFF", "cell_size_check = ON", "query_only = ON", "mmap_size = 0"] {
            sqlite3_exec(opened, "PRAGMA \(pragma)", nil, nil, nil)
        }
    }

    deinit {
        sqlite3_close_v2(connection)
        stepsLeft.deallocate()
    }

    /// A question, compiled once and asked again and again.
    final class Statement {
        fileprivate let handle: OpaquePointer

        fileprivate init(_ handle: OpaquePointer) { self.handle = handle }

        deinit { sqlite3_finalize(handle) }
    }

    func prepare(_ query: String) throws(TileFileError) -> Statement {
        var handle: OpaquePointer?
        stepsLeft.pointee = Self.mostSteps
        let code = sqlite3_prepare_v3(connection, query, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else { throw fault(code) }
        return Statement(handle)
    }

    /// Asks a question, and hands each row to `body` until that returns false.
    func ask(_ statement: Statement, _ arguments: [Int64] = [], _ body: ([Value]) -> Bool) throws(TileFileError) {
        let handle = statement.handle
        defer { sqlite3_reset(handle) }
        for (index, argument) in arguments.enumerated() { sqlite3_bind_int64(handle, CInt(index + 1), argument) }
        stepsLeft.pointee = Self.mostSteps
        while true {
            let code = sqlite3_step(handle)
            switch code {
            case SQLITE_DONE: return
            case SQLITE_ROW:
                guard body((0..<sqlite3_column_count(handle)).map { Self.value(handle, $0) }) else { return }
            default: throw fault(code)
            }
        }
    }

    private static func value(_ handle: OpaquePointer, _ column: CInt) -> Value {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
        case SQLITE_BLOB:
            let bytes = UnsafeRawBufferPointer(
                start: sqlite3_column_blob(handle, column), count: Int(sqlite3_column_bytes(handle, column)))
            return .blob(ByteBuffer(bytes: bytes))
        case SQLITE_NULL: return .null
        default:
            let text = UnsafeBufferPointer(
                start: sqlite3_column_text(handle, column), count: Int(sqlite3_column_bytes(handle, column)))
            return .text(String(decoding: text, as: UTF8.self))
        }
    }

    private func fault(_ code: CInt) -> TileFileError {
        if code == SQLITE_INTERRUPT { return TileFileError(path, .slowQuery) }
        return TileFileError(path, .sqlite(String(cString: sqlite3_errmsg(connection))))
    }
}
