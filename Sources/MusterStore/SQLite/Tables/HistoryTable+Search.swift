import GRDB
import MusterCore
import MusterDocuments

/// Finds out whether the history has a position, in O(log blocks): the question that every late position and every
/// position of a device with a wrong clock raises.
///
/// Blocks of one device may overlap, so the block that begins right before a time need not be the one that holds it. An
/// index by the class of a block's span bounds how far back a search looks: a block of class c spans less than
/// 16^(c + 1) milliseconds, and more than a sixteenth of that. So of the blocks that do not overlap, at most 17 of a
/// class begin so late that they could hold the time.
extension HistoryTable {
    /// A stretch of time in which a device has no position in the history. The ends are not part of it.
    struct Gap {
        var after: Int64
        var before: Int64

        func contains(_ time: Int64) -> Bool { after < time && time < before }
    }

    /// The SQL expression of a block's class, 0 to 5. SQLite uses the index for this very text alone, so it is never
    /// changed.
    private static let spanClass = """
        ((last_time - first_time > 15) + (last_time - first_time > 255) + (last_time - first_time > 4095) \
        + (last_time - first_time > 65535) + (last_time - first_time > 1048575))
        """
    /// The longest span of each class, in milliseconds.
    private static let longestSpans: [Int64] = [15, 255, 4_095, 65_535, 1_048_575, longestSpan]

    /// The step of the schema that makes the index.
    static let spanIndex = """
        CREATE INDEX history_by_span ON history (epoch, device, \(spanClass), first_time, last_time);

        """

    /// Searches the history of a device for a position.
    ///
    /// - Parameter epochs: all epochs.
    /// - Returns: whether the history has it; if it has no position of this time at all, also the gap around the time.
    static func search(
        for key: PositionKey, of device: DeviceNumber, in epochs: [Epoch], _ database: Database
    ) throws -> (isFound: Bool, gap: Gap?) {
        var search = Search(key: key, device: Int64(device.rawValue))
        for epoch in epochs.reversed() {
            if epoch.lastTime < key.sampleTime {
                search.gap.after = max(search.gap.after, epoch.lastTime)
            } else if epoch.firstTime > key.sampleTime {
                search.gap.before = min(search.gap.before, epoch.firstTime)
            } else if try search.run(in: epoch.number, database) {
                return (true, nil)
            }
        }
        return (false, search.hasTime ? nil : search.gap)
    }

    /// One search. It narrows the gap with every block that it comes across.
    private struct Search {
        let key: PositionKey
        let device: Int64
        var gap = Gap(after: .min, before: .max)
        /// Whether a position of the same time and of another place was found.
        var hasTime = false

        private static let blocksOfClass = """
            SELECT number, first_time, last_time FROM history INDEXED BY history_by_span
            WHERE epoch = ? AND device = ? AND \(HistoryTable.spanClass) = ? AND first_time <= ? AND first_time >= ?
            ORDER BY first_time DESC
            """

        /// Searches one epoch.
        ///
        /// - Returns: whether it has the position.
        mutating func run(in epoch: Int64, _ database: Database) throws -> Bool {
            for (spanClass, longest) in longestSpans.enumerated() {
                if try run(in: epoch, ofClass: Int64(spanClass), spanning: longest, database) { return true }
            }
            let next = try RawStatement(
                """
                SELECT first_time FROM history WHERE epoch = ? AND device = ? AND first_time > ?
                ORDER BY first_time LIMIT 1
                """, in: database)
            next.bind(1, epoch)
            next.bind(2, device)
            next.bind(3, key.sampleTime)
            defer { next.reset() }
            if try next.step() { gap.before = min(gap.before, next.integer(0)) }
            return false
        }

        private mutating func run(
            in epoch: Int64, ofClass spanClass: Int64, spanning longest: Int64, _ database: Database
        ) throws -> Bool {
            let blocks = try RawStatement(Self.blocksOfClass, in: database)
            blocks.bind(1, epoch)
            blocks.bind(2, device)
            blocks.bind(3, spanClass)
            blocks.bind(4, key.sampleTime)
            // A block that begins earlier ends where the gap is known to begin, or before.
            blocks.bind(5, gap.after.lowered(by: longest))
            defer { blocks.reset() }
            while try blocks.step() {
                let (first, last) = (blocks.integer(1), blocks.integer(2))
                if last >= key.sampleTime {
                    if try looksInto(blocks.integer(0), database) { return true }
                } else {
                    gap.after = max(gap.after, last)
                }
                if first < gap.after.lowered(by: longest) { break }
            }
            return false
        }

        /// Compares the positions of a block that spans the time.
        ///
        /// - Returns: whether it has the position.
        private mutating func looksInto(_ block: Int64, _ database: Database) throws -> Bool {
            let statement = try RawStatement("SELECT positions FROM history WHERE number = ?", in: database)
            statement.bind(1, block)
            defer { statement.reset() }
            guard try statement.step() else { return false }
            return try statement.withBlob(0) { bytes in
                var reader = ByteReader(bytes)
                while !reader.isAtEnd {
                    let other = PositionKey(try reader.position())
                    if other == key { return true }
                    if other.sampleTime > key.sampleTime {
                        gap.before = min(gap.before, other.sampleTime)
                        return false
                    }
                    if other.sampleTime == key.sampleTime {
                        hasTime = true
                    } else {
                        gap.after = max(gap.after, other.sampleTime)
                    }
                }
                return false
            }
        }
    }
}

/// What the writer knows about times at which devices have no position in the history. A device that reports what it
/// stored for a day asks once for each gap in its history, and not once for each position.
///
/// A gap holds until a generation of the stage is merged: the stage itself answers for the positions of a generation
/// until then, and nothing else adds to the history.
struct HistoryGaps {
    /// The largest number of devices with a known gap. Beyond it, all are forgotten.
    static let limit = 65_536

    /// The generation of the stage whose predecessors are merged.
    private var generation = -1
    private var epochs: [HistoryTable.Epoch] = []
    private var gaps: [DeviceNumber: HistoryTable.Gap] = [:]

    /// Whether the history has a position that the stage does not have.
    ///
    /// - Parameter generation: the stage's number of merged generations.
    mutating func finds(
        _ key: PositionKey, of device: DeviceNumber, at generation: Int, in database: Database
    ) throws -> Bool {
        if generation != self.generation {
            epochs = try HistoryTable.epochs(from: .min, through: .max, in: database)
            gaps.removeAll(keepingCapacity: true)
            self.generation = generation
        }
        if let gap = gaps[device], gap.contains(key.sampleTime) { return false }
        let (isFound, gap) = try HistoryTable.search(for: key, of: device, in: epochs, database)
        if let gap {
            if gaps.count >= Self.limit { gaps.removeAll(keepingCapacity: true) }
            gaps[device] = gap
        }
        return isFound
    }
}
