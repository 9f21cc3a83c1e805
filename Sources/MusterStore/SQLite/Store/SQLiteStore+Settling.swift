import GRDB
package import MusterCore
import MusterDocuments
import Synchronization

/// Deferred work: merging, erasing, deleting old data. It runs on the writer's thread, in short transactions.
extension SQLiteStore {
    package func settle(limit: Int) throws -> Bool {
        let hasRemovals = !removals.withLock { $0.isEmpty } || !deletedHistories.withLock { $0.isEmpty }
        if hasRemovals || stage.withLock({ $0.isWorthMerging }), try mergeStaged(limit: limit) { return true }
        return try eraseRemovals(limit: limit)
            // Erasing a document, with its bodies and scattered index entries, costs as much as moving many positions.
            || eraseDocuments(limit: limit / 40)
    }

    package func eraseDocuments(limit: Int) throws -> Bool {
        guard deferredWork.withLock({ $0.hasRemovedDocuments }) else { return false }
        return try onWriter { database in
            let isLeft = try transact(in: database) {
                let documents = DocumentTables(in: database) { [self] in lastSequence }
                let isLeft = try documents.eraseRemoved(limit: max(1, limit))
                try documents.finish()
                return isLeft
            }
            deferredWork.withLock { $0.hasRemovedDocuments = isLeft }
            return isLeft
        }
    }

    package func forget(before horizon: Instant, limit: Int) throws -> Int {
        let limit = max(1, limit)
        // Old positions that are staged are merged first. Otherwise the next start could stage them again from the log.
        if try stage.withLock({ $0.oldestSampleTime }) < horizon.milliseconds || logTail(isBefore: horizon) {
            while try mergeStaged(limit: 20_000) {}
        }
        let mark = try onReader { try Counter.merged.value(in: $0) }
        let merged = stage.withLock { $0.isEmpty } ? lastSequence.rawValue : mark
        let start = deferredWork.withLock { $0.forgottenThrough }
        let (forgotten, place) = try onWriter { database in
            try transact(in: database) {
                let trimmed = try LogTable.trim(before: horizon, through: merged, limit: limit, in: database)
                if let trimmed { try Counter.trimmed.set(trimmed.last, in: database) }
                let (count, place) = try HistoryTable.delete(
                    before: horizon, from: start, limit: limit, in: database)
                let sightings = try SightingTable.delete(before: horizon, limit: limit, in: database)
                let signals = try SignalTable.delete(before: horizon, limit: limit, in: database)
                let ranges = try RangeTable.delete(before: horizon, limit: limit, in: database)
                let documents = DocumentTables(in: database) { [self] in lastSequence }
                let locations = try documents.forgetLocations(
                    through: LogSequence(Counter.trimmed.value(in: database)), limit: limit)
                try documents.finish()
                let letters = try DeadLetterTable.delete(before: horizon, limit: limit, in: database)
                let refused = try RefusedReportTable.delete(before: horizon, in: database)
                try HistoryTable.deleteLatest(before: horizon, in: database)
                let declarations = try DeclarationTable.delete(before: horizon, limit: limit, in: database)
                let states = try SafetyHistoryTable.delete(before: horizon, limit: limit, in: database)
                let others = sightings + signals + ranges + locations + letters + refused + declarations + states
                return (count + others + (trimmed?.commits ?? 0), place)
            }
        }
        deferredWork.withLock { $0.forgottenThrough = place }
        return forgotten
    }

    /// Whether the oldest commit with staged positions was made before `horizon`.
    private func logTail(isBefore horizon: Instant) throws -> Bool {
        guard !stage.withLock({ $0.isEmpty }) else { return false }
        return try onReader { database in
            var isBefore = false
            let next = try Counter.merged.value(in: database) + 1
            try LogTable.forEachCommit(from: next, in: database) { _, _, committedAt, _ in
                isBefore = committedAt < horizon
                return false
            }
            return isBefore
        }
    }

    /// Merges some of the staged positions, however few, in a transaction of its own.
    ///
    /// - Returns: whether more are staged.
    func mergeStaged(limit: Int) throws -> Bool {
        guard !stage.withLock({ $0.isEmpty }) else { return false }
        return try onWriter { try mergeSlice(limit: limit, in: $0) }
    }

    /// Merges as `mergeStaged` does, on the writing connection.
    func mergeSlice(limit: Int, in database: Database) throws -> Bool {
        guard let slice = stage.withLock({ $0.sliceAtRest(limit: limit) }) else { return false }
        try transact(in: database) { try merge(slice, leavingOut: Removals(), in: database) }
        return stage.withLock { stage in
            stage.release(slice)
            return !stage.isEmpty
        }
    }

    /// Inserts a slice of the stage into the history, except the positions of removed devices.
    func merge(_ slice: Stage.Slice, leavingOut removed: Removals, in database: Database) throws {
        let gone = removals.withLock { $0.devices }.union(removed.devices)
        var insertion = try HistoryInsertion(in: database, epochLimit: epochLimit)
        let staged = slice.sorted.staged
        for index in slice.sorted.order[slice.range] {
            let index = Int(index)
            let device = staged.device(at: index)
            if !gone.isEmpty, gone.contains(device) { continue }
            try staged.withBytes(at: index) { bytes in
                try insertion.add(
                    staged.key(at: index), of: device, mark: staged.mark(at: index), encoded: bytes)
            }
        }
        try insertion.finish()
        if slice.isLast { try Counter.merged.set(slice.lastSequence, in: database) }
        try Counter.mergingThrough.set(slice.isLast ? 0 : slice.lastSequence, in: database)
        try Counter.mergedOfThese.set(slice.isLast ? 0 : Int64(slice.range.upperBound), in: database)
    }

    /// Erases some of the removed data. Called when nothing is staged.
    ///
    /// - Returns: whether there is more to erase.
    private func eraseRemovals(limit: Int) throws -> Bool {
        let removed = removals.withLock { $0 }
        let cut = deletedHistories.withLock { $0 }
        guard !removed.isEmpty || !cut.isEmpty else { return false }
        let erasure = deferredWork.withLock { $0.erasure } ?? Erasure(of: removed, cut)
        return try onWriter { database in
            var next = erasure
            let isDone = try transact(in: database) { try next.advance(limit: max(1, limit), in: database) }
            deferredWork.withLock { $0.erasure = isDone ? nil : next }
            guard isDone else { return true }
            let isCutLeft = deletedHistories.withLock {
                $0.subtract(erasure.cut)
                return !$0.isEmpty
            }
            return removals.withLock {
                $0.subtract(erasure.removed)
                return !$0.isEmpty || isCutLeft
            }
        }
    }
}
