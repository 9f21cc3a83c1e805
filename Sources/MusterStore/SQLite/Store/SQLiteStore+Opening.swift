import Foundation
import GRDB
import GRDBSQLite
import MusterDocuments

extension SQLiteStore {
    /// How connections are made, the writing one and the reading ones.
    static func configuration(_ options: Options) -> Configuration {
        var configuration = Configuration()
        configuration.label = "muster"
        // As many as there are threads that read (the server has four, and two for credentials), and two for backups.
        configuration.maximumReaderCount = 8
        configuration.foreignKeysEnabled = false
        // Only the command line's reading processes can be in the way, and not for long.
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA page_size = 4096")
            try database.execute(sql: "PRAGMA cache_size = -\(options.readerCacheKibibytes)")
        }
        return configuration
    }

    /// Opens the file. Where the disk has no room for what SQLite needs to open it, the reserve gives its own.
    ///
    /// - Returns: the connections, and what is damaged that the server can do without.
    /// - Throws: `StoreError.tooNew`, `.corrupt`, `.unwritable`, `.unavailable`.
    static func openPool(at path: String, in directory: String, options: Options) throws -> (DatabasePool, [String]) {
        func open() throws -> (DatabasePool, [String]) {
            try StoreError.naming(path) {
                let damage = try inspect(path)
                try PageChecksums.add(to: path, in: directory)
                return (try DatabasePool(path: path, configuration: configuration(options)), damage)
            }
        }
        do {
            return try open()
        } catch let error as StoreError where error.mayBeForLackOfRoom && DiskReserve.release(in: directory) {
            return try open()
        }
    }

    /// Brings the writing connection and the file into the state that the rest relies on.
    ///
    /// - Throws: `StoreError.tooNew`, `.corrupt`, `.unavailable`; `DatabaseError`.
    static func prepareWriter(_ database: Database, path: String, options: Options) throws {
        // GRDB sets NORMAL when it turns WAL on, after any `prepareDatabase`: only now does FULL stay.
        try database.execute(sql: "PRAGMA synchronous = FULL")
        guard try Int.fetchOne(database, sql: "PRAGMA synchronous") == 2,
            try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal"
        else { throw StoreError.unavailable(reason: "\(path): SQLite does not promise durability here") }
        #if canImport(Darwin)
            // An fsync of Apple's does not reach the disk's platter; this one does.
            try database.execute(sql: "PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
        #endif
        // What is erased is overwritten, not only unlinked. CommitPipeline erases nothing and pays nothing.
        try database.execute(sql: "PRAGMA secure_delete = ON")
        try database.execute(sql: "PRAGMA wal_autocheckpoint = 2000")
        try database.execute(sql: "PRAGMA journal_size_limit = 67108864")
        try database.execute(sql: "PRAGMA cache_size = -\(options.writerCacheKibibytes)")
        if let limit = options.pageLimit { try database.execute(sql: "PRAGMA max_page_count = \(limit)") }
        try migrate(database, path: path)
    }

    /// Brings the file to this program's version.
    private static func migrate(_ database: Database, path: String) throws {
        do {
            try Schema.migrate(database, path: path, uuid: UUID().uuidString.lowercased())
        } catch let error as DatabaseError where error.isRefusalToWrite {
            throw StoreError.unwritable(
                reason:
                    "\(path) must be brought to version \(Schema.version), and \(error.cause)")
        }
    }

    /// Looks at a file, without a change to it, before it is opened for writing: whose it is, its version, and whether
    /// it is damaged. Reads all of a small file, else all but the log and the history, which `check` reads.
    ///
    /// - Returns: what is damaged that the server can do without.
    /// - Throws: `StoreError.tooNew`; `.corrupt` where it cannot do without it; `DatabaseError`.
    static func inspect(_ path: String) throws -> [String] {
        var damage = DamagedContents()
        if PageChecksums.areClaimed(by: path), try DataFile.size(of: path) <= quickCheckPageLimit * 4096 {
            let pages = try PageScan(of: path).damaged
            if !pages.isEmpty { damage = DamagedContents(of: pages, in: path) }
            if let vital = damage.vital {
                let list = damage.findings.prefix(10).joined(separator: "; ")
                throw StoreError.corrupt(path: path, reason: "\(vital) cannot be read: \(list)")
            }
        }
        let queue = try PageChecksums.openForReading(path)
        try queue.read { try checkQuickly($0, path: path, leavingOut: damage.tables) }
        try queue.close()
        return damage.findings
    }

    private static func checkQuickly(_ database: Database, path: String, leavingOut damaged: Set<String>) throws {
        guard try Schema.version(of: database, path: path) > 0 else { return }
        let pages = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        var checks = ["PRAGMA quick_check(1)"]
        if pages > quickCheckPageLimit || !damaged.isEmpty {
            let tables = try String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
            let spared = pages > quickCheckPageLimit ? damaged.union(["log", "history"]) : damaged
            checks = tables.filter { !spared.contains($0) }.map { "PRAGMA quick_check(\($0))" }
        }
        for check in checks {
            let answer = try String.fetchOne(database, sql: check) ?? "no answer"
            guard answer == "ok" else { throw StoreError.corrupt(path: path, reason: answer) }
        }
    }

    /// Files up to 64 MiB are looked at whole when they are opened.
    private static let quickCheckPageLimit: Int64 = 16_384
}

extension StoreError {
    /// Runs `body`, and tells what SQLite or the codec refused in our words.
    ///
    /// - Throws: `StoreError`, or what else `body` throws.
    static func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DatabaseError {
            switch error.resultCode {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB:
                throw StoreError.corrupt(path: path, reason: error.message ?? "damaged")
            case .SQLITE_IOERR where error.extendedResultCode.rawValue == PageChecksums.mismatch:
                let words = StoreWords.describe(sql: error.sql) ?? "what is read"
                throw StoreError.corrupt(path: path, reason: "a page of \(words) does not match its checksum")
            case _ where error.isRefusalToWrite:
                throw StoreError.unwritable(reason: error.cause)
            default:
                throw StoreError.unavailable(reason: error.cause)
            }
        } catch let fault as CodecError {
            throw StoreError.corrupt(path: path, reason: "a stored value cannot be read (\(fault))")
        }
    }
    /// Whether what SQLite said when it opened the file may be for want of room on the disk.
    fileprivate var mayBeForLackOfRoom: Bool {
        switch self {
        case .unwritable, .unavailable: true
        default: false
        }
    }
}

extension DatabaseError {
    /// What went wrong, in SQLite's words. Where the connection has no message of the failed call ("not an error"),
    /// these are the words for the result code.
    var cause: String {
        if let message, message != "not an error" { return message }
        return String(cString: sqlite3_errstr(extendedResultCode.rawValue))
    }

    /// Whether the disk or the file system did not take what was to be written.
    var isRefusalToWrite: Bool {
        switch resultCode {
        case .SQLITE_FULL, .SQLITE_READONLY: true
        case .SQLITE_IOERR:
            extendedResultCode != .SQLITE_IOERR_READ && extendedResultCode != .SQLITE_IOERR_SHORT_READ
                && extendedResultCode.rawValue != PageChecksums.mismatch
        default: false
        }
    }
}
