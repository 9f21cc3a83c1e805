import GRDB
package import MusterCore
import MusterDocuments
import Synchronization

/// Reads of many devices' positions and people's states over a time.
extension SQLiteStore {
    /// How many devices one snapshot reads, so that no snapshot lasts long and no copy of the stage is large.
    private static let devicesAtOnce = 64

    package func replay(
        of devices: [DeviceNumber], earliest: Instant, from: Instant, to: Instant,
        _ body: (DeviceNumber, Position?, [Position]) throws -> Void
    ) throws {
        let removed = removals.withLock { $0.devices }
        let wanted = devices.filter { !removed.contains($0) }
        var next = 0
        while next < wanted.count {
            let slice = wanted[next..<min(next + Self.devicesAtOnce, wanted.count)]
            next = slice.endIndex
            // The stage is read before the snapshot, as `positions(of:from:to:after:limit:)` does.
            let (low, high) = (PositionKey(from: earliest), PositionKey(from: to))
            let staged = try StoreError.naming(path) {
                try slice.map { device in
                    try stage.withLock { try $0.positions(of: device, after: low, before: high) }
                }
            }
            try onReader { database in
                let epochs = try HistoryTable.epochs(
                    from: earliest.milliseconds, through: to.milliseconds, in: database)
                for (device, staged) in zip(slice, staged) {
                    let start = staged.partitioningIndex { $0.sampleTime >= from }
                    var newest = try HistoryTable.newest(
                        of: device, in: epochs, earliest: earliest, before: from, database)
                    if let other = staged[..<start].last {
                        newest = newest.map { PositionKey($0) < PositionKey(other) ? other : $0 } ?? other
                    }
                    let merged = try HistoryTable.positions(
                        of: device, after: PositionKey(from: from), before: to, limit: .max, in: database)
                    try body(device, newest, Self.union(merged, staged[start...], limit: .max))
                }
            }
        }
    }

    package func safetyHistory(of people: [UserNumber], from: Instant, to: Instant) throws -> [ReportedSafety] {
        let removed = removals.withLock { $0.users }
        return try onReader { database in
            var found: [ReportedSafety] = []
            for user in people where !removed.contains(user) {
                try SafetyHistoryTable.fetch(of: user, from: from, to: to, into: &found, in: database)
            }
            return found
        }
    }

    package var safetyHistoryStart: Instant {
        get throws { Instant(milliseconds: try onReader { try Counter.safetyHistory.value(in: $0) }) }
    }
}

extension HistoryTable {
    /// Returns the newest position of a device in `[earliest, end)`; nil if there is none.
    ///
    /// - Parameter epochs: those that may have a time of that range.
    /// - Complexity: O(blocks of the last hour before the position), for each epoch.
    static func newest(
        of device: DeviceNumber, in epochs: [Epoch], earliest: Instant, before end: Instant, _ database: Database
    ) throws -> Position? {
        var newest: Position?
        for epoch in epochs where epoch.firstTime < end.milliseconds {
            if let newest, epoch.lastTime < newest.sampleTime.milliseconds { continue }
            let statement = try RawStatement(
                """
                SELECT number, first_time, last_time FROM history
                WHERE epoch = ? AND device = ? AND first_time < ? AND first_time >= ? ORDER BY first_time DESC
                """, in: database)
            statement.bind(1, epoch.number)
            statement.bind(2, Int64(device.rawValue))
            statement.bind(3, end.milliseconds)
            statement.bind(4, earliest.milliseconds.lowered(by: longestSpan))
            defer { statement.reset() }
            while try statement.step() {
                if let time = newest?.sampleTime.milliseconds {
                    // No earlier block can reach as far.
                    if statement.integer(1) < time.lowered(by: longestSpan) { break }
                    if statement.integer(2) < time { continue }
                }
                try forEachPosition(ofBlock: statement.integer(0), database) { position in
                    guard position.sampleTime >= earliest, position.sampleTime < end else { return }
                    if newest.map({ PositionKey($0) < PositionKey(position) }) ?? true { newest = position }
                }
            }
        }
        return newest
    }

    private static func forEachPosition(
        ofBlock block: Int64, _ database: Database, _ body: (Position) throws -> Void
    ) throws {
        let statement = try RawStatement("SELECT positions FROM history WHERE number = ?", in: database)
        statement.bind(1, block)
        defer { statement.reset() }
        guard try statement.step() else { return }
        try statement.withBlob(0) { bytes in
            var reader = ByteReader(bytes)
            while !reader.isAtEnd { try body(try reader.position()) }
        }
    }
}
