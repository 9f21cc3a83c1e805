import GRDB
import MusterCore
import Synchronization

/// Reads positions in a read transaction, together with those staged in memory.
///
/// The stage has every position that the transaction's history does not have, even if it was merged since: a generation
/// stays in memory until its last slice is on the disk. If a generation was merged completely meanwhile, the reader
/// throws `StageMoved`, and the caller begins a new read.
final class SQLitePositionReader: PositionReader {
    private let store: SQLiteStore
    private let database: Database
    let lastSequence: LogSequence
    private let generation: Int
    /// The transaction's history has the staged positions up to this change, and the first `merged` ones of the
    /// generation after it.
    private let through: Int64
    private let merged: Int
    private let removed: Removals
    private let cut: DeletedHistories

    /// A whole generation was merged during the read.
    struct StageMoved: Error {}

    /// - Parameter generation: the stage's generation before the read transaction began.
    init(_ store: SQLiteStore, in database: Database, generation: Int) throws {
        self.store = store
        self.database = database
        lastSequence = try store.lastSequence(readIn: database)
        self.generation = generation
        through = try Counter.merged.value(in: database)
        merged = Int(clamping: try Counter.mergedOfThese.value(in: database))
        removed = store.removals.withLock { $0 }
        cut = store.deletedHistories.withLock { $0 }
    }

    func positions(
        of devices: [DeviceNumber], since sequence: LogSequence, through end: LogSequence?, isDescending: Bool,
        limit: Int
    ) throws -> [SequencedPosition] {
        // A client may send any number, so it is limited to the newest change.
        let since = min(sequence.rawValue, lastSequence.rawValue)
        let order = isDescending ? HistoryTable.Order.sequenceDescending : .sequence
        let start = isDescending ? ~since : since + 1
        let last = end.map { isDescending ? ~$0.rawValue : $0.rawValue } ?? .max
        var found: [SequencedPosition] = []
        for device in devices where start <= last {
            found += try positionsWithoutDocument(of: device, in: order, range: start...last, limit: limit) { marked in
                (start...last).contains(order.value(of: marked))
            }
        }
        found.sort { isDescending ? $0.sequence > $1.sequence : $0.sequence < $1.sequence }
        return Array(found.prefix(limit))
    }

    func positions(
        of device: DeviceNumber, after cursor: HistoryCursor?, isDescending: Bool, limit: Int
    ) throws -> [SequencedPosition] {
        let key = cursor.map { PositionKey($0) }
        let start = key.map { isDescending ? ~$0.sampleTime : $0.sampleTime } ?? .min
        let order = isDescending ? HistoryTable.Order.timeDescending : .time
        var found = try positionsWithoutDocument(of: device, in: order, range: start ... .max, limit: limit) { marked in
            guard let key else { return true }
            let own = PositionKey(marked.position)
            return isDescending ? own < key : own > key
        }
        found.sort {
            let (left, right) = (PositionKey($0.position), PositionKey($1.position))
            return isDescending ? right < left : left < right
        }
        return Array(found.prefix(limit))
    }

    func position(of device: DeviceNumber, at place: HistoryCursor) throws -> SequencedPosition? {
        let key = PositionKey(place)
        let times = key.sampleTime...key.sampleTime
        return try positionsWithoutDocument(of: device, in: .time, range: times, limit: 1) {
            PositionKey($0.position) == key
        }.first
    }

    /// Returns the first positions of a device, in an order, that no document brought and that `isWanted` selects: at
    /// least `limit` if that many exist, unsorted. The values of all selected positions must be in `range`.
    private func positionsWithoutDocument(
        of device: DeviceNumber, in order: HistoryTable.Order, range: ClosedRange<Int64>, limit: Int,
        where isWanted: (HistoryTable.Marked) -> Bool
    ) throws -> [SequencedPosition] {
        guard limit > 0, !removed.devices.contains(device) else { return [] }
        let isWanted = { [newest = lastSequence.rawValue] (marked: HistoryTable.Marked) in
            marked.mark.sequence <= newest && isWanted(marked)
        }
        var found = try unmergedPositions(of: device).filter(isWanted)
        found += try HistoryTable.firstTold(limit, in: order, range, of: device, in: database, where: isWanted)
        return found.map {
            SequencedPosition(sequence: LogSequence($0.mark.sequence), device: device, position: $0.position)
        }
    }

