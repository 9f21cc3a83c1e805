import MusterCore

/// Holds the positions that are in the log and not yet in the history. One generation fills; the full generation before
/// it is sorted by device, and commits merge it slice by slice.
///
/// Sorting many positions before they are written keeps ingest fast when thousands of devices report at once: the
/// positions of one device become one row of the history, instead of a row and a dirty page for each position.
struct Stage {
    /// A full generation, in the order in which it is merged. Immutable.
    final class Sorted: Sendable {
        let staged: StagedPositions
        let order: [UInt32]

        init(_ staged: StagedPositions) {
            self.staged = staged
            order = staged.order()
        }
    }

    /// The positions `order[range]` of `sorted`, which are merged next.
    struct Slice {
        var sorted: Sorted
        var range: Range<Int>

        /// Whether the slice is the last of its generation.
        var isLast: Bool { range.upperBound == sorted.order.count }
        /// The newest sequence of the generation.
        var lastSequence: Int64 { sorted.staged.lastSequence }
    }

    private var filling = StagedPositions()
    private var merging: Sorted?
    /// The number of positions of `merging` that are in the history.
    private var merged = 0

    /// The number of generations that are merged completely.
    private(set) var generation = 0

    /// The number of positions that arrived since the last slice.
    private var arrived = 0

    /// A generation with this many positions is full.
    let limit: Int
    /// Below this many arrived positions a commit merges nothing. A larger slice spreads the cost of each page that it
    /// writes over more positions.
    private var smallestSlice: Int { min(2048, limit / 8) }
    /// A generation with this many bytes is full, even if its positions are few.
    private var byteLimit: Int { limit * 160 }

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { filling.isEmpty && merging == nil }
    var isFull: Bool { filling.count >= limit || filling.byteCount >= byteLimit }
    /// Whether there is enough to merge while the writer is idle. Small generations would make small blocks.
    var isWorthMerging: Bool { merging != nil || filling.count >= limit / 2 || filling.byteCount >= byteLimit / 2 }

    /// The earliest sample time of a staged position; `Int64.max` if there is none.
    var oldestSampleTime: Int64 {
        min(filling.oldestSampleTime, merging?.staged.oldestSampleTime ?? .max)
    }

    /// Stages the positions of a committed transaction.
    mutating func adopt(
        _ arrivals: [StagedPositions.Arrival], in changes: UnsafeRawBufferPointer, lastSequence: Int64
    ) {
        guard !arrivals.isEmpty else {
            if !filling.isEmpty { filling.pass(lastSequence) }
            return
        }
        if filling.isEmpty { filling.reserve(min(limit, 200_000)) }
        filling.append(arrivals, in: changes, lastSequence: lastSequence)
        arrived += arrivals.count
    }

    /// Returns the slice that a commit with this number of positions should merge: a little more than arrived, so that
    /// a generation is merged before the next one is full. Nil if merging is not worthwhile yet.
    mutating func sliceBehind(arriving: Int) -> Slice? {
        if merging == nil {
            guard isFull else { return nil }
            beginMerging(merged: 0)
        }
        let due = arrived + arriving
        return due < smallestSlice && !isFull ? nil : slice(limit: due * 11 / 10 + 20)
    }

    /// Returns the next positions to merge, at most `limit`, even of a generation that is not full.
    mutating func sliceAtRest(limit: Int) -> Slice? {
        if merging == nil, !filling.isEmpty { beginMerging(merged: 0) }
        return slice(limit: limit)
    }

    /// Returns the next positions to merge: at most `limit`, or all that are left if the next generation is full too.
    private func slice(limit: Int) -> Slice? {
        guard let merging else { return nil }
        let left = merging.order.count - merged
        return Slice(sorted: merging, range: merged..<merged + (isFull ? left : min(left, max(1, limit))))
    }

    /// Sorts the filling generation, and makes it the one that is merged.
    ///
    /// - Parameter merged: the number of its positions that are in the history already, after a crash.
    mutating func beginMerging(merged: Int) {
        merging = Sorted(filling)
        filling = StagedPositions()
        self.merged = min(merged, merging?.order.count ?? 0)
        arrived = 0
    }

    /// Records that a slice is in the history, durably.
    mutating func release(_ slice: Slice) {
        merged = slice.range.upperBound
        arrived = 0
        if slice.isLast {
            merging = nil
            generation += 1
        }
    }

    /// Whether a position is staged. A position of a generation that is being merged counts as staged until its last
    /// slice is merged.
    func holds(_ key: PositionKey, of device: DeviceNumber) -> Bool {
        filling.holds(key, of: device) || merging?.staged.holds(key, of: device) ?? false
    }

    /// Returns the staged positions of a device with a key after `low` and before `high`, in the order of their keys.
    ///
    /// - Throws: `CodecError` if the staged bytes are damaged, which bytes of `ChangeCodec` never are.
    func positions(of device: DeviceNumber, after low: PositionKey, before high: PositionKey) throws -> [Position] {
        var found: [Position] = []
        for staged in generations {
            var indices: [Int] = []
            staged.forEach(of: device) { index in
                let time = staged.sampleTime(at: index)
                if time >= low.sampleTime, time <= high.sampleTime { indices.append(index) }
            }
            for index in indices {
                let key = staged.key(at: index)
                if key > low, key < high { found.append(try staged.position(at: index)) }
            }
        }
        return found.sorted { PositionKey($0) < PositionKey($1) }
    }

    /// Returns the newest staged position of every device that has one.
    ///
    /// - Throws: `CodecError` if the staged bytes are damaged, which bytes of `ChangeCodec` never are.
    func latest() throws -> [DeviceNumber: Position] {
        var latest: [DeviceNumber: Position] = [:]
        for staged in generations {
            for device in staged.devices {
                var best: (index: Int, key: PositionKey)?
                staged.forEach(of: device) { index in
                    if let best, staged.sampleTime(at: index) < best.key.sampleTime { return }
                    let key = staged.key(at: index)
                    if best.map({ $0.key < key }) ?? true { best = (index, key) }
                }
                guard let best, latest[device].map({ PositionKey($0) < best.key }) ?? true else { continue }
                latest[device] = try staged.position(at: best.index)
            }
        }
        return latest
    }

    /// Calls `body` with each staged position of a device, or of every device for nil, that a snapshot of the history
    /// does not have.
    ///
    /// - Parameters:
    ///   - through: the snapshot has every position of the changes up to this one.
    ///   - merged: the snapshot has this many positions of the generation that is being merged.
    func forEachUnmerged(
        of device: DeviceNumber?, through: Int64, merged: Int, _ body: (StagedPositions, Int) throws -> Void
    ) rethrows {
        if let merging, merging.staged.lastSequence > through {
            let (staged, order) = (merging.staged, merging.order)
            var range = 0..<order.count
            if let device {
                let start = order.partitioningIndex { staged.device(at: Int($0)) >= device }
                range = start..<order.partitioningIndex { staged.device(at: Int($0)) > device }
            }
            for index in order[max(range.lowerBound, min(merged, range.upperBound))..<range.upperBound] {
                try body(staged, Int(index))
            }
        }
        if let device {
            try filling.forEach(of: device, after: 0) { try body(filling, $0) }
        } else {
            for index in 0..<filling.count { try body(filling, index) }
        }
    }

    private var generations: [StagedPositions] { [merging?.staged, filling].compactMap { $0 } }
}
