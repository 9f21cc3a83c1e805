import GRDB
import MusterCore
import MusterGeometry

/// The rows of the history.
enum PositionTable {
    private static let columns = """
        device, sample_time, latitude, longitude, received_time, source, accuracy, altitude, speed, heading, battery,
        attributes
        """

    /// Inserts positions; one that is there already stays as it is, so that a merge may be repeated after a crash.
    struct Insertion {
        private let statement: RawStatement

        init(in database: Database) throws {
            statement = try RawStatement(
                """
                INSERT INTO positions (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """, in: database)
        }

        func insert(_ position: Position, of device: DeviceNumber) throws {
            statement.bind(1, Int64(device.rawValue))
            statement.bind(2, position.sampleTime.milliseconds)
            statement.bind(3, position.coordinate.latitude)
            statement.bind(4, position.coordinate.longitude)
            statement.bind(5, position.receivedTime.milliseconds)
            statement.bind(6, Int64(position.source.rawValue))
            statement.bind(7, position.accuracy?.value)
            statement.bind(8, position.altitude?.value)
            statement.bind(9, position.speed)
            statement.bind(10, position.heading)
            statement.bind(11, position.battery)
            statement.bind(12, position.attributes)
            try statement.run()
        }
    }

    static func holds(_ key: PositionKey, of device: DeviceNumber, in database: Database) throws -> Bool {
        let statement = try RawStatement(
            "SELECT 1 FROM positions WHERE device = ? AND sample_time = ? AND latitude = ? AND longitude = ?",
            in: database)
        statement.bind(1, Int64(device.rawValue))
        statement.bind(2, key.sampleTime)
        statement.bind(3, key.latitude)
        statement.bind(4, key.longitude)
        defer { statement.reset() }
        return try statement.step()
    }

    /// Positions of a device with a key after `low` and a sample time before `end`, in the order of their keys.
    static func positions(
        of device: DeviceNumber, after low: PositionKey, before end: Instant, limit: Int, in database: Database
    ) throws -> [Position] {
        let statement = try RawStatement(
            """
            SELECT \(columns) FROM positions
            WHERE device = ? AND (sample_time, latitude, longitude) > (?, ?, ?) AND sample_time < ?
            ORDER BY sample_time, latitude, longitude LIMIT ?
            """, in: database)
        statement.bind(1, Int64(device.rawValue))
        statement.bind(2, low.sampleTime)
        statement.bind(3, low.latitude)
        statement.bind(4, low.longitude)
        statement.bind(5, end.milliseconds)
        statement.bind(6, Int64(limit))
        defer { statement.reset() }
        var positions: [Position] = []
        while try statement.step() { positions.append(try read(statement).position) }
        return positions
    }

    /// Calls `body` with the newest position of every device.
    ///
    /// Jumps from device to device in the primary key: O(devices), however long their histories are.
    static func forEachLatest(in database: Database, _ body: (DeviceNumber, Position) throws -> Void) throws {
        let statement = try RawStatement(
            """
            SELECT \(columns) FROM positions WHERE device = (SELECT min(device) FROM positions WHERE device > ?)
            ORDER BY sample_time DESC, latitude DESC, longitude DESC LIMIT 1
            """, in: database)
        defer { statement.reset() }
        var device = Int64.min
        while true {
            statement.bind(1, device)
            guard try statement.step() else { return }
            let row = try read(statement)
            device = Int64(row.device.rawValue)
            statement.reset()
            try body(row.device, row.position)
        }
    }

    /// Deletes at most about `limit` of the oldest positions of a device that are older than `horizon`.
    ///
    /// - Returns: how many.
    static func delete(
        of device: DeviceNumber, before horizon: Instant, limit: Int, in database: Database
    ) throws -> Int {
        let bound = try RawStatement(
            "SELECT sample_time FROM positions WHERE device = ? ORDER BY sample_time LIMIT 1 OFFSET ?", in: database)
        bound.bind(1, Int64(device.rawValue))
        bound.bind(2, Int64(max(0, limit - 1)))
        // A millisecond with several positions goes whole, so that no number of them stops the work.
        let end = try bound.step() ? min(horizon.milliseconds, bound.integer(0) + 1) : horizon.milliseconds
        bound.reset()
        let deletion = try RawStatement("DELETE FROM positions WHERE device = ? AND sample_time < ?", in: database)
        deletion.bind(1, Int64(device.rawValue))
        deletion.bind(2, end)
        try deletion.run()
        return database.changesCount
    }

    /// The first device after `device` that has a position, with its oldest sample time.
    static func oldest(
        after device: Int64, in database: Database
    ) throws -> (device: DeviceNumber, sampleTime: Instant)? {
        let statement = try RawStatement(
            "SELECT device, sample_time FROM positions WHERE device > ? ORDER BY device, sample_time LIMIT 1",
            in: database)
        statement.bind(1, device)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return (try self.device(statement), Instant(milliseconds: statement.integer(1)))
    }

    private static func device(_ statement: RawStatement) throws -> DeviceNumber {
        guard let number = Int32(exactly: statement.integer(0)) else { throw CodecFault.malformed(offset: 0) }
        return DeviceNumber(number)
    }

    private static func read(_ row: RawStatement) throws -> (device: DeviceNumber, position: Position) {
        let coordinate: Coordinate
        do {
            coordinate = try Coordinate(latitude: row.double(2), longitude: row.double(3))
        } catch {
            throw CodecFault.malformed(offset: 2)
        }
        guard let source = UInt8(exactly: row.integer(5)).flatMap(Position.Source.init(rawValue:)) else {
            throw CodecFault.malformed(offset: 5)
        }
        let position = Position(
            coordinate: coordinate, sampleTime: Instant(milliseconds: row.integer(1)),
            receivedTime: Instant(milliseconds: row.integer(4)),
            accuracy: row.isNull(6) ? nil : Metres(row.double(6)),
            altitude: row.isNull(7) ? nil : Metres(row.double(7)), speed: row.isNull(8) ? nil : row.double(8),
            heading: row.isNull(9) ? nil : row.double(9), battery: row.isNull(10) ? nil : row.double(10),
            source: source, attributes: row.text(11))
        return (try device(row), position)
    }
}
