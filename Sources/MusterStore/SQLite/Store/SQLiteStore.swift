import Foundation
import GRDB
package import MusterCore
import MusterDocuments
import Synchronization

/// A store in one SQLite file, with a write-ahead log (WAL mode) and `synchronous=FULL`: once `write` has returned, its
/// transaction is on the disk.
///
/// A commit writes its changes as one row of an append-only log. Its positions also wait in memory (`Stage`). Later
/// commits, or `settle`, merge them into the history, sorted by device, thousands at a time. So a commit of many
/// devices' positions costs about as much as one of a single device's. After a crash the store stages the unmerged part
/// of the log again.
///
/// Writes use one connection; reads use at most eight others, which never wait for it.
package final class SQLiteStore: Store {
    /// The store's settings; the defaults are for a server.
    package struct Options: Sendable {
        /// A generation of the stage has this many positions. More are merged faster, and take about 90 bytes each, in
        /// two generations.
        package var stageLimit = 100_000
        /// An epoch of the history has this many blocks. The part of its index that merges use should fit in the
        /// writer's cache.
        package var epochLimit = 163_840
        /// The page cache of the writing connection, in KiB.
        package var writerCacheKibibytes = 4096
        /// The page cache of each reading connection, in KiB.
        package var readerCacheKibibytes = 2048
        /// The largest size of the file, in pages of 4 KiB; nil for no limit but the disk's.
        package var pageLimit: Int?
        /// The largest numbers of deliveries and dead letters.
        package var deliveryLimits = DeliveryLimits()
        /// Records every write that the disk refuses; nil for no record.
        package var health: StorageHealth?
        /// Whether the store starts without a lost database, or without lost changes, instead of throwing
        /// `StoreError.lost`.
        package var acceptsLoss = false

        package init() {}
    }

    /// The name of the database file in the data folder.
    package static let fileName = "muster.sqlite"
    /// The name of an empty file beside it. The time of its last write is the time of the last backup.
    package static let backupMark = "last-backup"

    let path: String
    let pool: DatabasePool
    /// nil if the store is open for reading only.
    private let lock: DataLock?
    /// The positions to merge. Its lock is held for look-ups and short copies, never across a call of SQLite.
    let stage: Mutex<Stage>
    /// Times at which devices have no position in the history; only the writer's thread uses it.
    let gaps = Mutex(HistoryGaps())
    /// The removed devices and users whose data the file still has.
    let removals = Mutex(Removals())
    /// The deleted histories whose positions the file still has.
    let deletedHistories = Mutex(DeletedHistories())
    let epochLimit: Int
    let numbers = Mutex(LastNumbers())
    let tally = Mutex(DeliveryTally())
    let deliveryLimits: DeliveryLimits
    private let health: StorageHealth?
    /// The progress of deferred work; only the writer's thread uses it.
    let deferredWork = Mutex(DeferredWork())
    private let newest = Atomic<Int64>(0)
    /// The writer holds this lock from the beginning of a transaction until `adopt` has recorded its commit.
    private let publication = NSLock()
    /// A line of text for each damage found when the store was opened.
    let damageAtOpening: [String]
    /// nil if the store is open for reading only.
    private let mark: HighWaterMark?

    /// Opens the store in a folder, with the default settings. Makes the folder (mode 0700) and the files (mode 0600)
    /// if they do not exist.
    ///
    /// - Throws: `StoreError.inUse`, `.tooNew`, `.corrupt`, `.lost`, `.restore`, `.unwritable`, `.unavailable`.
    package convenience init(in directory: String) throws {
        try self.init(in: directory, options: Options())
    }

    /// Opens the store in a folder. Makes the folder and the files if they do not exist.
    ///
    /// - Throws: `StoreError.inUse`, `.tooNew`, `.corrupt`, `.lost`, `.restore`, `.unwritable`, `.unavailable`.
    package init(in directory: String, options: Options) throws {
        path = directory + "/" + Self.fileName
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            // Foundation's error does not give the cause; the operating system's does.
            let cause = mkdir(directory, 0o700) == 0 ? error.localizedDescription : DataFile.describe(errno)
            throw StoreError.unavailable(reason: "\(directory): \(cause)")
        }
        lock = try DataLock(in: directory)
        try Self.finishRestoring(in: directory)
        try PageChecksums.install()
        if options.acceptsLoss {
            HighWaterMark.remove(from: directory)
        } else {
            try Self.requireDatabase(in: directory)
        }
        let known = HighWaterMark.read(in: directory)
        let refusal = DataFile.create(path, exclusively: false)
        guard refusal == 0 else { throw StoreError.unavailable(reason: "\(path): \(DataFile.describe(refusal))") }
        stage = Mutex(Stage(limit: options.stageLimit))
        epochLimit = options.epochLimit
        deliveryLimits = options.deliveryLimits
        health = options.health
        let path = path
        DamagedPages.found.forget(path)
        let pool: DatabasePool
        (pool, damageAtOpening) = try Self.openPool(at: path, in: directory, options: options)
        let uuid = try StoreError.naming(path) {
            try pool.writeWithoutTransaction { database in
                try Self.prepareWriter(database, path: path, options: options)
                return try String.fetchOne(database, sql: "SELECT uuid FROM meta") ?? ""
            }
        }
        self.pool = pool
        mark = HighWaterMark(in: directory, of: uuid)
        try StoreError.naming(path) { try pool.writeWithoutTransaction { try loadState(from: $0) } }
        try Self.requireChanges(known, in: path, of: uuid, upTo: lastSequence.rawValue)
        // A store of an earlier version, or a restored one, has no mark yet.
        if known == nil, let last = try StoreError.naming(path, { try pool.read { try LogTable.lastCommit(in: $0) } }) {
            mark?.advance(to: lastSequence.rawValue, at: last)
        }
    }

    /// Opens the store in a folder for reading only, while a server may write to it. The reader sees what was committed
    /// until this moment, and perhaps some later commits.
    ///
    /// - Throws: `StoreError.missing`, `.lost`, `.tooNew`, `.corrupt`, `.unavailable`.
    package init(readingOnly directory: String) throws {
        path = directory + "/" + Self.fileName
        lock = nil
        stage = Mutex(Stage(limit: 1 << 30))
        epochLimit = 1
        deliveryLimits = DeliveryLimits()
        health = nil
        mark = nil
        damageAtOpening = []
        let path = path
        try PageChecksums.install()
        try Self.requireDatabase(in: directory)
        let known = HighWaterMark.read(in: directory)
        guard FileManager.default.fileExists(atPath: path) else { throw StoreError.missing(path: path) }
        var configuration = Self.configuration(Options())
        configuration.readonly = true
        pool = try StoreError.naming(path) { try DatabasePool(path: path, configuration: configuration) }
        try StoreError.naming(path) {
            try pool.read { database in
                guard try Schema.version(of: database, path: path) == Schema.version else {
                    throw StoreError.unavailable(
                        reason: "\(path) has an older version. Start the server once: it upgrades the file")
                }
                try loadState(from: database)
                let uuid = try String.fetchOne(database, sql: "SELECT uuid FROM meta") ?? ""
                try Self.requireChanges(known, in: path, of: uuid, upTo: lastSequence.rawValue)
            }
        }
    }

    /// Whether another process may write the file, of whose commits this one is not notified.
    var isForeign: Bool { lock == nil }

    package var lastSequence: LogSequence { LogSequence(newest.load(ordering: .acquiring)) }

    private static func lastSequence(in database: Database) throws -> Int64 {
        max(try Counter.trimmed.value(in: database), try LogTable.lastSequence(in: database) ?? 0)
    }

    /// Returns the newest change in a read transaction, once `stage` has the positions up to it.
    ///
    /// A read transaction sees a commit a moment before `adopt` records it. A reader that took `lastSequence` for the
    /// end of the log would then return a document without the change that wrote it.
    func lastSequence(readIn database: Database) throws -> LogSequence {
        // A store that another process writes keeps the state of its opening.
        if isForeign { return lastSequence }
        let visible = try Self.lastSequence(in: database)
        if visible > newest.load(ordering: .acquiring) { publication.withLock {} }
        // A change that `adopt` did not record, because its commit was reported as failed, stays out: `stage` has no
        // positions of it.
        return min(LogSequence(visible), lastSequence)
    }

    package func write<Result>(
        at committedAt: Instant, _ body: (any StoreTransaction) throws -> Result
    ) throws -> Result {
        try onWriter { database in
            let transaction = SQLiteTransaction(on: self, in: database)
            let result = try publication.withLock {
                let (result, slice) = try transact(in: database) {
                    let result = try body(transaction)
                    try transaction.finish(at: committedAt)
                    return (result, try mergeBehind(transaction))
                }
                adopt(transaction, merged: slice)
                return result
            }
            mark?.advance(to: transaction.lastSequence, at: committedAt)
            return result
        }
    }

    /// Merges some of the staged positions in a commit that adds more; returns the merged slice.
    private func mergeBehind(_ transaction: SQLiteTransaction) throws -> Stage.Slice? {
        guard !transaction.arrivals.isEmpty else { return nil }
        let arriving = transaction.arrivals.count
        guard let slice = stage.withLock({ $0.sliceBehind(arriving: arriving) }) else { return nil }
        try merge(slice, leavingOut: transaction.removals, in: transaction.database)
        return slice
    }

    /// Updates the state in memory after the commit. Nothing here can fail.
    private func adopt(_ transaction: SQLiteTransaction, merged slice: Stage.Slice?) {
        if !transaction.removals.isEmpty { removals.withLock { $0.formUnion(transaction.removals) } }
        if !transaction.deletedHistories.isEmpty {
            deletedHistories.withLock { $0.formUnion(transaction.deletedHistories) }
        }
        if transaction.tables.hasRemoved { deferredWork.withLock { $0.hasRemovedDocuments = true } }
        numbers.withLock { $0 = transaction.numbers }
        tally.withLock { $0 = transaction.tally }
        stage.withLock { stage in
            if let slice { stage.release(slice) }
            transaction.codec.bytes.withUnsafeBytes {
                stage.adopt(transaction.arrivals, in: $0, lastSequence: transaction.lastSequence)
            }
        }
        newest.store(transaction.lastSequence, ordering: .releasing)
    }

    /// Flushes and closes the store. Staged positions are merged if the disk permits it; the log has them in any case.
    /// No call may follow.
    package func close() throws {
        if lock != nil {
            // The next start stages again what cannot be merged now.
            while (try? mergeStaged(limit: 20_000)) ?? false {}
            // The checkpoint moves everything into the one file. If the disk refuses, the data is as safe in the WAL
            // beside it.
            try? pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        }
        mark?.finish()
        try StoreError.naming(path) { try pool.close() }
        lock?.release()
    }

    /// Runs `body` on the writing connection.
    ///
    /// - Throws: `StoreError` for errors of SQLite and the codec; what else `body` throws.
    func onWriter<Result>(_ body: (Database) throws -> Result) throws -> Result {
        guard lock != nil else { throw StoreError.unavailable(reason: "\(path): open for reading only") }
        do {
            return try StoreError.naming(path) { try pool.writeWithoutTransaction(body) }
        } catch StoreError.unwritable(let reason) {
            health?.recordRefusal(reason)
            throw StoreError.unwritable(reason: reason)
        }
    }

    package func testWriting() throws {
        try onWriter { database in
            // SQLite writes the page of this pragma even if its value is the same, which it does not for an unchanged
            // row of a table.
            try transact(in: database) {
                let value = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
                try database.execute(sql: "PRAGMA user_version = \(value)")
            }
        }
    }

    /// Runs `body` in a transaction that is durable when this returns, and rolled back when this throws.
    func transact<Result>(in database: Database, _ body: () throws -> Result) throws -> Result {
        try database.cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
        do {
            let result = try body()
            try database.cachedStatement(sql: "COMMIT TRANSACTION").execute()
            return result
        } catch {
            // SQLite has rolled back by itself after some errors.
            if database.isInsideTransaction { try? database.rollback() }
            throw error
        }
    }

    /// Reads the state that this object keeps in memory, and stages the part of the log that is not in the history.
    private func loadState(from database: Database) throws {
        let removed = try Removals(from: database)
        removals.withLock { $0 = removed }
        let cut = try DeletedHistories(from: database)
        deletedHistories.withLock { $0 = cut }
        let stored = try LastNumbers(from: database)
        numbers.withLock { $0 = stored }
        let deliveries = DeliveryTally(
            last: try Counter.delivery.value(in: database), pending: try DeliveryTable.counts(in: database))
        tally.withLock { $0 = deliveries }
        newest.store(try Self.lastSequence(in: database), ordering: .releasing)
        try restage(from: database)
    }

    /// Stages the part of the log that is not in the history: first the generation that was being merged, with its
    /// progress, then the rest.
    private func restage(from database: Database) throws {
        var next = try Counter.merged.value(in: database) + 1
        let through = try Counter.mergingThrough.value(in: database)
        if through >= next {
            next = try restage(from: next, in: database) { _, last in last < through }
            let merged = Int(clamping: try Counter.mergedOfThese.value(in: database))
            stage.withLock { $0.beginMerging(merged: merged) }
        }
        while next <= lastSequence.rawValue {
            let from = next
            next = try restage(from: from, in: database) { stage, _ in !stage.isFull }
            // More than a generation is unmerged only if `stageLimit` was larger before.
            while lock != nil, stage.withLock({ $0.isFull }) { _ = try mergeSlice(limit: 20_000, in: database) }
            if next == from { break }
        }
    }

    /// Stages the positions of the log from `sequence` on, until `wantsMore` returns false. It gets the stage and the
    /// last number staged.
    ///
    /// - Returns: the first number that was not staged.
    private func restage(
        from sequence: Int64, in database: Database, while wantsMore: (Stage, Int64) -> Bool
    ) throws -> Int64 {
        var next = sequence
        try LogTable.forEachCommit(from: sequence, in: database) { first, count, _, bytes in
            let arrivals = try ChangeCodec.arrivals(in: bytes, first: first)
            next = first + Int64(count)
            return stage.withLock { stage in
                stage.adopt(arrivals, in: bytes, lastSequence: next - 1)
                return wantsMore(stage, next - 1)
            }
        }
        return next
    }
}

/// The progress of deferred work.
struct DeferredWork {
    /// The erasure in progress; nil if there is none.
    var erasure: Erasure?
    /// The place at which the deletion of old positions continues.
    var forgottenThrough = HistoryTable.Place.start
    /// Whether removed databases or indexes may wait to be erased; true after a start, until `eraseDocuments` has
    /// looked.
    var hasRemovedDocuments = true
}
