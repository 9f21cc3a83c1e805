import GRDB
import MusterCore

/// The history: each row a block of one device's positions, in the order of their keys, as `ByteWriter` writes them.
///
/// Rows are only ever added at the end, so that a merge of ten thousand devices writes whole pages once; what spreads
/// over the file are the 25 bytes a block of the index. A block spans at most an hour and about half a page. Blocks of
/// one device may overlap in time, after late reports; the bound on the span is what makes look-ups exact: a block
/// that holds time t begins in [t − an hour, t].
enum HistoryTable {
    /// The most milliseconds between a block's first and last position.
    static let longestSpan: Int64 = 3_600_000
    /// A block is closed before it grows over this, so that two fit in a page; one large position may exceed it.
    static let largestBlock = 1_950

    static func holds(_ key: PositionKey, of device: DeviceNumber, in database: Database) throws -> Bool {
        let statement = try RawStatement(
            """
            SELECT positions FROM history WHERE device = ? AND first_time >= ? AND first_time <= ? AND last_time >= ?
            """, in: database)
        statement.bind(1, Int64(device.rawValue))
        statement.bind(2, key.sampleTime.lowered(by: longestSpan))
        statement.bind(3, key.sampleTime)
        statement.bind(4, key.sampleTime)
        defer { statement.reset() }
        while try statement.step() {
            let holds = try statement.withBlob(0) { bytes in
                var reader = ByteReader(bytes)
                while !reader.isAtEnd {
                    if PositionKey(try reader.position()) == key { return true }
                }
                return false
            }
            if holds { return true }
        }
        return false
    }

    /// Positions of a device with a key after `low` and a sample time before `end`, in the order of their keys.
    ///
    /// O(limit), but for what overlaps.
    static func positions(
        of device: DeviceNumber, after low: PositionKey, before end: Instant, limit: Int, in database: Database
    ) throws -> [Position] {
        let statement = try RawStatement(
            """
            SELECT first_time, positions FROM history
            WHERE device = ? AND first_time >= ? AND first_time < ? AND last_time >= ? ORDER BY first_time
            """, in: database)
        statement.bind(1, Int64(device.rawValue))
        statement.bind(2, low.sampleTime.lowered(by: longestSpan))
        statement.bind(3, end.milliseconds)
        statement.bind(4, low.sampleTime)
        defer { statement.reset() }
        var found: [Position] = []
        var isSorted = true
        while try statement.step() {
            let first = statement.integer(0)
            if found.count >= limit {
                // Enough once no later block can hold an earlier position.
                if !isSorted { found.sort { PositionKey($0) < PositionKey($1) } }
                isSorted = true
                if found[limit - 1].sampleTime.milliseconds < first { break }
            }
            let known = found.count
            try statement.withBlob(1) { bytes in
                var reader = ByteReader(bytes)
                while !reader.isAtEnd {
                    let position = try reader.position()
                    if position.sampleTime < end, PositionKey(position) > low { found.append(position) }
                }
            }
            if known > 0, known < found.count, PositionKey(found[known]) < PositionKey(found[known - 1]) {
                isSorted = false
            }
        }
        if !isSorted { found.sort { PositionKey($0) < PositionKey($1) } }
        return found.count > limit ? Array(found.prefix(limit)) : found
    }

    /// Calls `body` with the newest merged position of every device, in number order.
    static func forEachLatest(in database: Database, _ body: (DeviceNumber, Position) throws -> Void) throws {
        let statement = try RawStatement("SELECT device, position FROM latest ORDER BY device", in: database)
        defer { statement.reset() }
        while try statement.step() {
            let position = try statement.withBlob(1) { bytes in
                var reader = ByteReader(bytes)
                return try reader.position()
            }
            try body(try device(statement), position)
        }
    }

    /// Deletes at most about `limit` of the oldest positions of a device that are older than `horizon`, and its newest
    /// from the latest ones when that is older too.
    ///
    /// - Returns: how many; fewer than `limit` only when none is left.
    static func delete(
        of device: DeviceNumber, before horizon: Instant, limit: Int, in database: Database
    ) throws -> Int {
        let statement = try RawStatement(
            """
            SELECT number, count, last_time, positions FROM history
            WHERE device = ? AND first_time < ? ORDER BY first_time
            """, in: database)
        statement.bind(1, Int64(device.rawValue))
        statement.bind(2, horizon.milliseconds)
        var gone: [Int64] = []
        var cut: [(number: Int64, rest: [Position])] = []
        var count = 0
        while count < limit, try statement.step() {
            let held = Int(clamping: statement.integer(1))
            guard statement.integer(2) >= horizon.milliseconds else {
                gone.append(statement.integer(0))
                count += held
                continue
            }
            let rest = try statement.withBlob(3) { bytes throws(CodecFault) in
                try positions(in: bytes).filter { $0.sampleTime >= horizon }
            }
            cut.append((statement.integer(0), rest))
            count += held - rest.count
        }
        statement.reset()
        let deletion = try RawStatement("DELETE FROM history WHERE number = ?", in: database)
        for number in gone {
            deletion.bind(1, number)
            try deletion.run()
        }
        for (number, rest) in cut { try replace(number, by: rest, in: database) }
        let latest = try RawStatement("DELETE FROM latest WHERE device = ? AND sample_time < ?", in: database)
        latest.bind(1, Int64(device.rawValue))
        latest.bind(2, horizon.milliseconds)
        try latest.run()
        return count
    }

    /// The first device after `device` that has a position, with its oldest sample time.
    static func oldest(
        after device: Int64, in database: Database
    ) throws -> (device: DeviceNumber, sampleTime: Instant)? {
        let statement = try RawStatement(
            "SELECT device, first_time FROM history WHERE device > ? ORDER BY device, first_time LIMIT 1",
            in: database)
        statement.bind(1, device)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return (try self.device(statement), Instant(milliseconds: statement.integer(1)))
    }

    /// All positions of a block.
    static func positions(in bytes: UnsafeRawBufferPointer) throws(CodecFault) -> [Position] {
        var reader = ByteReader(bytes)
        var positions: [Position] = []
        while !reader.isAtEnd { positions.append(try reader.position()) }
        return positions
    }

    /// Leaves in a block only `rest`, its last positions, of which there is at least one.
    private static func replace(_ number: Int64, by rest: [Position], in database: Database) throws {
        guard let first = rest.first else { return }
        var writer = ByteWriter()
        for position in rest { writer.put(position) }
        let statement = try RawStatement(
            "UPDATE history SET first_time = ?, count = ?, positions = ? WHERE number = ?", in: database)
        statement.bind(1, first.sampleTime.milliseconds)
        statement.bind(2, Int64(rest.count))
        statement.bind(4, number)
        try statement.binding(3, writer.bytes[...]) { try statement.run() }
    }

    private static func device(_ statement: RawStatement) throws -> DeviceNumber {
        guard let number = Int32(exactly: statement.integer(0)) else { throw CodecFault.malformed(offset: 0) }
        return DeviceNumber(number)
    }
}

extension Int64 {
    /// This less `amount`, or the lowest number when that is lower than any.
    fileprivate func lowered(by amount: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(amount)
        return overflow ? .min : difference
    }
}
