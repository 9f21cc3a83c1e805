import GRDB
import MusterCore

/// Cuts positions, given by device and in the order of their keys, into blocks of the history, and keeps each device's
/// newest.
struct HistoryInsertion {
    private let block: RawStatement
    private let latest: RawStatement
    private var device = DeviceNumber(0)
    private var first = PositionKey(sampleTime: 0, latitude: 0, longitude: 0)
    private var last = PositionKey(sampleTime: 0, latitude: 0, longitude: 0)
    private var lastOffset = 0
    private var count = 0
    private var bytes: [UInt8] = []

    init(in database: Database) throws {
        block = try RawStatement(
            "INSERT INTO history (device, first_time, last_time, count, positions) VALUES (?, ?, ?, ?, ?)",
            in: database)
        latest = try RawStatement(
            """
            INSERT INTO latest (device, sample_time, latitude, longitude, position) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (device) DO UPDATE SET sample_time = excluded.sample_time, latitude = excluded.latitude,
                longitude = excluded.longitude, position = excluded.position
            WHERE (excluded.sample_time, excluded.latitude, excluded.longitude)
                > (latest.sample_time, latest.latitude, latest.longitude)
            """, in: database)
        bytes.reserveCapacity(HistoryTable.largestBlock)
    }

    /// Adds the next position; one with its neighbour's key is the same position and is left out.
    ///
    /// - Parameter encoded: the position as `ByteWriter` writes it.
    mutating func add(
        _ key: PositionKey, of device: DeviceNumber, encoded: UnsafeRawBufferPointer
    ) throws {
        if count > 0 {
            if device != self.device {
                try finishDevice()
            } else if key == last {
                return
            } else if bytes.count + encoded.count > HistoryTable.largestBlock
                || UInt64(bitPattern: key.sampleTime &- first.sampleTime) > UInt64(HistoryTable.longestSpan)
            {
                try finishBlock()
            }
        }
        if count == 0 { first = key }
        self.device = device
        last = key
        lastOffset = bytes.count
        count += 1
        bytes.append(contentsOf: encoded)
    }

    /// Writes what has gathered. Call it after the last position.
    mutating func finishDevice() throws {
        guard count > 0 else { return }
        latest.bind(1, Int64(device.rawValue))
        latest.bind(2, last.sampleTime)
        latest.bind(3, last.latitude)
        latest.bind(4, last.longitude)
        try latest.binding(5, bytes[lastOffset...]) { try latest.run() }
        try finishBlock()
    }

    private mutating func finishBlock() throws {
        block.bind(1, Int64(device.rawValue))
        block.bind(2, first.sampleTime)
        block.bind(3, last.sampleTime)
        block.bind(4, Int64(count))
        try block.binding(5, bytes[...]) { try block.run() }
        count = 0
        bytes.removeAll(keepingCapacity: true)
    }
}
