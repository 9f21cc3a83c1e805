import Foundation
import GRDB
import GRDBSQLite
import MusterDocuments

/// Opens the file: SQLite's settings, the schema migration, and the check at the start.
extension SQLiteStore {
    /// The configuration of the connections, for writing and for reading.
    static func configuration(_ options: Options) -> Configuration {
        var configuration = Configuration()
        configuration.label = "muster"
        // One connection for each thread that reads (the server has four, and two for credentials), and two for
        // backups.
        configuration.maximumReaderCount = 8
        configuration.foreignKeysEnabled = false
        // Only reading processes of the command line can hold a lock, and not for long.
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA page_size = 4096")
            try database.execute(sql: "PRAGMA cache_size = -\(options.readerCacheKibibytes)")
        }
        return configuration
    }

    /// Opens the file. If the disk has too little room for the files that SQLite needs, the store deletes the reserve
    /// and tries again.
    ///
    /// - Returns: the connections, and a line of text for each damage that the server can do without.
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

    /// Sets the pragmas of the writing connection, and upgrades the file.
    ///
    /// - Throws: `StoreError.tooNew`, `.corrupt`, `.unwritable`, `.unavailable`; `DatabaseError`.
    static func prepareWriter(_ database: Database, path: String, options: Options) throws {
        // GRDB sets NORMAL when it turns WAL on, after `prepareDatabase`. Only from here on does FULL stay.
        try database.execute(sql: "PRAGMA synchronous = FULL")
        guard try Int.fetchOne(database, sql: "PRAGMA synchronous") == 2,
            try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal"
        else { throw StoreError.unavailable(reason: "\(path): SQLite cannot guarantee durability here") }
        #if canImport(Darwin)
            // On Apple's systems fsync does not flush the drive's own cache; F_FULLFSYNC does.
            try database.execute(sql: "PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
        #endif
        // SQLite overwrites deleted data and does not only unlink it. Commits of positions delete nothing, so this
        // costs them nothing.
        try database.execute(sql: "PRAGMA secure_delete = ON")
        // A commit that leaves 2,000 pages or more (8 MB) in the WAL does a checkpoint before it returns: SQLite copies
        // the pages into the database's file.
        try database.execute(sql: "PRAGMA wal_autocheckpoint = 2000")
        try database.execute(sql: "PRAGMA journal_size_limit = 67108864")
        try database.execute(sql: "PRAGMA cache_size = -\(options.writerCacheKibibytes)")
        if let limit = options.pageLimit { try database.execute(sql: "PRAGMA max_page_count = \(limit)") }
        try migrate(database, path: path)
    }

    /// Upgrades the file to this program's version.
    private static func migrate(_ database: Database, path: String) throws {
        do {
            try Schema.migrate(database, path: path, uuid: UUID().uuidString.lowercased())
        } catch let error as DatabaseError where error.isRefusalToWrite {
            throw StoreError.unwritable(
                reason:
                    "\(path) must be brought to version \(Schema.version), and \(error.cause)")
        }
    }

    /// Checks a file before the store opens it for writing: that it is Muster's, its version, and whether it is
    /// damaged. Reads a small file whole, and of a large one everything except the log and the history, which `check`
    /// reads. Changes nothing.
    ///
    /// - Returns: a line of text for each damage that the server can do without.
    /// - Throws: `StoreError.tooNew`; `.corrupt` for damage that it cannot do without; `DatabaseError`.
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

    /// A file of up to this many pages (64 MiB) is checked whole when it is opened.
    private static let quickCheckPageLimit: Int64 = 16_384
}

extension StoreError {
    /// Runs `body`, and translates errors of SQLite and the codec.
    ///
    /// - Throws: `StoreError`; what else `body` throws.
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
    /// Whether SQLite may have failed to open the file because the disk is full.
    fileprivate var mayBeForLackOfRoom: Bool {
        switch self {
        case .unwritable, .unavailable: true
        default: false
        }
    }
}

extension DatabaseError {
    /// The error's message, or the text of its result code if the connection has no message of the failed call ("not an
    /// error").
    var cause: String {
        if let message, message != "not an error" { return message }
        return String(cString: sqlite3_errstr(extendedResultCode.rawValue))
    }

    /// Whether the disk or the file system refused a write.
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
