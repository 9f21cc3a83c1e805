import GRDB
import MusterCore
import MusterDocuments

/// Finds positions of the history by the change of the log that each came with.
extension HistoryTable {
    /// A position of a block, with its mark.
    struct Marked {
        var mark: PositionMark
        var position: Position
    }

    /// A block, with a bound: in the order of a search, no position of the block is before it.
    struct BoundBlock {
        var number: Int64
        var bound: Int64
    }

    /// The order of a search, by a number that increases along it. The numbers of a descending order are the
    /// complements (`~`) of the others.
    enum Order {
        case sequence, sequenceDescending, time, timeDescending

        func value(of marked: Marked) -> Int64 {
            switch self {
            case .sequence: marked.mark.sequence
            case .sequenceDescending: ~marked.mark.sequence
            case .time: marked.position.sampleTime.milliseconds
            case .timeDescending: ~marked.position.sampleTime.milliseconds
            }
        }

        /// The SQL expression of a block's lowest value in this order. A descending order complements all bits, which
        /// reverses the order of numbers.
        fileprivate var bound: String {
            switch self {
            case .sequence: "first_sequence"
            case .sequenceDescending: "~last_sequence"
            case .time: "first_time"
            case .timeDescending: "~last_time"
            }
        }

        /// The SQL expression of a block's highest value in this order.
        fileprivate var end: String {
            switch self {
            case .sequence: "last_sequence"
            case .sequenceDescending: "~first_sequence"
            case .time: "last_time"
            case .timeDescending: "~first_time"
            }
        }
    }

    /// Returns the first positions of a device, in an order, that no document brought and that `isWanted` selects: at
    /// least `limit` of them if that many exist, and perhaps some later ones. The values of all selected positions must
    /// be in `range`.
    ///
    /// The search reads the index entries of all of the device's blocks, and then only the blocks that may have such
    /// positions.
    static func firstTold(
        _ limit: Int, in order: Order, _ range: ClosedRange<Int64>, of device: DeviceNumber, in database: Database,
        where isWanted: (Marked) -> Bool
    ) throws -> [Marked] {
        let blocks = try toldBlocks(of: device, in: order, range, database)
        let reading = try RawStatement("SELECT marks, positions FROM history WHERE number = ?", in: database)
        defer { reading.reset() }
        var found: [Marked] = []
        var values: [Int64] = []
        for block in blocks {
            // The search ends once no later block can have an earlier position.
            if values.count >= limit, limit == 0 || values[limit - 1] < block.bound { break }
            reading.bind(1, block.number)
            guard try reading.step() else { continue }
            let marks = try reading.withBlob(0) { try MarkWriter.marks(in: $0) }
            try reading.withBlob(1) { bytes in
                var reader = ByteReader(bytes)
                for mark in marks {
                    let marked = Marked(mark: mark, position: try reader.position())
                    guard !mark.isOfDocument, isWanted(marked) else { continue }
                    found.append(marked)
                    values.append(order.value(of: marked))
                }
            }
            reading.reset()
            values.sort()
        }
        return found
    }

    /// Returns the blocks of a device that may have a position that no document brought with a value in a range,
    /// ordered by their bounds.
    private static func toldBlocks(
        of device: DeviceNumber, in order: Order, _ range: ClosedRange<Int64>, _ database: Database
    ) throws -> [BoundBlock] {
        let statement = try RawStatement(
            """
            SELECT number, \(order.bound) FROM history
            WHERE epoch IN (SELECT number FROM epochs) AND device = ? AND told > 0
                AND \(order.end) >= ? AND \(order.bound) <= ?
            ORDER BY 2
            """, in: database)
        defer { statement.reset() }
        statement.bind(1, Int64(device.rawValue))
        statement.bind(2, range.lowerBound)
        statement.bind(3, range.upperBound)
        var blocks: [BoundBlock] = []
        while try statement.step() {
            blocks.append(BoundBlock(number: statement.integer(0), bound: statement.integer(1)))
        }
        return blocks
    }

    /// Counts the positions in the history that no document brought: of a device, or of every device for nil.
    static func toldCount(of device: DeviceNumber?, in database: Database) throws -> Int {
        guard let device else {
            return try Int.fetchOne(database, sql: "SELECT coalesce(sum(told), 0) FROM history") ?? 0
        }
        return try Int.fetchOne(
            database,
            sql: """
                SELECT coalesce(sum(told), 0) FROM history
                WHERE epoch IN (SELECT number FROM epochs) AND device = ?
                """, arguments: [device.rawValue]) ?? 0
    }

    /// Counts the positions in the history of a device that no document brought and that changes after `sequence`
    /// recorded.
    static func toldCount(of device: DeviceNumber, since sequence: Int64, in database: Database) throws -> Int {
        let statement = try RawStatement(
            """
            SELECT first_sequence, told, CASE WHEN first_sequence > ?2 THEN NULL ELSE marks END FROM history
            WHERE epoch IN (SELECT number FROM epochs) AND device = ?1 AND last_sequence > ?2
            """, in: database)
        defer { statement.reset() }
        statement.bind(1, Int64(device.rawValue))
        statement.bind(2, sequence)
        var count = 0
        while try statement.step() {
            guard statement.integer(0) <= sequence else {
                count += Int(statement.integer(1))
                continue
            }
            count += try statement.withBlob(2) { bytes in
                try MarkWriter.marks(in: bytes).lazy.filter { $0.sequence > sequence && !$0.isOfDocument }.count
            }
        }
        return count
    }
}
