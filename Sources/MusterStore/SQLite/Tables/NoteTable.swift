import GRDB
import MusterCore
import MusterDocuments

/// The rows of devices' notes. Keys are stored as bytes, so that two keys that only look alike stay different, and a
/// key with a zero byte is not cut off.
enum NoteTable {
    static func put(_ note: DeviceNote, of device: DeviceNumber, in database: Database) throws {
        let statement = try RawStatement(
            """
            INSERT INTO notes (device, kind, key, sample_time, received_at, body) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (device, kind, key) DO UPDATE SET sample_time = excluded.sample_time,
                received_at = excluded.received_at, body = excluded.body
            """, in: database)
        bind(note.name.kind, of: device, to: statement)
        statement.bind(4, note.sampleTime?.milliseconds)
        statement.bind(5, note.receivedTime.milliseconds)
        statement.bind(6, note.body)
        try statement.binding(3, Array(note.name.key.utf8)[...]) { try statement.run() }
    }

    /// Counts the notes of a kind that a device has.
    static func count(_ kind: DeviceNote.Kind, of device: DeviceNumber, in database: Database) throws -> Int {
        let statement = try RawStatement("SELECT count(*) FROM notes WHERE device = ? AND kind = ?", in: database)
        bind(kind, of: device, to: statement)
        defer { statement.reset() }
        return try statement.step() ? Int(clamping: statement.integer(0)) : 0
    }

    /// Deletes the note of a kind that the server received first.
    static func deleteOldest(_ kind: DeviceNote.Kind, of device: DeviceNumber, in database: Database) throws {
        let statement = try RawStatement(
            """
            DELETE FROM notes WHERE device = ?1 AND kind = ?2 AND key =
                (SELECT key FROM notes WHERE device = ?1 AND kind = ?2 ORDER BY received_at, key LIMIT 1)
            """, in: database)
        bind(kind, of: device, to: statement)
        try statement.run()
    }

    static func deviceNote(
        _ name: DeviceNote.Name, of device: DeviceNumber, in database: Database
    ) throws -> DeviceNote? {
        let statement = try RawStatement(
            "SELECT kind, key, sample_time, received_at, body FROM notes WHERE device = ? AND kind = ? AND key = ?",
            in: database)
        bind(name.kind, of: device, to: statement)
        return try statement.binding(3, Array(name.key.utf8)[...]) {
            defer { statement.reset() }
            return try statement.step() ? try decode(statement) : nil
        }
    }

    /// Returns notes of a device after a name, in the order of their names.
    static func notes(
        of device: DeviceNumber, kind: DeviceNote.Kind?, after cursor: DeviceNote.Name?, limit: Int,
        in database: Database
    ) throws -> [DeviceNote] {
        let statement = try RawStatement(
            """
            SELECT kind, key, sample_time, received_at, body FROM notes
            WHERE device = ? AND kind BETWEEN ? AND ? AND (kind, key) > (?, ?) ORDER BY kind, key LIMIT ?
            """, in: database)
        statement.bind(1, Int64(device.rawValue))
        statement.bind(2, kind.map { Int64($0.rawValue) } ?? 0)
        statement.bind(3, kind.map { Int64($0.rawValue) } ?? Int64(UInt8.max))
        statement.bind(4, cursor.map { Int64($0.kind.rawValue) } ?? -1)
        statement.bind(6, Int64(limit))
        return try statement.binding(5, Array((cursor?.key ?? "").utf8)[...]) {
            defer { statement.reset() }
            var notes: [DeviceNote] = []
            while try statement.step() { notes.append(try decode(statement)) }
            return notes
        }
    }

    private static func bind(_ kind: DeviceNote.Kind, of device: DeviceNumber, to statement: RawStatement) {
        statement.bind(1, Int64(device.rawValue))
        statement.bind(2, Int64(kind.rawValue))
    }

    private static func decode(_ row: RawStatement) throws -> DeviceNote {
        guard let rawKind = UInt8(exactly: row.integer(0)), let kind = DeviceNote.Kind(rawValue: rawKind),
            let key = row.withBlob(1, { String(validating: $0, as: UTF8.self) }), let body = row.text(4)
        else { throw CodecError.malformed(offset: 0) }
        return DeviceNote(
            DeviceNote.Name(kind, key: key), sampleTime: row.isNull(2) ? nil : Instant(milliseconds: row.integer(2)),
            receivedTime: Instant(milliseconds: row.integer(3)), body: body)
    }
}