    /// Returns the positions of a device that no document brought and that the transaction's history does not have.
    private func unmergedPositions(of device: DeviceNumber) throws -> [HistoryTable.Marked] {
        try store.stage.withLock { stage in
            guard stage.generation == generation else { throw StageMoved() }
            var found: [HistoryTable.Marked] = []
            try stage.forEachUnmerged(of: device, through: through, merged: merged) { staged, index in
                let mark = staged.mark(at: index)
                if !mark.isOfDocument { found.append(.init(mark: mark, position: try staged.position(at: index))) }
            }
            return found
        }
    }

    /// Counts the positions that no document brought, that changes after `sequence` recorded, and that the
    /// transaction's history does not have.
    private func unmergedCount(of device: DeviceNumber?, since sequence: Int64) throws -> Int {
        try store.stage.withLock { stage in
            guard stage.generation == generation else { throw StageMoved() }
            var count = 0
            stage.forEachUnmerged(of: device, through: through, merged: merged) { staged, index in
                let mark = staged.mark(at: index)
                if !mark.isOfDocument, mark.sequence > sequence, mark.sequence <= self.lastSequence.rawValue {
                    count += 1
                }
            }
            return count
        }
    }

    func positionsOfAll(
        since sequence: LogSequence, through end: LogSequence?, isDescending: Bool, limit: Int
    ) throws -> [SequencedPosition] {
        let end = end?.rawValue ?? (isDescending ? 0 : .max)
        var found: [SequencedPosition] = []
        let add = { (first: Int64, changes: [Change?]) in
            for (index, change) in changes.enumerated() {
                guard case .position(let position, let device, _)? = change, position.source != .couchDB else {
                    continue
                }
                let number = first + Int64(index)
                guard
                    isDescending
                        ? number <= sequence.rawValue && number >= end : number > sequence.rawValue && number <= end
                else { continue }
                if number > self.lastSequence.rawValue || self.removed.devices.contains(device) { continue }
                if self.cut.cover(device, at: number) { continue }
                found.append(SequencedPosition(sequence: LogSequence(number), device: device, position: position))
            }
        }
        if isDescending {
            try LogTable.forEachCommit(downFrom: sequence.rawValue, in: database) { first, bytes in
                let known = found.count
                add(first, try ChangeCodec.decode(bytes))
                found[known...].reverse()
                return found.count < limit && first > end
            }
        } else {
            try LogTable.forEachCommit(from: min(sequence, lastSequence).rawValue + 1, in: database) {
                first, _, _, bytes in
                if first > end { return false }
                add(first, try ChangeCodec.decode(bytes))
                return found.count < limit
            }
        }
        return Array(found.prefix(limit))
    }

    func positionCount(of devices: [DeviceNumber]?) throws -> Int {
        guard let devices else {
            return try HistoryTable.toldCount(of: nil, in: database) + unmergedCount(of: nil, since: 0)
        }
        return try devices.lazy.filter { !self.removed.devices.contains($0) }.reduce(0) { count, device in
            let merged = try HistoryTable.toldCount(of: device, in: database)
            return try count + merged + unmergedCount(of: device, since: 0)
        }
    }

    func positionCount(of devices: [DeviceNumber], since sequence: LogSequence) throws -> Int {
        try devices.lazy.filter { !self.removed.devices.contains($0) }.reduce(0) { count, device in
            let merged = try HistoryTable.toldCount(of: device, since: sequence.rawValue, in: database)
            return try count + merged + unmergedCount(of: device, since: sequence.rawValue)
        }
    }
}
