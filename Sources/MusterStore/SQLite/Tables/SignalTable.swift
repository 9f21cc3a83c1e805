package import GRDB
package import MusterCore
import MusterDocuments

/// The rows of the signals.
package enum SignalTable {
    package static let schema = """
        -- sequence: the number of the signal's change in the log.
        CREATE TABLE signals (
            device INTEGER NOT NULL, id TEXT NOT NULL, sequence INTEGER NOT NULL, sample_time INTEGER NOT NULL,
            signal BLOB NOT NULL, PRIMARY KEY (device, id)) WITHOUT ROWID;
        CREATE UNIQUE INDEX signals_in_order ON signals (device, sequence);
        CREATE INDEX signals_by_time ON signals (sample_time);

        """

    /// Inserts a signal. If the device then has more than `Signal.keptLimit` signals, the oldest are removed.
    ///
    /// - Throws: `DatabaseError`, also when the device already has a signal of this id.
    package static func insert(
        _ signal: Signal, of device: DeviceNumber, at sequence: LogSequence, in database: Database
    ) throws {
        var writer = ByteWriter()
        writer.put(signal)
        try database.cachedStatement(
            sql: "INSERT INTO signals (device, id, sequence, sample_time, signal) VALUES (?, ?, ?, ?, ?)"
        ).execute(arguments: [
            device.rawValue, signal.id, sequence.rawValue, signal.sampleTime.milliseconds, Blob(writer.bytes),
        ])
        try database.cachedStatement(
            sql: """
                DELETE FROM signals WHERE device = ?1 AND sequence <=
                    (SELECT sequence FROM signals WHERE device = ?1 ORDER BY sequence DESC LIMIT 1 OFFSET ?2)
                """
        ).execute(arguments: [device.rawValue, Signal.keptLimit])
    }

    package static func holds(_ id: String, of device: DeviceNumber, in database: Database) throws -> Bool {
        try Bool.fetchOne(
            database.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM signals WHERE device = ? AND id = ?)"),
            arguments: [device.rawValue, id]) ?? false
    }

    /// Returns signals of a device before a change, newest first.
    package static func signals(
        of device: DeviceNumber, from: Instant, to: Instant, before sequence: LogSequence?, limit: Int,
        in database: Database
    ) throws -> [KeptSignal] {
        try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT sequence, signal FROM signals
                    WHERE device = ? AND sequence < ? AND sample_time >= ? AND sample_time < ?
                    ORDER BY sequence DESC LIMIT ?
                    """),
            arguments: [
                device.rawValue, sequence?.rawValue ?? .max, from.milliseconds, to.milliseconds, max(0, limit),
            ]
        ).map { row in
            KeptSignal(
                sequence: LogSequence(try row.value("sequence")),
                signal: try row.decode("signal") { reader throws(CodecError) in try reader.signal() })
        }
    }

    /// Deletes at most `limit` signals with a sample time before `horizon`, oldest first.
    ///
    /// - Returns: how many it deleted.
    package static func delete(before horizon: Instant, limit: Int, in database: Database) throws -> Int {
        try database.cachedStatement(
            sql: """
                DELETE FROM signals WHERE (device, id) IN
                    (SELECT device, id FROM signals WHERE sample_time < ? ORDER BY sample_time LIMIT ?)
                """
        ).execute(arguments: [horizon.milliseconds, limit])
        return database.changesCount
    }
}

extension SQLiteStore {
    package func signals(
        of device: DeviceNumber, from: Instant, to: Instant, before sequence: LogSequence?, limit: Int
    ) throws -> [KeptSignal] {
        try onReader {
            try SignalTable.signals(of: device, from: from, to: to, before: sequence, limit: limit, in: $0)
        }
    }
}

extension SQLiteTransaction {
    func holds(_ signal: Signal, of device: DeviceNumber) throws -> Bool {
        try run { try SignalTable.holds(signal.id, of: device, in: database) }
    }
}
