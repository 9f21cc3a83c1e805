import Foundation
import GRDB
import MusterCore
import MusterWire

/// The ranges of this device that the server does not have yet, in a file. Stored ranges are on the disk when `store`
/// returns, and survive kill -9 and a loss of power. Reports are idempotent: the server counts a repeated range once.
struct RangeOutbox: Sendable {
    /// Ranges that wait, oldest first.
    struct Page: Sendable {
        /// The number of the last row.
        var last: Int64
        /// The times of the ranges.
        var times: [Instant]
        /// The JSON objects of the ranges.
        var objects: [[UInt8]]

        /// The body of a request that reports them.
        ///
        /// - Parameter device: the device that measured them; nil for the device of the credentials.
        func body(of device: String?) -> [UInt8] {
            var named: [UInt8] = []
            if let device {
                // The object without the brace at its end: the members of a range follow.
                named = JSONWriter.object { $0.member("device", device) }.dropLast() + [UInt8(ascii: ",")]
            }
            var body = [UInt8(ascii: "[")]
            for (index, object) in objects.enumerated() {
                if index > 0 { body.append(UInt8(ascii: ",")) }
                body += named
                body += named.isEmpty ? object[...] : object.dropFirst()
            }
            return body + [UInt8(ascii: "]")]
        }
    }

    private let file: DatabaseQueue
    private let limit: Int

    /// The largest number of waiting ranges: some 28 hours of one a second.
    static let mostWaiting = 100_000
    private static let version = 1

    /// Opens the outbox, or makes one. Its file is readable by its owner only, because the tags in it are secrets.
    ///
    /// - Parameters:
    ///   - path: the path of the file; nil for one in memory.
    ///   - limit: the largest number of waiting ranges. One more removes the oldest tenth.
    /// - Throws: `DatabaseError`; `RangeReportError.tooNew`.
    init(path: String?, limit: Int = RangeOutbox.mostWaiting) throws {
        self.limit = limit
        if let path {
            if !FileManager.default.fileExists(atPath: path) {
                _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
            }
            var configuration = Configuration()
            configuration.prepareDatabase { database in
                // One process alone uses the file, until it ends, however it ends.
                try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;")
            }
            file = try DatabaseQueue(path: path, configuration: configuration)
            try file.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        } else {
            file = try DatabaseQueue()
        }
        try file.write { database in
            let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            guard version <= Self.version else { throw RangeReportError.tooNew(version: version) }
            guard version == 0 else { return }
            try database.execute(
                sql: """
                    -- A range as the JSON object of a report.
                    CREATE TABLE ranges (
                        number INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, object BLOB NOT NULL);
                    -- The device that the server knows this outbox by, once it has answered.
                    CREATE TABLE account (
                        number INTEGER PRIMARY KEY CHECK (number = 1), server TEXT NOT NULL, device TEXT NOT NULL);
                    PRAGMA user_version = \(Self.version);
                    """)
        }
    }

    /// Stores a range. If more than `limit` wait then, the oldest are removed.
    func store(_ range: MeasuredRange) async throws {
        try await file.write { [limit] database in
            try database.execute(
                sql: "INSERT INTO ranges (time, object) VALUES (?, ?)",
                arguments: [range.instant.milliseconds, Data(range.object)])
            // Rows are removed oldest first, so the numbers of those that are left have no gaps.
            try database.execute(
                sql: """
                    DELETE FROM ranges WHERE number <= (SELECT min(number) + ?2 FROM ranges)
                        AND (SELECT max(number) - min(number) FROM ranges) >= ?1
                    """, arguments: [limit, limit / 10])
        }
    }

    /// Returns the oldest ranges; nil when none wait.
    func page(limit: Int) async throws -> Page? {
        try await file.readIfOpen { database in
            let rows = try Row.fetchAll(
                database, sql: "SELECT number, time, object FROM ranges ORDER BY number LIMIT ?", arguments: [limit])
            guard let last = rows.last else { return nil }
            let objects = rows.map { [UInt8]($0["object"] as Data) }
            return Page(last: last["number"], times: rows.map { Instant(milliseconds: $0["time"]) }, objects: objects)
        }
    }

    /// Removes the ranges of a page.
    func remove(_ page: Page) async throws {
        try await file.write { database in
            try database.execute(sql: "DELETE FROM ranges WHERE number <= ?", arguments: [page.last])
        }
    }

    /// Closes the file. Later calls throw.
    func close() throws { try file.close() }

    /// The number of ranges that wait.
    func count() async throws -> Int {
        try await file.readIfOpen { try Int.fetchOne($0, sql: "SELECT count(*) FROM ranges") ?? 0 }
    }

    /// Stores which device the server recognized the reporter as.
    ///
    /// - Throws: `RangeReportError.otherDevice` when ranges wait that another device measured, or for another server.
    func recognize(device: String, at server: String) async throws {
        try await file.write { database in
            let known = try Row.fetchOne(database, sql: "SELECT server, device FROM account")
            if let known, (known["server"] as String, known["device"] as String) != (server, device) {
                let waiting = try Int.fetchOne(database, sql: "SELECT count(*) FROM ranges") ?? 0
                guard waiting == 0 else {
                    throw RangeReportError.otherDevice(known["device"], server: known["server"], waiting: waiting)
                }
            }
            try database.execute(
                sql: "INSERT OR REPLACE INTO account (number, server, device) VALUES (1, ?, ?)",
                arguments: [server, device])
        }
    }
}
