import GRDB
package import MusterCore
import MusterDocuments
import Synchronization

/// Reads of the log, positions, the directory and credentials, each in one snapshot (snapshot
/// isolation): a commit meanwhile changes nothing that the reader sees.
extension SQLiteStore {
    package func uuid() throws -> String {
        try onReader { try String.fetchOne($0, sql: "SELECT uuid FROM meta") ?? "" }
    }

    package func changes(since sequence: LogSequence, limit: Int) throws -> [LoggedChange] {
        guard limit > 0 else { return [] }
        let removed = removals.withLock { $0 }
        let cut = deletedHistories.withLock { $0 }
        // A commit is on the disk a moment before `lastSequence` includes it. A reader that got its changes too early
        // could resume after a number that this store has not reached yet.
        let last = isForeign ? Int64.max : lastSequence.rawValue
        return try onReader { database in
            let trimmed = try Counter.trimmed.value(in: database)
            guard sequence.rawValue >= trimmed else { throw StoreError.trimmed(oldest: LogSequence(trimmed + 1)) }
            var page = LogPage(since: sequence, limit: limit)
            try LogTable.forEachCommit(from: sequence.rawValue + 1, in: database) { first, _, committedAt, bytes in
                guard first <= last else { return false }
                var changes = try ChangeCodec.decode(bytes)
                if !removed.isEmpty { changes = changes.map { $0.flatMap { removed.cover($0) ? nil : $0 } } }
                if !cut.isEmpty {
                    changes = zip(first..., changes).map { number, change in
                        change.flatMap { cut.cover($0, at: number) ? nil : $0 }
                    }
                }
                return page.add(changes, first: first, committedAt: committedAt)
            }
            return page.changes
        }
    }

    package func positions(
        of device: DeviceNumber, from: Instant, to: Instant, after cursor: HistoryCursor?, limit: Int
    ) throws -> [Position] {
        guard limit > 0, from < to, !removals.withLock({ $0.devices.contains(device) }) else { return [] }
        let start = PositionKey(from: from)
        let low = cursor.map { max(start, PositionKey($0)) } ?? start
        // The stage is read first: a position that leaves it meanwhile is in the history by then, so it is read twice
        // rather than not at all.
        let staged = try StoreError.naming(path) {
            try stage.withLock { try $0.positions(of: device, after: low, before: PositionKey(from: to)) }
        }
        let merged = try onReader { database in
            try HistoryTable.positions(of: device, after: low, before: to, limit: limit, in: database)
        }
        guard !staged.isEmpty else { return merged }
        return Self.union(merged, staged[...], limit: limit)
    }

    package func latestPositions() throws -> [(device: DeviceNumber, position: Position)] {
        let removed = removals.withLock { $0.devices }
        var staged = try StoreError.naming(path) { try stage.withLock { try $0.latest() } }
        var latest: [(device: DeviceNumber, position: Position)] = []
        try onReader { database in
            try HistoryTable.forEachLatest(in: database) { device, position in
                let later = staged.removeValue(forKey: device)
                let isLater = later.map { PositionKey(position) < PositionKey($0) } ?? false
                if !removed.contains(device) { latest.append((device, isLater ? later ?? position : position)) }
            }
        }
        guard !staged.isEmpty else { return latest }
        for (device, position) in staged where !removed.contains(device) { latest.append((device, position)) }
        return latest.sorted { $0.device < $1.device }
    }

    package func directory() throws -> StoredDirectory { try onReader { try StoredDirectory(from: $0) } }

    package func regions() throws -> [Region] { try onReader { try Region.fetchAll($0) } }

    package func credential(_ kind: Credential.Kind, key: [UInt8]) throws -> Credential? {
        try onReader { try Credential.fetch(kind, key: key, in: $0) }
    }

    package func credentials(_ kind: Credential.Kind) throws -> [Credential] {
        try onReader { try Credential.fetchAll(kind, in: $0) }
    }

    package func credentials(_ kind: Credential.Kind, of user: UserNumber) throws -> [Credential] {
        try onReader { try Credential.fetchAll(kind, of: user, in: $0) }
    }

    /// Runs `body` on a reading connection, in one snapshot. Its statements are interrupted once `BoundedWork.bound` is
    /// used up.
    ///
    /// - Throws: `StoreError` for errors of SQLite and the codec; what else `body` throws.
    func onReader<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try StoreError.naming(path) {
            try pool.read { database in try StatementBound.run(on: database) { try body(database) } }
        }
    }

    /// Merges two ordered lists of positions; a position in both is returned once.
    static func union(
        _ merged: [Position], _ staged: ArraySlice<Position>, limit: Int
    ) -> [Position] {
        var union: [Position] = []
        var left = merged[...]
        var right = staged
        while union.count < limit {
            guard let first = left.first else { return union + right.prefix(limit - union.count) }
            guard let other = right.first else { return union + left.prefix(limit - union.count) }
            let (key, otherKey) = (PositionKey(first), PositionKey(other))
            if otherKey < key {
                union.append(other)
            } else {
                union.append(first)
                left.removeFirst()
            }
            if otherKey <= key { right.removeFirst() }
        }
        return union
    }
}
