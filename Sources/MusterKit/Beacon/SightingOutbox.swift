import Foundation
import GRDB
import MusterMutex

/// The sightings of this device that the server does not have yet, in a file.
///
/// Stored sightings are on the disk when `store` returns, and survive kill -9 and a loss of power. Reports are
/// idempotent: the server counts a repeated sighting once, so sightings that were sent but not removed before a crash
/// are sent again.
package final class SightingOutbox: SightingQueue {
    private let file: DatabaseQueue
    private let limitBytes: Int64
    private let announced = Broadcast<Void>()

    /// Opens the outbox, or makes one. Its file is readable by its owner only.
    ///
    /// - Parameters:
    ///   - path: the path of the file; nil for one in memory.
    ///   - limitBytes: the size of the file from which on the oldest sightings are removed for new ones.
    /// - Throws: `SightingOutboxError`.
    package init(path: String?, limitBytes: Int64) throws(SightingOutboxError) {
        self.limitBytes = limitBytes
        file = try SightingOutboxError.naming {
            guard let path else { return try DatabaseQueue() }
            if !FileManager.default.fileExists(atPath: path) {
                _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
            }
            var configuration = Configuration()
            configuration.prepareDatabase { database in
                // One process alone uses the file, until it ends, however it ends.
                try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;")
            }
            let file = try DatabaseQueue(path: path, configuration: configuration)
            try file.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            return file
        }
        try SightingOutboxError.naming {
            try file.write { database in
                let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
                guard version <= Self.version else { throw SightingOutboxError.tooNew(version: version) }
                if version == 0 { try database.execute(sql: Self.tables) }
                if version == 1 { try database.execute(sql: Self.secondStep) }
                try database.execute(sql: "PRAGMA user_version = \(Self.version)")
            }
        }
    }

    private static let version = 2
    private static let table = "batches"
    private static let tables =
        SightingRows.createTable(table) + """
            -- The device that the server knows this outbox by, once it has answered.
            CREATE TABLE account (
                number INTEGER PRIMARY KEY CHECK (number = 1), server TEXT NOT NULL, device TEXT NOT NULL);

            """
    private static let secondStep = "ALTER TABLE batches ADD COLUMN decides INTEGER NOT NULL DEFAULT 0;"

    /// A stream with an element after each call of `store`. Several calls may share one element.
    package func announcements() -> AsyncStream<Void> { announced.subscribe(limit: 1) }

    // MARK: Storing

    /// Stores batches in one transaction.
    ///
    /// - Returns: the number of the oldest sightings that were removed because the outbox was full.
    /// - Throws: `SightingOutboxError`; nothing is stored then.
    @discardableResult
    package func store(_ batches: [SightingBatch]) async throws(SightingOutboxError) -> Int {
        let limit = limitBytes
        let removed = try await SightingOutboxError.naming { [file] in
            try await file.write { database in
                let rows = SightingRows(database, table: Self.table)
                for batch in batches { try rows.insert(batch) }
                return try rows.makeRoom(limitBytes: limit)
            }
        }
        announced.send(())
        return removed
    }

    // MARK: Sending

    /// Returns the oldest rows; nil when there are none.
    ///
    /// - Parameter rowLimit: the most rows.
    package func page(rowLimit: Int) async throws(SightingOutboxError) -> SightingPage? {
        try await SightingOutboxError.naming { [file] in
            try await file.readIfOpen { try SightingRows($0, table: Self.table).page(rowLimit: rowLimit) }
        }
    }

    /// Removes the rows of a page.
    package func remove(_ page: SightingPage) async throws(SightingOutboxError) {
        try await SightingOutboxError.naming { [file] in
            try await file.write { try SightingRows($0, table: Self.table).remove(page) }
        }
    }

    /// The number of sightings that wait.
    package func count() async throws(SightingOutboxError) -> Int {
        try await SightingOutboxError.naming { [file] in
            try await file.readIfOpen { try SightingRows($0, table: Self.table).count() }
        }
    }

    /// Stores which device the server recognized the sender as.
    ///
    /// - Parameter takesOver: whether sightings that wait may be another device's, or meant for another server.
    /// - Throws: `SightingOutboxError.otherDevice` when they are and may not be.
    package func recognize(
        device: String, at server: String, takesOver: Bool = false
    ) async throws(SightingOutboxError) {
        try await SightingOutboxError.naming { [file] in
            try await file.write { database in
                let known = try Row.fetchOne(database, sql: "SELECT server, device FROM account")
                let before = known.map { (device: $0["device"] as String, server: $0["server"] as String) }
                if !takesOver, let before, before != (device, server) {
                    let waiting = try SightingRows(database, table: Self.table).count()
                    guard waiting == 0 else {
                        throw SightingOutboxError.otherDevice(
                            before.device, server: before.server, waiting: waiting)
                    }
                }
                try database.execute(
                    sql: "INSERT OR REPLACE INTO account (number, server, device) VALUES (1, ?, ?)",
                    arguments: [server, device])
            }
        }
    }
}

/// An error of the outbox of sightings.
package enum SightingOutboxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process uses the file.
    case inUse
    /// The file was written by a later version of Muster.
    case tooNew(version: Int)
    /// Sightings of another device wait in the file.
    case otherDevice(String, server: String, waiting: Int)
    /// This device's disk is full. Nothing of the call was stored.
    case full
    /// The file cannot be read or written.
    case unavailable(reason: String)

    /// One sentence without a full stop.
    package var description: String {
        switch self {
        case .inUse: "another program uses it"
        case .tooNew(let version): "it is of version \(version), which is later than this program"
        case .otherDevice(let device, let server, let waiting):
            "\(waiting) sightings wait in it that \(device) heard for \(server); --take-over sends them all the same"
        case .full: "the disk of this device is full"
        case .unavailable(let reason): "it cannot be used: \(reason)"
        }
    }

    static func naming<Success>(
        _ body: () throws -> Success
    ) throws(SightingOutboxError) -> Success {
        do { return try body() } catch { throw Self(error) }
    }

    static func naming<Success>(
        _ body: () async throws -> Success
    ) async throws(SightingOutboxError) -> Success {
        do { return try await body() } catch { throw Self(error) }
    }

    private init(_ error: any Error) {
        switch error {
        case let known as SightingOutboxError: self = known
        case let error as DatabaseError where error.resultCode == .SQLITE_BUSY: self = .inUse
        case let error as DatabaseError where error.resultCode == .SQLITE_FULL: self = .full
        case LocalStoreError.full: self = .full
        case let error as DatabaseError: self = .unavailable(reason: error.message ?? "SQLite refuses it")
        default: self = .unavailable(reason: "\(error)")
        }
    }
}
