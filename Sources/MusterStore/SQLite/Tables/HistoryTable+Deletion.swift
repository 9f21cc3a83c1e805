import GRDB
import MusterCore
import MusterDocuments

/// Deletes positions of the history: those before a time (data retention), or those of a device.
extension HistoryTable {
    /// The place in the history at which the deletion of old positions continues.
    struct Place: Comparable {
        var epoch: Int64
        var device: Int64

        static let start = Place(epoch: .min, device: .min)

        static func < (left: Place, right: Place) -> Bool {
            (left.epoch, left.device) < (right.epoch, right.device)
        }
    }

    /// Deletes about `limit` positions at most with a sample time before `horizon`, epoch by epoch and device by
    /// device.
    ///
    /// - Returns: how many it deleted, which is below `limit` only if none is left; and the place to continue at.
    static func delete(
        before horizon: Instant, from start: Place, limit: Int, in database: Database
    ) throws -> (count: Int, place: Place) {
        var place = start
        var count = 0
        for number in try epochsNotWhollyAfter(horizon, in: database) where number >= start.epoch {
            if number > place.epoch { place = Place(epoch: number, device: .min) }
            let isFromItsBeginning = place.device == .min
            while let next = try oldest(in: number, after: place.device, in: database) {
                if next.sampleTime < horizon {
                    count += try delete(
                        of: next.device, in: number, before: horizon, limit: limit - count, in: database)
                    // The device may have more old positions in this epoch.
                    if count >= limit { return (count, place) }
                }
                place.device = Int64(next.device.rawValue)
            }
            if isFromItsBeginning { try raiseFirstTime(of: number, to: horizon, in: database) }
        }
        // Positions before the starting place may have become old since the last call.
        guard start > .start else { return (count, .start) }
        let (more, next) = try delete(before: horizon, from: .start, limit: limit - count, in: database)
        return (count + more, next)
    }

    /// Deletes about `limit` positions of a device at most.
    ///
    /// - Returns: how many it deleted, which is below `limit` only if none is left.
    static func delete(of device: DeviceNumber, limit: Int, in database: Database) throws -> Int {
        var count = 0
        for epoch in try epochs(from: .min, through: .max, in: database) where count < limit {
            count += try delete(
                of: device, in: epoch.number, before: nil, limit: limit - count, in: database)
        }
        return count
    }

    /// Deletes about `limit` positions at most of a device in an epoch: all, or those before `horizon`. Also deletes
    /// the device's newest position from `latest` if it is among them.
    private static func delete(
        of device: DeviceNumber, in epoch: Int64, before horizon: Instant?, limit: Int, in database: Database
    ) throws -> Int {
        let end = horizon?.milliseconds ?? .max
        let statement = try RawStatement(
            """
            SELECT number, count, last_time, positions, marks FROM history
            WHERE epoch = ? AND device = ? AND first_time <= ? ORDER BY first_time
            """, in: database)
        statement.bind(1, epoch)
        statement.bind(2, Int64(device.rawValue))
        statement.bind(3, end)
        var gone: [Int64] = []
        var cut: [(number: Int64, rest: [Position], marks: MarkWriter)] = []
        var count = 0
        while count < limit, try statement.step() {
            let held = Int(clamping: statement.integer(1))
            if horizon == nil || statement.integer(2) < end {
                gone.append(statement.integer(0))
                count += held
                continue
            }
            let rest = try statement.withBlob(3) { try Self.rest(of: $0, from: end) }
            if rest.count < held {
                let marks = try statement.withBlob(4) { try MarkWriter(lastOf: $0, count: rest.count) }
                cut.append((statement.integer(0), rest, marks))
            }
            count += held - rest.count
        }
        statement.reset()
        try rewrite(gone, cut, in: database)
        let latest = try RawStatement("DELETE FROM latest WHERE device = ? AND sample_time <= ?", in: database)
        latest.bind(1, Int64(device.rawValue))
        latest.bind(2, horizon == nil ? end : end - 1)
        try latest.run()
        return count
    }

    /// Decodes the positions of a block with a sample time of at least `time`.
    private static func rest(of bytes: UnsafeRawBufferPointer, from time: Int64) throws -> [Position] {
        var reader = ByteReader(bytes)
        var rest: [Position] = []
        while !reader.isAtEnd {
            let position = try reader.position()
            if position.sampleTime.milliseconds >= time { rest.append(position) }
        }
        return rest
    }

    /// Replaces the positions of a block by `rest`, its last ones. Does nothing if `rest` is empty.
    static func replace(
        _ number: Int64, by rest: [Position], _ marks: MarkWriter, in database: Database
    ) throws {
        guard let first = rest.first else { return }
        var writer = ByteWriter()
        for position in rest { writer.put(position) }
        let statement = try RawStatement(
            """
            UPDATE history SET first_time = ?, first_sequence = ?, last_sequence = ?, told = ?, count = ?, marks = ?,
                positions = ?
            WHERE number = ?
            """, in: database)
        statement.bind(1, first.sampleTime.milliseconds)
        statement.bind(2, marks.first)
        statement.bind(3, marks.last)
        statement.bind(4, marks.told)
        statement.bind(5, Int64(rest.count))
        statement.bind(8, number)
        try statement.binding(6, marks.bytes[...]) {
            try statement.binding(7, writer.bytes[...]) { try statement.run() }
        }
    }

    /// Returns the first device after `device` that has a position in an epoch, with its oldest sample time there; nil
    /// if there is none.
    private static func oldest(
        in epoch: Int64, after device: Int64, in database: Database
    ) throws -> (device: DeviceNumber, sampleTime: Instant)? {
        let statement = try RawStatement(
            """
            SELECT device, first_time FROM history WHERE epoch = ? AND device > ? ORDER BY device, first_time LIMIT 1
            """, in: database)
        statement.bind(1, epoch)
        statement.bind(2, device)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let number = try Int32(stored: statement.integer(0))
        return (DeviceNumber(number), Instant(milliseconds: statement.integer(1)))
    }

    /// Returns the numbers of the epochs that may have a position before `horizon`, in ascending order.
    private static func epochsNotWhollyAfter(_ horizon: Instant, in database: Database) throws -> [Int64] {
        try epochs(from: .min, through: .max, in: database).filter { $0.firstTime < horizon.milliseconds }
            .map(\.number).sorted()
    }

    /// Records that an epoch has no positions before `horizon`. Deletes the row of an empty epoch, except of the newest
    /// one, which gets the next blocks.
    private static func raiseFirstTime(of epoch: Int64, to horizon: Instant, in database: Database) throws {
        try database.execute(
            sql: "UPDATE epochs SET first_time = ? WHERE number = ?", arguments: [horizon.milliseconds, epoch])
        try database.execute(
            sql: """
                DELETE FROM epochs WHERE number = ? AND number < (SELECT max(number) FROM epochs)
                    AND NOT EXISTS (SELECT 1 FROM history WHERE epoch = epochs.number)
                """, arguments: [epoch])
    }

    /// Deletes blocks of positions, and replaces others by what is left of them.
    static func rewrite(
        _ gone: [Int64], _ cut: [(number: Int64, rest: [Position], marks: MarkWriter)], in database: Database
    ) throws {
        let deletion = try RawStatement("DELETE FROM history WHERE number = ?", in: database)
        for number in gone {
            deletion.bind(1, number)
            try deletion.run()
        }
        for (number, rest, marks) in cut { try replace(number, by: rest, marks, in: database) }
    }
}
