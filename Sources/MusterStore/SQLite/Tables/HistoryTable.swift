import GRDB
import MusterCore
import MusterDocuments

/// The history of positions. Each row is a block of one device's positions, in the order of their keys, as `ByteWriter`
/// encodes them.
///
/// Rows are added only at the end of the table, so that a merge of ten thousand devices writes each page once. Only the
/// index entries of a merge, about 70 bytes a block, are spread over the file. Each index begins with the epoch, which
/// is a run of `epochLimit` blocks (163,840 by default). So the part of an index that a merge touches has a bounded
/// size: a store of a billion positions stores more as fast as an empty one. A reader searches each epoch whose range
/// of time meets its own. These are few, because epochs follow each other in time except for late reports.
///
/// A block spans at most an hour and takes about half a page. Blocks of one device may overlap in time after late
/// reports. The bound on the span makes look-ups exact: a block that has a position of time t begins in [t − an hour,
/// t].
enum HistoryTable {
    /// The longest time between a block's first and last position, in milliseconds.
    static let longestSpan: Int64 = 3_600_000
    /// The largest size of a block in bytes, so that two blocks fit in a page. A single large position may exceed it.
    static let largestBlock = 1_950
    /// A run of blocks, with the range of their sample times.
    struct Epoch {
        var number: Int64
        /// The earliest sample time, or an earlier one.
        var firstTime: Int64
        /// The latest sample time, or a later one.
        var lastTime: Int64
    }

    /// Returns the epochs that may have a sample time in `[first, last]`, ordered by their first times.
    static func epochs(from first: Int64, through last: Int64, in database: Database) throws -> [Epoch] {
        let statement = try RawStatement(
            """
            SELECT number, first_time, last_time FROM epochs
            WHERE first_time <= ? AND last_time >= ? ORDER BY first_time, number
            """, in: database)
        statement.bind(1, last)
        statement.bind(2, first)
        var epochs: [Epoch] = []
        while try statement.step() {
            epochs.append(
                Epoch(
                    number: statement.integer(0), firstTime: statement.integer(1), lastTime: statement.integer(2)))
        }
        return epochs
    }

    /// Returns positions of a device with a key after `low` and a sample time before `end`, in the order of their keys.
    ///
    /// O(limit), plus a search of each epoch up to the last position found, plus overlapping blocks.
    static func positions(
        of device: DeviceNumber, after low: PositionKey, before end: Instant, limit: Int, in database: Database
    ) throws -> [Position] {
        var found: [Position] = []
        for epoch in try epochs(from: low.sampleTime, through: end.milliseconds, in: database) {
            if found.count >= limit, found[limit - 1].sampleTime.milliseconds < epoch.firstTime { break }
            let more = try positions(
                of: device, in: epoch, after: low, before: end, limit: limit, in: database)
            let isInOrder = found.last.map { last in more.first.map { PositionKey(last) < PositionKey($0) } ?? true }
            found += more
            if isInOrder == false { found.sort { PositionKey($0) < PositionKey($1) } }
        }
        return found.count > limit ? Array(found.prefix(limit)) : found
    }

    private static func positions(
        of device: DeviceNumber, in epoch: Epoch, after low: PositionKey, before end: Instant, limit: Int,
        in database: Database
    ) throws -> [Position] {
        let statement = try RawStatement(
            """
            SELECT first_time, positions FROM history
            WHERE epoch = ? AND device = ? AND first_time >= ? AND first_time < ? AND last_time >= ?
            ORDER BY first_time
            """, in: database)
        statement.bind(1, epoch.number)
        statement.bind(2, Int64(device.rawValue))
        statement.bind(3, low.sampleTime.lowered(by: longestSpan))
        statement.bind(4, end.milliseconds)
        statement.bind(5, low.sampleTime)
        defer { statement.reset() }
        var found: [Position] = []
        var isSorted = true
        while try statement.step() {
            let first = statement.integer(0)
            if found.count >= limit {
                // The search ends once no later block can have an earlier position.
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
        return found
    }

    /// Calls `body` with the newest position in the history of every device, in the order of the devices' numbers.
    static func forEachLatest(in database: Database, _ body: (DeviceNumber, Position) throws -> Void) throws {
        let statement = try RawStatement("SELECT device, position FROM latest ORDER BY device", in: database)
        defer { statement.reset() }
        while try statement.step() {
            let position = try statement.withBlob(1) { bytes in
                var reader = ByteReader(bytes)
                return try reader.position()
            }
            try body(DeviceNumber(try Int32(stored: statement.integer(0))), position)
        }
    }
}

extension Int32 {
    /// Makes the number of an entity from a stored value.
    ///
    /// - Throws: `CodecError.malformed` if the value is out of range.
    init(stored value: Int64) throws {
        guard let number = Int32(exactly: value) else { throw CodecError.malformed(offset: 0) }
        self = number
    }
}

extension Int64 {
    /// The difference to `amount`; `Int64.min` if that is out of range.
    func lowered(by amount: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(amount)
        return overflow ? .min : difference
    }
}
