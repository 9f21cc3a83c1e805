import GRDB
import MusterCore
import MusterDocuments

/// Inserts positions into the history. The caller adds them ordered by device and key; the insertion divides them into
/// blocks, and updates each device's newest position.
struct HistoryInsertion {
    private let block: RawStatement
    private let latest: RawStatement
    private let database: Database
    /// The epoch of the new blocks.
    private var epoch: HistoryTable.Epoch
    private var blocks: Int64
    private var device = DeviceNumber(0)
    private var first = PositionKey(sampleTime: 0, latitude: 0, longitude: 0)
    private var last = PositionKey(sampleTime: 0, latitude: 0, longitude: 0)
    private var lastOffset = 0
    private var count = 0
    private var bytes: [UInt8] = []
    private var marks = MarkWriter()

    /// - Parameter epochLimit: an epoch with this many blocks is full.
    init(in database: Database, epochLimit: Int) throws {
        block = try RawStatement(
            """
            INSERT INTO history (
                epoch, device, first_time, last_time, first_sequence, last_sequence, told, count, marks, positions)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, in: database)
        latest = try RawStatement(
            """
            INSERT INTO latest (device, sample_time, latitude, longitude, position) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (device) DO UPDATE SET sample_time = excluded.sample_time, latitude = excluded.latitude,
                longitude = excluded.longitude, position = excluded.position
            WHERE (excluded.sample_time, excluded.latitude, excluded.longitude)
                > (latest.sample_time, latest.latitude, latest.longitude)
            """, in: database)
        let newest = try RawStatement(
            "SELECT number, first_time, last_time, blocks FROM epochs ORDER BY number DESC LIMIT 1", in: database)
        defer { newest.reset() }
        self.database = database
        if try newest.step() {
            epoch = .init(number: newest.integer(0), firstTime: newest.integer(1), lastTime: newest.integer(2))
            blocks = newest.integer(3)
        } else {
            epoch = .init(number: 1, firstTime: .max, lastTime: .min)
            blocks = 0
        }
        if blocks >= Int64(epochLimit) {
            epoch = .init(number: epoch.number + 1, firstTime: .max, lastTime: .min)
            blocks = 0
        }
        bytes.reserveCapacity(HistoryTable.largestBlock)
    }

    /// Adds the next position. A position with the key of the one before is a repetition, and is left out.
    ///
    /// - Parameter encoded: the position as `ByteWriter` encodes it.
    mutating func add(
        _ key: PositionKey, of device: DeviceNumber, mark: PositionMark, encoded: UnsafeRawBufferPointer
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
        marks.add(mark)
        bytes.append(contentsOf: encoded)
    }

    /// Writes the last block and the epoch. The caller calls it after the last position.
    mutating func finish() throws {
        try finishDevice()
        guard blocks > 0 else { return }
        let statement = try RawStatement(
            """
            INSERT INTO epochs (number, first_time, last_time, blocks) VALUES (?, ?, ?, ?) ON CONFLICT (number)
            DO UPDATE SET first_time = excluded.first_time, last_time = excluded.last_time, blocks = excluded.blocks
            """, in: database)
        statement.bind(1, epoch.number)
        statement.bind(2, epoch.firstTime)
        statement.bind(3, epoch.lastTime)
        statement.bind(4, blocks)
        try statement.run()
    }

    private mutating func finishDevice() throws {
        guard count > 0 else { return }
        latest.bind(1, Int64(device.rawValue))
        latest.bind(2, last.sampleTime)
        latest.bind(3, last.latitude)
        latest.bind(4, last.longitude)
        try latest.binding(5, bytes[lastOffset...]) { try latest.run() }
        try finishBlock()
    }

    private mutating func finishBlock() throws {
        block.bind(1, epoch.number)
        block.bind(2, Int64(device.rawValue))
        block.bind(3, first.sampleTime)
        block.bind(4, last.sampleTime)
        block.bind(5, marks.first)
        block.bind(6, marks.last)
        block.bind(7, marks.told)
        block.bind(8, Int64(count))
        try block.binding(9, marks.bytes[...]) { try block.binding(10, bytes[...]) { try block.run() } }
        epoch.firstTime = min(epoch.firstTime, first.sampleTime)
        epoch.lastTime = max(epoch.lastTime, last.sampleTime)
        blocks += 1
        count = 0
        bytes.removeAll(keepingCapacity: true)
        marks = MarkWriter()
    }
}
