import MusterCore
import MusterDocuments

/// The positions between the log and the history: one generation fills while the one before it, sorted by device, is
/// merged slice by slice.
///
/// Sorting many arrivals before they are written is what keeps ingest fast when thousands of devices report at once:
/// a device's neighbours become one row of the history instead of a row, and a dirty page, each.
struct Stage {
    /// A full generation, in the order in which it goes into the history. Never changes.
    final class Sorted: Sendable {
        let staged: StagedPositions
        let order: [UInt32]

        init(_ staged: StagedPositions) {
            self.staged = staged
            order = staged.order()
        }
    }

    /// What is about to be merged: positions `order[range]` of `sorted`.
    struct Slice {
        var sorted: Sorted
        var range: Range<Int>

        /// Whether nothing of the generation is left after it.
        var isLast: Bool { range.upperBound == sorted.order.count }
        /// The newest sequence that the generation holds.
        var lastSequence: Int64 { sorted.staged.lastSequence }
    }

    private var filling = StagedPositions()
    private var merging: Sorted?
    /// How much of `merging` is in the history.
    private var merged = 0

    /// How many generations were merged to their end.
    private(set) var generation = 0

    /// How many positions came in since a slice was merged.
    private var arrived = 0

    /// How many positions make a generation full.
    let limit: Int
    /// Merging begins to pay its way in a commit when so many came in since the last slice: one page of each table that
    /// a slice touches is written for many positions then.
    private var smallestSlice: Int { min(2048, limit / 8) }
    /// How many bytes make a generation full, were its positions few and long.
    private var byteLimit: Int { limit * 160 }

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { filling.isEmpty && merging == nil }
    var isFull: Bool { filling.count >= limit || filling.byteCount >= byteLimit }
    /// Whether there is enough for merging it to be worth while when there is time: small generations make small
    /// blocks.
    var isWorthMerging: Bool { merging != nil || filling.count >= limit / 2 || filling.byteCount >= byteLimit / 2 }

    /// The earliest sample time that may wait.
    var oldestSampleTime: Int64 {
        min(filling.oldestSampleTime, merging?.staged.oldestSampleTime ?? .max)
    }

    /// Takes in what a transaction has committed.
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

    /// What a commit that brings so many positions should merge: a little more than came in, so that one generation is
    /// merged before the next is full; nil when it is not yet worth while.
    mutating func sliceBehind(arriving: Int) -> Slice? {
        if merging == nil {
            guard isFull else { return nil }
            beginMerging(merged: 0)
        }
        let due = arrived + arriving
        return due < smallestSlice && !isFull ? nil : slice(limit: due * 11 / 10 + 20)
    }

    /// The next positions to merge, at most `limit`, of a generation that need not be full.
    mutating func sliceAtRest(limit: Int) -> Slice? {
        if merging == nil, !filling.isEmpty { beginMerging(merged: 0) }
        return slice(limit: limit)
    }

    /// The next positions to merge: all that is left when the generation behind is full too.
    private func slice(limit: Int) -> Slice? {
        guard let merging else { return nil }
        let left = merging.order.count - merged
        return Slice(sorted: merging, range: merged..<merged + (isFull ? left : min(left, max(1, limit))))
    }

    /// Makes what has filled the generation that is merged.
    ///
    /// - Parameter merged: how much of it is in the history already, after a crash.
    mutating func beginMerging(merged: Int) {
        merging = Sorted(filling)
        filling = StagedPositions()
        self.merged = min(merged, merging?.order.count ?? 0)
        arrived = 0
    }

    /// Notes that a slice is in the history, durably.
    mutating func release(_ slice: Slice) {
        merged = slice.range.upperBound
        arrived = 0
        if slice.isLast {
            merging = nil
            generation += 1
        }
    }

    /// Whether a position waits here, or went into the history a moment ago.
    func holds(_ key: PositionKey, of device: DeviceNumber) -> Bool {
        filling.holds(key, of: device) || merging?.staged.holds(key, of: device) ?? false
    }

    /// The staged positions of a device with a key after `low` and before `high`, in the order of their keys.
    ///
    /// - Throws: `CodecError` never for bytes that `ChangeCodec` made.
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

    /// The newest staged position of every device that has one.
    ///
    /// - Throws: `CodecError` never for bytes that `ChangeCodec` made.
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

    /// Calls `body` with each staged position of a device, or of every device for nil, that a look at the history does
    /// not see.
    ///
    /// - Parameters:
    ///   - through: the look sees every position of the changes up to this one,
    ///   - merged: and so many of the generation that is being merged.
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
