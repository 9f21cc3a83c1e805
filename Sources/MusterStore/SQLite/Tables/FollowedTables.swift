import GRDB
package import MusterCore
import MusterDocuments

/// The rows of the engine's state of devices. The table `refuges` holds what the code calls muster presences: its name
/// is older, and a stored file keeps it.
enum FollowedTables {
    static let schema = """
        -- Devices' presences in the muster regions of raw collections; `presences` has all others.
        CREATE TABLE refuges (device INTEGER PRIMARY KEY, presences BLOB NOT NULL);
        -- Devices' records, with the last change that each includes.
        CREATE TABLE device_records (device INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, record BLOB NOT NULL);
        ALTER TABLE safety ADD COLUMN doubt INTEGER;
        -- The changes of an older file need no records, so the engine does not replay the log from its beginning.
        INSERT INTO counters (name, value)
            SELECT 'recorded', coalesce(max(first_sequence + count - 1), 0) FROM log WHERE true
            ON CONFLICT (name) DO NOTHING;

        """
}

extension SQLiteTransaction {
    func setPresences(_ presences: [Presence], of device: DeviceNumber) throws {
        try set(presences, of: device, in: "presences")
    }

    func setMusterPresences(_ presences: [Presence], of device: DeviceNumber) throws {
        try set(presences, of: device, in: "refuges")
    }

    private func set(_ presences: [Presence], of device: DeviceNumber, in table: String) throws {
        guard !presences.isEmpty else {
            return try execute("DELETE FROM \(table) WHERE device = ?", [device.rawValue])
        }
        var writer = ByteWriter()
        writer.put(presences)
        try run {
            let statement = try RawStatement(
                """
                INSERT INTO \(table) (device, presences) VALUES (?, ?)
                ON CONFLICT (device) DO UPDATE SET presences = excluded.presences
                """, in: database)
            statement.bind(1, Int64(device.rawValue))
            try statement.binding(2, writer.bytes[...]) { try statement.run() }
        }
    }

    func setRecord(_ record: DeviceRecord, of device: DeviceNumber) throws {
        var writer = ByteWriter()
        writer.put(record)
        try run {
            let statement = try RawStatement(
                """
                INSERT INTO device_records (device, sequence, record) VALUES (?, ?, ?)
                ON CONFLICT (device) DO UPDATE SET sequence = excluded.sequence, record = excluded.record
                """, in: database)
            statement.bind(1, Int64(device.rawValue))
            statement.bind(2, lastSequence)
            try statement.binding(3, writer.bytes[...]) { try statement.run() }
        }
    }

    func setRecorded(through sequence: LogSequence) throws {
        try run { try Counter.recorded.set(sequence.rawValue, in: database) }
    }

    func setReviewing(_ isReviewing: Bool) throws {
        try run { try Counter.reviewing.set(isReviewing ? 1 : 0, in: database) }
    }
}

extension SQLiteStore {
    package func presences() throws -> [(device: DeviceNumber, presences: [Presence])] {
        try presences(in: "presences").map { (device: $0.0, presences: $0.1) }
    }

    package func musterPresences() throws -> [(device: DeviceNumber, presences: [Presence])] {
        try presences(in: "refuges").map { (device: $0.0, presences: $0.1) }
    }

    private func presences(in table: String) throws -> [(DeviceNumber, [Presence])] {
        try onReader { database in
            try Row.fetchAll(database, sql: "SELECT * FROM \(table) ORDER BY device").map { row in
                let presences = try row.decode("presences") { reader throws(CodecError) in try reader.presences() }
                return (try row.number("device"), presences)
            }
        }
    }

    package func records() throws -> [(device: DeviceNumber, sequence: LogSequence, record: DeviceRecord)] {
        try onReader { database in
            try Row.fetchAll(database, sql: "SELECT * FROM device_records ORDER BY device").map { row in
                let record = try row.decode("record") { reader throws(CodecError) in try reader.deviceRecord() }
                return (try row.number("device"), LogSequence(try row.value("sequence")), record)
            }
        }
    }

    package var recordedThrough: LogSequence {
        get throws { try onReader { LogSequence(try Counter.recorded.value(in: $0)) } }
    }

    package var isReviewing: Bool {
        get throws { try onReader { try Counter.reviewing.value(in: $0) != 0 } }
    }
}
