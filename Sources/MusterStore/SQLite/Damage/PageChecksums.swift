import CPageChecksums
import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// Checksums at the end of each page of the store's file. A file system layer under SQLite (`CPageChecksums`) verifies
/// every page that SQLite reads from the disk, whichever table or index it belongs to. The read of a page that does not
/// match fails with `SQLITE_IOERR_DATA`. A page gets its checksum when a checkpoint writes it into the file. The
/// write-ahead log has SQLite's own checksums, which SQLite verifies when the store opens.
enum PageChecksums {
    static let pageSize = 4096
    /// SQLite's code for a page that does not match: `SQLITE_IOERR_DATA`.
    static let mismatch = SQLITE_IOERR | 32 << 8

    /// Makes SQLite verify pages from now on. Calling it again does nothing more.
    ///
    /// - Throws: `StoreError.unavailable`.
    static func install() throws {
        let code = page_checksums_install { path, page in
            guard let path else { return }
            DamagedPages.found.insert(Int(page), of: String(cString: path))
        }
        guard code == SQLITE_OK else {
            throw StoreError.unavailable(reason: "SQLite cannot verify page checksums here (error \(code))")
        }
    }

    /// Whether the pages of a file have checksums; false for a file that is empty or no database.
    static func areClaimed(by path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        guard let header = try? file.read(upToCount: 100), header.count == 100 else { return false }
        return Array(header).withUnsafeBufferPointer { page_checksums_are_claimed($0.baseAddress) } != 0
    }

    /// Adds checksums to the pages of a file that has none: to an empty file directly, to a file of an earlier version
    /// by a copy that replaces it once it is on the disk. The process may be killed at any moment.
    ///
    /// - Throws: `StoreError`; `DatabaseError`.
    /// - Precondition: the caller holds the folder's lock, and nobody has the file open.
    static func add(to path: String, in directory: String) throws {
        if try DataFile.size(of: path) == 0 {
            let queue = try DatabaseQueue(path: path)
            try queue.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA page_size = \(pageSize)")
                try claim(in: database)
                try database.execute(sql: "PRAGMA user_version = \(page_checksums_user_version)")
            }
            try queue.close()
        } else if !areClaimed(by: path) {
            try rebuild(path, in: directory)
        }
    }

    /// Makes an empty database reserve room for checksums and write them.
    ///
    /// - Throws: `StoreError.unavailable`.
    static func claim(in database: Database) throws {
        try reserve(in: database)
        let operation = Int32(page_checksums_seal_empty)
        guard sqlite3_file_control(database.sqliteConnection, "main", operation, nil) == SQLITE_OK else {
            throw StoreError.unavailable(reason: "SQLite cannot add checksums to a new file here")
        }
    }

    private static func reserve(in database: Database) throws {
        var count = Int32(page_checksums_bytes)
        let code = sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
        guard code == SQLITE_OK else {
            throw StoreError.unavailable(reason: "SQLite cannot reserve room for checksums here (error \(code))")
        }
    }

    private static func rebuild(_ path: String, in directory: String) throws {
        let copy = directory + "/.muster-checksums.sqlite"
        for suffix in ["", "-journal", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + suffix) }
        let refusal = DataFile.create(copy, exclusively: true)
        guard refusal == 0 else { throw StoreError.unavailable(reason: "\(copy): \(DataFile.describe(refusal))") }
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let former = try DatabaseQueue(path: path)
        let before = try former.writeWithoutTransaction { database in
            // The write-ahead log goes into the file first. SQLite would apply a log that remains to the copy.
            try database.execute(sql: "PRAGMA journal_mode = DELETE")
            try reserve(in: database)
            let mode = page_checksums_set_mode(Int32(page_checksums_new_files_sealed.rawValue))
            defer { page_checksums_set_mode(mode) }
            try database.execute(sql: "VACUUM INTO ?", arguments: [copy])
            return try rowCounts(in: database)
        }
        try former.close()
        let queue = try DatabaseQueue(path: copy)
        let after = try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA user_version = \(page_checksums_user_version)")
            return try rowCounts(in: database)
        }
        try queue.close()
        guard areClaimed(by: copy), before == after else {
            throw StoreError.unavailable(reason: "the copy of \(path) with checksums has other rows than the file")
        }
        let failure = DataFile.synchronise(copy)
        guard failure == 0 else { throw StoreError.unavailable(reason: "\(copy): \(DataFile.describe(failure))") }
        guard rename(copy, path) == 0 else {
            throw StoreError.unavailable(reason: "\(path): \(DataFile.describe(errno))")
        }
        _ = DataFile.synchronise(directory)
    }

    /// Returns the number of rows of each table.
    private static func rowCounts(in database: Database) throws -> [String: Int] {
        let tables = try String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        var counts: [String: Int] = [:]
        for table in tables {
            counts[table] = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table.quotedDatabaseIdentifier)")
        }
        return counts
    }

    /// Opens a file for reading without verifying its pages. The caller must expect damaged data.
    static func openUnverified(_ path: String) throws -> DatabaseQueue {
        let mode = page_checksums_set_mode(Int32(page_checksums_unverified.rawValue))
        defer { page_checksums_set_mode(mode) }
        return try openForReading(path)
    }

    static func openForReading(_ path: String) throws -> DatabaseQueue {
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        return try DatabaseQueue(path: path, configuration: configuration)
    }
}

/// The damaged pages that reads have found since the process began, by file.
final class DamagedPages: Sendable {
    static let found = DamagedPages()
    /// The largest number of pages recorded for a file.
    private static let limit = 1000

    private struct File {
        var pages: Set<Int> = []
        var listener: (@Sendable (Int) -> Void)?
    }

    private let files = Mutex<[String: File]>([:])

    /// Records a page, and calls the file's listener if the page is new.
    func insert(_ page: Int, of path: String) {
        let listener = files.withLock { files -> (@Sendable (Int) -> Void)? in
            guard files[path, default: File()].pages.count < Self.limit else { return nil }
            return files[path, default: File()].pages.insert(page).inserted ? files[path]?.listener : nil
        }
        listener?(page)
    }

    func pages(of path: String) -> Set<Int> { files.withLock { $0[Self.resolve(path)]?.pages ?? [] } }

    /// Calls `listener` once for each damaged page of a file that a read finds from now on, on the thread of the read.
    func listen(to path: String, _ listener: @escaping @Sendable (Int) -> Void) {
        files.withLock { $0[Self.resolve(path), default: File()].listener = listener }
    }

    /// Forgets the pages and the listener of a file that is about to be opened anew.
    func forget(_ path: String) { _ = files.withLock { $0.removeValue(forKey: Self.resolve(path)) } }

    /// Returns a path as SQLite reports it, with symbolic links resolved.
    private static func resolve(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
