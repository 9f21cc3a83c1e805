package import GRDB
package import MusterCore
import MusterDocuments
import Synchronization

/// The rows of the ranges. Each range is a row of its own, because devices report few of them compared with positions.
package enum RangeTable {
    package static let schema = """
        -- sequence: the number of the range's change in the log.
        CREATE TABLE ranges (
            device INTEGER NOT NULL, sample_time INTEGER NOT NULL, peer INTEGER NOT NULL, sequence INTEGER NOT NULL,
            range BLOB NOT NULL, PRIMARY KEY (device, sample_time, peer)) WITHOUT ROWID;
        CREATE INDEX ranges_of_peer ON ranges (peer);
        CREATE INDEX ranges_by_time ON ranges (sample_time);

        """

    static let tags = "ALTER TABLE devices ADD COLUMN range_tag BLOB;\n"

    /// Inserts a range.
    ///
    /// - Throws: `DatabaseError`, also when the device already has a range of this sample time and peer.
    package static func insert(
        _ range: PeerRange, of device: DeviceNumber, at sequence: LogSequence, in database: Database
    ) throws {
        var writer = ByteWriter()
        writer.put(range)
        try database.cachedStatement(
            sql: "INSERT INTO ranges (device, sample_time, peer, sequence, range) VALUES (?, ?, ?, ?, ?)"
        ).execute(arguments: [
            device.rawValue, range.sampleTime.milliseconds, range.peer.rawValue, sequence.rawValue,
            Blob(writer.bytes),
        ])
    }

    package static func holds(_ key: RangeKey, of device: DeviceNumber, in database: Database) throws -> Bool {
        try Bool.fetchOne(
            database.cachedStatement(
                sql: "SELECT EXISTS (SELECT 1 FROM ranges WHERE device = ? AND sample_time = ? AND peer = ?)"),
            arguments: [device.rawValue, key.sampleTime.milliseconds, key.peer.rawValue]) ?? false
    }

    /// Returns ranges of a device from a sample time on, or after a key, and before another time, in the order of
    /// their keys.
    ///
    /// - Parameter isGone: whether the range to this peer in the change of this number is deleted, and to be left out.
    package static func ranges(
        of device: DeviceNumber, from: Instant, to: Instant, after cursor: RangeKey?, limit: Int,
        in database: Database, leavingOut isGone: (DeviceNumber, Int64) -> Bool = { _, _ in false }
    ) throws -> [PeerRange] {
        let cursor = cursor.flatMap { $0.sampleTime < from ? nil : $0 }
        let rows = try Row.fetchCursor(
            database.cachedStatement(
                sql: """
                    SELECT peer, sequence, range FROM ranges
                    WHERE device = ? AND (sample_time, peer) > (?, ?) AND sample_time < ?
                    ORDER BY sample_time, peer
                    """),
            arguments: [
                device.rawValue, (cursor?.sampleTime ?? from).milliseconds,
                cursor.map { Int64($0.peer.rawValue) }
                    ?? .min, to.milliseconds,
            ])
        var found: [PeerRange] = []
        while found.count < limit, let row = try rows.next() {
            if isGone(try row.number("peer"), try row.value("sequence")) { continue }
            found.append(try range(row))
        }
        return found
    }

    /// Returns all ranges from a sample time on, in the order of their sample times.
    package static func ranges(
        since moment: Instant, in database: Database
    ) throws -> [(device: DeviceNumber, range: PeerRange)] {
        try Row.fetchAll(
            database.cachedStatement(
                sql: "SELECT device, range FROM ranges WHERE sample_time >= ? ORDER BY sample_time, device, peer"),
            arguments: [moment.milliseconds]
        ).map { (try $0.number("device"), try range($0)) }
    }

    private static func range(_ row: Row) throws -> PeerRange {
        try row.decode("range") { reader throws(CodecError) in try reader.range() }
    }

    /// Deletes at most `limit` ranges with a sample time before `horizon`, oldest first.
    ///
    /// - Returns: how many it deleted.
    package static func delete(before horizon: Instant, limit: Int, in database: Database) throws -> Int {
        try delete("sample_time < ? ORDER BY sample_time", [horizon.milliseconds, limit], in: database)
    }

    /// Deletes at most `limit` ranges from and to a device that changes up to `sequence` recorded.
    ///
    /// - Returns: how many it deleted, which is below `limit` only if none is left.
    package static func delete(
        of device: DeviceNumber, through sequence: Int64 = .max, limit: Int, in database: Database
    ) throws -> Int {
        let own = try delete("device = ? AND sequence <= ?", [device.rawValue, sequence, limit], in: database)
        guard own < limit else { return own }
        return own
            + (try delete("peer = ? AND sequence <= ?", [device.rawValue, sequence, limit - own], in: database))
    }

    private static func delete(
        _ condition: String, _ arguments: StatementArguments, in database: Database
    ) throws -> Int {
        try database.cachedStatement(
            sql: """
                DELETE FROM ranges WHERE (device, sample_time, peer) IN
                    (SELECT device, sample_time, peer FROM ranges WHERE \(condition) LIMIT ?)
                """
        ).execute(arguments: arguments)
        return database.changesCount
    }
}

extension SQLiteStore {
    package func ranges(
        of device: DeviceNumber, from: Instant, to: Instant, after cursor: RangeKey?, limit: Int
    ) throws -> [PeerRange] {
        let (gone, cut) = (removals.withLock { $0.devices }, deletedHistories.withLock { $0 })
        return try onReader {
            try RangeTable.ranges(of: device, from: from, to: to, after: cursor, limit: limit, in: $0) {
                gone.contains($0) || cut.cover($0, at: $1) || cut.cover(device, at: $1)
            }
        }
    }

    package func ranges(since moment: Instant) throws -> [(device: DeviceNumber, range: PeerRange)] {
        try onReader { try RangeTable.ranges(since: moment, in: $0) }
    }
}

extension SQLiteTransaction {
    func holds(_ range: PeerRange, of device: DeviceNumber) throws -> Bool {
        try run { try RangeTable.holds(RangeKey(range), of: device, in: database) }
    }
}
