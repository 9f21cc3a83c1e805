import Foundation
import GRDB
import MusterCore
import MusterWire

/// Sightings that wait in a table of a file until the server has them, as one transaction sees them.
struct SightingRows {
    private let database: Database
    private let seal: BodySeal?
    private let table: String

    /// The most sightings in one row.
    private static let rowSightings = 200
    /// The name that the encryption of rows is bound to.
    private static let sealName = "sightings"

    /// - Parameters:
    ///   - table: the table's name, which `createTable` was given.
    ///   - seal: encrypts the contents of the rows; nil to store them plain. Times and counts are never encrypted.
    init(_ database: Database, table: String, seal: BodySeal? = nil) {
        self.database = database
        self.seal = seal
        self.table = table
    }

    /// The statement that makes a table.
    static func createTable(_ name: String) -> String {
        """
        -- A batch: until when the device listened, the JSON objects of its sightings with commas between, and how many.
        CREATE TABLE \(name) (
            number INTEGER PRIMARY KEY AUTOINCREMENT, until INTEGER NOT NULL, sightings BLOB NOT NULL,
            count INTEGER NOT NULL,
            -- Whether the device decided something here: then what it heard later goes with a later request, so that
            -- the server decides at the same moment.
            decides INTEGER NOT NULL DEFAULT 0);

        """
    }

    // MARK: Storing

    /// Adds a batch.
    ///
    /// - Parameter decides: whether the device decided something at the batch's end.
    func insert(_ batch: SightingBatch, decides: Bool = false) throws {
        if batch.sightings.isEmpty, !decides {
            // That the device listened and heard nothing is one row, however long it lasts.
            try database.execute(
                sql: """
                    UPDATE \(table) SET until = max(until, ?)
                    WHERE number = (SELECT max(number) FROM \(table)) AND count = 0 AND decides = 0
                    """, arguments: [batch.until.milliseconds])
            if database.changesCount > 0 { return }
        }
        var rest = batch.sightings[...]
        repeat {
            let row = rest.prefix(Self.rowSightings)
            rest = rest.dropFirst(row.count)
            var writer = JSONWriter()
            writer.beginArray()
            for sighting in row { writer.report(sighting) }
            writer.endArray()
            let objects = Array(writer.takeBytes().dropFirst().dropLast())
            let stored = try seal?.sealed(objects, of: LocalTransaction.noteRevision, of: Self.sealName) ?? objects
            // The sightings of an interval may be split among rows in any order, so only the last row says when the
            // interval ended.
            let until = rest.isEmpty ? batch.until : row.last?.sampleTime ?? batch.until
            try database.execute(
                sql: "INSERT INTO \(table) (until, sightings, count, decides) VALUES (?, ?, ?, ?)",
                arguments: [until.milliseconds, Data(stored), row.count, decides && rest.isEmpty])
        } while !rest.isEmpty
    }

    /// Removes the oldest rows if the file is larger than its limit.
    ///
    /// - Returns: the number of removed sightings.
    func makeRoom(limitBytes: Int64) throws -> Int {
        let pages = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        let free = try Int64.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
        let size = try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 0
        guard (pages - free) * size > limitBytes else { return 0 }
        return try removeOldestTenth()
    }

    /// Removes the oldest rows if there are more than `limitRows`.
    ///
    /// - Returns: the number of removed sightings.
    func makeRoom(limitRows: Int) throws -> Int {
        // Rows are removed oldest first, so the numbers of those that are left have no gaps.
        let rows = try Int.fetchOne(database, sql: "SELECT max(number) - min(number) + 1 FROM \(table)") ?? 0
        return rows > limitRows ? try removeOldestTenth() : 0
    }

    /// Removes a tenth at once, so that the next batches need no removal each.
    private func removeOldestTenth() throws -> Int {
        let rows = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0
        let last = "SELECT max(number) FROM (SELECT number FROM \(table) ORDER BY number LIMIT \(max(1, rows / 10)))"
        let removed = try Int.fetchOne(database, sql: "SELECT sum(count) FROM \(table) WHERE number <= (\(last))") ?? 0
        try database.execute(sql: "DELETE FROM \(table) WHERE number <= (\(last))")
        return removed
    }

    // MARK: Sending

    /// Returns the oldest rows that one request may report; nil when there are none.
    ///
    /// - Parameter rowLimit: the most rows.
    func page(rowLimit: Int) throws -> SightingPage? {
        var page = SightingPage()
        let rows = try Row.fetchCursor(
            database, sql: "SELECT number, until, sightings, count, decides FROM \(table) ORDER BY number LIMIT ?",
            arguments: [rowLimit])
        while let row = try rows.next() {
            let count: Int = row["count"]
            guard page.rows == 0 || page.sightings + count <= SightingDecoder.limit else { break }
            let stored = [UInt8](row["sightings"] as Data)
            let piece = try seal?.opened(stored, of: LocalTransaction.noteRevision, of: Self.sealName) ?? stored
            page.add(piece, count: count, until: Instant(milliseconds: row["until"]), number: row["number"])
            if row["decides"] { break }
        }
        return page.rows > 0 ? page : nil
    }

    func remove(_ page: SightingPage) throws {
        try database.execute(sql: "DELETE FROM \(table) WHERE number <= ?", arguments: [page.last])
    }

    /// The number of sightings that wait.
    func count() throws -> Int { try Int.fetchOne(database, sql: "SELECT sum(count) FROM \(table)") ?? 0 }
}

/// The oldest rows of sightings that wait.
package struct SightingPage: Sendable {
    /// The number of the last row.
    package private(set) var last: Int64 = 0
    /// The number of rows.
    package private(set) var rows = 0
    /// The number of sightings.
    package private(set) var sightings = 0
    private var until = Instant(milliseconds: .min)
    private var objects: [UInt8] = []

    fileprivate mutating func add(_ piece: [UInt8], count: Int, until: Instant, number: Int64) {
        if !objects.isEmpty, !piece.isEmpty { objects.append(UInt8(ascii: ",")) }
        objects += piece
        last = number
        rows += 1
        sightings += count
        self.until = max(self.until, until)
    }

    /// The body of a request that reports them.
    ///
    /// - Parameter device: the device that heard them; nil for the device of the credentials.
    func body(of device: String?) -> [UInt8] {
        JSONWriter.object { writer in
            if let device { writer.member("device", device) }
            writer.member("listenedUntil", until)
            writer.key("sightings")
            writer.raw(Array("[".utf8) + objects + Array("]".utf8))
        }
    }
}

/// Sightings that wait until the server has them.
protocol SightingQueue: Sendable {
    /// Returns the oldest rows; nil when there are none.
    ///
    /// - Parameter rowLimit: the most rows.
    func page(rowLimit: Int) async throws(SightingOutboxError) -> SightingPage?
    /// Removes the rows of a page.
    func remove(_ page: SightingPage) async throws(SightingOutboxError)
}
