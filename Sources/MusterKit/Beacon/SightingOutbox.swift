import Foundation
import GRDB
import MusterCore
import MusterWire
import Synchronization

/// The sightings of this device that the server does not have yet, in a file.
///
/// What was stored is on the disk when `store` returns, and survives kill -9 and a loss of power. The server takes the
/// same sighting twice as one, so what was sent and not removed before a crash is sent again.
package final class SightingOutbox: Sendable {
    private let file: DatabaseQueue
    private let limitBytes: Int64
    private let announced = Broadcast<Void>()

    /// The most sightings in one row of the file.
    private static let rowSightings = 200

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
                if version == 0 { try database.execute(sql: Self.tables + "PRAGMA user_version = \(Self.version)") }
            }
        }
    }

    private static let version = 1
    private static let tables = """
        -- A batch: until when the device listened, the JSON objects of its sightings with commas between, and how many.
        CREATE TABLE batches (
            number INTEGER PRIMARY KEY AUTOINCREMENT, until INTEGER NOT NULL, sightings BLOB NOT NULL,
            count INTEGER NOT NULL);
        -- The device that the server knows this outbox by, once it has answered.
        CREATE TABLE account (
            number INTEGER PRIMARY KEY CHECK (number = 1), server TEXT NOT NULL, device TEXT NOT NULL);

        """

    /// A stream with an element after each stored batch. Several batches may give one element.
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
                for batch in batches { try Self.insert(batch, database) }
                return try Self.makeRoom(limit, database)
            }
        }
        announced.send(())
        return removed
    }

    private static func insert(_ batch: SightingBatch, _ database: Database) throws {
        if batch.sightings.isEmpty {
            // That the device listened and heard nothing is one row, however long it lasts.
            try database.execute(
                sql: """
                    UPDATE batches SET until = max(until, ?)
                    WHERE number = (SELECT max(number) FROM batches) AND count = 0
                    """, arguments: [batch.until.milliseconds])
            if database.changesCount > 0 { return }
        }
        var rest = batch.sightings[...]
        repeat {
            let row = rest.prefix(rowSightings)
            rest = rest.dropFirst(row.count)
            var writer = JSONWriter()
            writer.beginArray()
            for sighting in row { writer.report(sighting) }
            writer.endArray()
            let objects = writer.takeBytes().dropFirst().dropLast()
            // The parts of an interval come in any order, so the last part alone says until when it lasted.
            let until = rest.isEmpty ? batch.until : row.last?.sampleTime ?? batch.until
            try database.execute(
                sql: "INSERT INTO batches (until, sightings, count) VALUES (?, ?, ?)",
                arguments: [until.milliseconds, Data(objects), row.count])
        } while !rest.isEmpty
    }

    private static func makeRoom(_ limitBytes: Int64, _ database: Database) throws -> Int {
        let pages = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        let free = try Int64.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
        let size = try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 0
        guard (pages - free) * size > limitBytes else { return 0 }
        // A tenth at once, so that the next batches need no removal each.
        let rows = try Int.fetchOne(database, sql: "SELECT count(*) FROM batches") ?? 0
        let last = "SELECT max(number) FROM (SELECT number FROM batches ORDER BY number LIMIT \(max(1, rows / 10)))"
        let removed = try Int.fetchOne(database, sql: "SELECT sum(count) FROM batches WHERE number <= (\(last))") ?? 0
        try database.execute(sql: "DELETE FROM batches WHERE number <= (\(last))")
        return removed
    }

    // MARK: Sending

    /// The oldest rows of the outbox.
    package struct Page: Sendable {
        /// The number of the last row.
        package var last: Int64
        /// The number of rows.
        package var rows: Int
        /// The number of sightings.
        package var sightings: Int
        /// The body of a request that reports them.
        package var body: [UInt8]
    }

    /// Returns the oldest rows; nil when there are none.
    ///
    /// - Parameter rowLimit: the most rows.
    package func page(rowLimit: Int) async throws(SightingOutboxError) -> Page? {
        try await SightingOutboxError.naming { [file] in
            try await file.read { database in
                var page = Page(last: 0, rows: 0, sightings: 0, body: [])
                var until = Int64.min
                var objects: [UInt8] = []
                let rows = try Row.fetchCursor(
                    database, sql: "SELECT number, until, sightings, count FROM batches ORDER BY number LIMIT ?",
                    arguments: [rowLimit])
                while let row = try rows.next() {
                    let count: Int = row["count"]
                    guard page.rows == 0 || page.sightings + count <= SightingDecoder.limit else { break }
                    let piece: Data = row["sightings"]
                    if !objects.isEmpty, !piece.isEmpty { objects.append(UInt8(ascii: ",")) }
                    objects += piece
                    page.last = row["number"]
                    page.rows += 1
                    page.sightings += count
                    until = max(until, row["until"])
                }
                guard page.rows > 0 else { return nil }
                page.body = JSONWriter.object { writer in
                    writer.member("listenedUntil", Instant(milliseconds: until))
                    writer.key("sightings")
                    writer.raw(Array("[".utf8) + objects + Array("]".utf8))
                }
                return page
            }
        }
    }

    /// Removes the rows of a page.
    package func remove(_ page: Page) async throws(SightingOutboxError) {
        try await SightingOutboxError.naming { [file] in
            try await file.write { database in
                try database.execute(sql: "DELETE FROM batches WHERE number <= ?", arguments: [page.last])
            }
        }
    }

    /// The number of sightings that wait.
    package func count() async throws(SightingOutboxError) -> Int {
        try await SightingOutboxError.naming { [file] in
            try await file.read { try Int.fetchOne($0, sql: "SELECT sum(count) FROM batches") ?? 0 }
        }
    }

    /// Takes note of the device that the server knows the sender by.
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
                    let waiting = try Int.fetchOne(database, sql: "SELECT sum(count) FROM batches") ?? 0
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

/// Why the outbox of sightings cannot be used.
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

    fileprivate static func naming<Success>(
        _ body: () throws -> Success
    ) throws(SightingOutboxError) -> Success {
        do { return try body() } catch { throw Self(error) }
    }

    fileprivate static func naming<Success>(
        _ body: () async throws -> Success
    ) async throws(SightingOutboxError) -> Success {
        do { return try await body() } catch { throw Self(error) }
    }

    private init(_ error: any Error) {
        switch error {
        case let known as SightingOutboxError: self = known
        case let error as DatabaseError where error.resultCode == .SQLITE_BUSY: self = .inUse
        case let error as DatabaseError where error.resultCode == .SQLITE_FULL: self = .full
        case let error as DatabaseError: self = .unavailable(reason: error.message ?? "SQLite refuses it")
        default: self = .unavailable(reason: "\(error)")
        }
    }
}
