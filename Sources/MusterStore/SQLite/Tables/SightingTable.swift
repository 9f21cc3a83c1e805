import GRDB
import MusterCore
import MusterDocuments
import MusterGeometry

/// The rows of the sightings. Each sighting is a row of its own, because there are few compared with positions.
enum SightingTable {
    static func insert(_ sighting: Sighting, of device: DeviceNumber, in database: Database) throws {
        let statement = try RawStatement(
            """
            INSERT INTO sightings (
                device, sample_time, uuid, major, minor, received_at, distance, signal_strength, proximity)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, in: database)
        bind(SightingKey(sighting), of: device, to: statement)
        statement.bind(6, sighting.receivedTime.milliseconds)
        statement.bind(7, sighting.distance?.value)
        statement.bind(8, sighting.signalStrength)
        statement.bind(9, Int64(sighting.proximity.rawValue))
        try statement.binding(3, sighting.beacon.uuid.bytes[...]) { try statement.run() }
    }

    static func holds(_ key: SightingKey, of device: DeviceNumber, in database: Database) throws -> Bool {
        let statement = try RawStatement(
            """
            SELECT 1 FROM sightings WHERE device = ? AND sample_time = ? AND uuid = ? AND major = ? AND minor = ?
            """, in: database)
        bind(key, of: device, to: statement)
        return try statement.binding(3, key.beacon.uuid.bytes[...]) {
            defer { statement.reset() }
            return try statement.step()
        }
    }

    /// Binds the first five parameters, except the third, which is the UUID.
    private static func bind(_ key: SightingKey, of device: DeviceNumber, to statement: RawStatement) {
        statement.bind(1, Int64(device.rawValue))
        statement.bind(2, key.sampleTime.milliseconds)
        statement.bind(4, Int64(key.beacon.major))
        statement.bind(5, Int64(key.beacon.minor))
    }

    /// Returns sightings of a device from a sample time on, or after a key, and before another time, in the order of
    /// their keys.
    static func sightings(
        of device: DeviceNumber, from: Instant, after cursor: SightingKey?, before end: Instant, limit: Int,
        in database: Database
    ) throws -> [Sighting] {
        // Without a cursor the query begins before every beacon of the first moment: an empty blob precedes every UUID.
        let cursor = cursor.flatMap { $0.sampleTime < from ? nil : $0 }
        let statement = try RawStatement(
            """
            SELECT sample_time, uuid, major, minor, received_at, distance, signal_strength, proximity FROM sightings
            WHERE device = ? AND (sample_time, uuid, major, minor) > (?, ?, ?, ?) AND sample_time < ?
            ORDER BY sample_time, uuid, major, minor LIMIT ?
            """, in: database)
        statement.bind(1, Int64(device.rawValue))
        statement.bind(2, (cursor?.sampleTime ?? from).milliseconds)
        statement.bind(4, cursor.map { Int64($0.beacon.major) } ?? -1)
        statement.bind(5, cursor.map { Int64($0.beacon.minor) } ?? -1)
        statement.bind(6, end.milliseconds)
        statement.bind(7, Int64(limit))
        let uuid = cursor?.beacon.uuid.bytes ?? []
        return try statement.binding(3, uuid[...]) {
            defer { statement.reset() }
            var sightings: [Sighting] = []
            while try statement.step() { sightings.append(try sighting(statement)) }
            return sightings
        }
    }

    private static func sighting(_ row: RawStatement) throws -> Sighting {
        guard let uuid = row.withBlob(1, { BeaconUUID(bytes: $0) }), let major = UInt16(exactly: row.integer(2)),
            let minor = UInt16(exactly: row.integer(3)), let rawProximity = UInt8(exactly: row.integer(7)),
            let proximity = Sighting.Proximity(rawValue: rawProximity)
        else { throw CodecError.malformed(offset: 0) }
        return Sighting(
            of: Beacon(uuid: uuid, major: major, minor: minor), sampleTime: Instant(milliseconds: row.integer(0)),
            receivedTime: Instant(milliseconds: row.integer(4)),
            distance: row.isNull(5) ? nil : Metres(row.double(5)),
            signalStrength: row.isNull(6) ? nil : row.double(6), proximity: proximity)
    }

    /// Returns the newest sample time before `end` of every device of the directory that has sightings. One look-up for
    /// each device.
    static func latest(
        before end: Instant, in database: Database
    ) throws -> [(device: DeviceNumber, sampleTime: Instant)] {
        let statement = try RawStatement(
            """
            SELECT number, (SELECT sample_time FROM sightings WHERE device = number AND sample_time < ?
                ORDER BY sample_time DESC LIMIT 1) FROM devices ORDER BY number
            """, in: database)
        defer { statement.reset() }
        statement.bind(1, end.milliseconds)
        var latest: [(device: DeviceNumber, sampleTime: Instant)] = []
        while try statement.step() {
            if statement.isNull(1) { continue }
            let number = try Int32(stored: statement.integer(0))
            latest.append((DeviceNumber(number), Instant(milliseconds: statement.integer(1))))
        }
        return latest
    }

    /// Deletes at most `limit` sightings with a sample time before `horizon`.
    ///
    /// - Returns: how many it deleted.
    static func delete(before horizon: Instant, limit: Int, in database: Database) throws -> Int {
        try delete("sample_time < ?", horizon.milliseconds, limit: limit, in: database)
    }

    /// Deletes at most `limit` sightings of a device.
    ///
    /// - Returns: how many it deleted.
    static func delete(of device: DeviceNumber, limit: Int, in database: Database) throws -> Int {
        try delete("device = ?", Int64(device.rawValue), limit: limit, in: database)
    }

    private static func delete(
        _ condition: String, _ value: Int64, limit: Int, in database: Database
    ) throws -> Int {
        let statement = try RawStatement(
            """
            DELETE FROM sightings WHERE (device, sample_time, uuid, major, minor) IN
                (SELECT device, sample_time, uuid, major, minor FROM sightings WHERE \(condition) LIMIT ?)
            """, in: database)
        statement.bind(1, value)
        statement.bind(2, Int64(limit))
        try statement.run()
        return database.changesCount
    }
}
