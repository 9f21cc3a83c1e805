import GRDB
package import MusterCore
import MusterDocuments
import Synchronization

/// The devices whose history of positions was deleted, each with the newest change that the deletion covers. Readers of
/// the log leave these positions, and the ranges from and to the devices, out from the deleting commit on; `settle`
/// erases them from the file. The device, its newest position and everything derived from its positions stay.
struct DeletedHistories: Equatable {
    private(set) var through: [DeviceNumber: Int64] = [:]

    private static let prefix = "positionsErased/"

    var isEmpty: Bool { through.isEmpty }

    init() {}

    /// Reads the stored deletions.
    ///
    /// - Throws: `CodecError.malformed`.
    init(from database: Database) throws {
        let rows = try Row.fetchAll(
            database, sql: "SELECT name, value FROM counters WHERE name LIKE ?", arguments: [Self.prefix + "%"])
        for row in rows {
            guard let name = String.fromDatabaseValue(row["name"]),
                let device = Int32(name.dropFirst(Self.prefix.count)),
                let sequence = Int64.fromDatabaseValue(row["value"])
            else { throw CodecError.malformed(offset: 0) }
            through[DeviceNumber(device)] = sequence
        }
    }

    /// Records that the positions of a device in changes up to `sequence` are deleted.
    mutating func markDeleted(_ device: DeviceNumber, through sequence: Int64) { through[device] = sequence }

    mutating func formUnion(_ other: DeletedHistories) {
        through.merge(other.through) { max($0, $1) }
    }

    /// Removes the deletions that `other` has too. A newer deletion of the same device stays.
    mutating func subtract(_ other: DeletedHistories) {
        for (device, sequence) in other.through where through[device] == sequence { through[device] = nil }
    }

    /// Whether the position of a device in the change of this number is deleted.
    func cover(_ device: DeviceNumber, at sequence: Int64) -> Bool {
        through[device].map { sequence <= $0 } ?? false
    }

    /// Whether the change of this number is a deleted position or range.
    func cover(_ change: Change, at sequence: Int64) -> Bool {
        switch change {
        case .position(_, let device, _): cover(device, at: sequence)
        case .range(let range, let device, _): cover(device, at: sequence) || cover(range.peer, at: sequence)
        default: false
        }
    }

    /// Stores these deletions in the file.
    func store(in database: Database) throws {
        for (device, sequence) in through {
            try database.execute(
                sql: """
                    INSERT INTO counters (name, value) VALUES (?, ?)
                    ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)
                    """, arguments: [Self.prefix + "\(device.rawValue)", sequence])
        }
    }

    /// Deletes these deletions from the file. A newer deletion of the same device stays.
    func delete(from database: Database) throws {
        for (device, sequence) in through {
            try database.execute(
                sql: "DELETE FROM counters WHERE name = ? AND value = ?",
                arguments: [Self.prefix + "\(device.rawValue)", sequence])
        }
    }
}

extension SQLiteStore {
    package func erasePositions(of device: DeviceNumber, limit: Int) throws -> Bool {
        guard let through = deletedHistories.withLock({ $0.through[device] }) else { return false }
        let merged = try onReader { try Counter.merged.value(in: $0) }
        // Staged positions are merged first. Otherwise the next start would stage them again from the log.
        if merged < through, !stage.withLock({ $0.isEmpty }) {
            _ = try mergeStaged(limit: max(1, limit))
            return true
        }
        return try onWriter { database in
            try transact(in: database) {
                let limit = max(1, limit)
                let positions = try HistoryTable.delete(of: device, through: through, limit: limit, in: database)
                let ranges = try RangeTable.delete(of: device, through: through, limit: limit, in: database)
                return positions >= limit || ranges >= limit
            }
        }
    }
}

extension HistoryTable {
    /// Deletes newest positions with a sample time before `horizon`, also of devices without a history.
    static func deleteLatest(before horizon: Instant, in database: Database) throws {
        let statement = try RawStatement("DELETE FROM latest WHERE sample_time < ?", in: database)
        statement.bind(1, horizon.milliseconds)
        try statement.run()
    }

    /// Deletes about `limit` positions of a device at most that changes up to `sequence` recorded. Its newest position
    /// stays in `latest`.
    ///
    /// - Returns: the number of deleted positions, which is below `limit` only if none is left.
    static func delete(
        of device: DeviceNumber, through sequence: Int64, limit: Int, in database: Database
    ) throws -> Int {
        let statement = try RawStatement(
            """
            SELECT number, count, last_sequence, positions, marks FROM history
            WHERE epoch IN (SELECT number FROM epochs) AND device = ? AND first_sequence <= ?
            """, in: database)
        statement.bind(1, Int64(device.rawValue))
        statement.bind(2, sequence)
        var gone: [Int64] = []
        var cut: [(number: Int64, rest: [Position], marks: MarkWriter)] = []
        var count = 0
        while count < limit, try statement.step() {
            let held = Int(clamping: statement.integer(1))
            if statement.integer(2) <= sequence {
                gone.append(statement.integer(0))
                count += held
                continue
            }
            let marks = try statement.withBlob(4) { try MarkWriter.marks(in: $0) }
            var rest: [Position] = []
            var restMarks = MarkWriter()
            try statement.withBlob(3) { bytes in
                var reader = ByteReader(bytes)
                for mark in marks where !reader.isAtEnd {
                    let position = try reader.position()
                    guard mark.sequence > sequence else { continue }
                    rest.append(position)
                    restMarks.add(mark)
                }
            }
            cut.append((statement.integer(0), rest, restMarks))
            count += held - rest.count
        }
        statement.reset()
        try rewrite(gone, cut, in: database)
        return count
    }
}
