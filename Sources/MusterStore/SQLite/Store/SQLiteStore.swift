import Foundation
import GRDB
package import MusterCore
import MusterDocuments
import Synchronization

/// A store in one SQLite file, in WAL mode with `synchronous=FULL`: what `write` has returned from is on the disk.
///
/// A commit writes its changes as one row of an append-only log. Its positions also wait in memory (`Stage`), and later
/// commits, or `settle`, merge them into the history, sorted by device, thousands at a time: that is what makes a
/// commit of many devices' positions cost about what one device's does. After a crash the part of the log that was not
/// merged is staged again.
///
/// Writes go through one connection, reads through at most eight others that never wait for it.
package final class SQLiteStore: Store {
    /// What may be tuned; the defaults are for a server.
    package struct Options: Sendable {
        /// How many positions gather before they are merged. More merge faster and take about 80 bytes each, twice.
        package var stageLimit = 100_000
        /// How many blocks make an epoch of the history full: their index should fit in the writer's cache.
        package var epochLimit = 163_840
        /// Page cache of the writing connection, in KiB.
        package var writerCacheKibibytes = 4096
        /// Page cache of each of the reading connections, in KiB.
        package var readerCacheKibibytes = 2048
        /// The size that the file may grow to, in pages of 4 KiB; nil for what the disk has.
        package var pageLimit: Int?
        /// How many deliveries are kept.
        package var deliveryLimits = DeliveryLimits()
        /// Told of every write that the disk refuses; nil for nobody.
        package var health: StorageHealth?
        /// Whether a database that was lost, or that lost changes, is gone on without.
        package var acceptsLoss = false

        package init() {}
    }

    /// The file's name in its folder.
    package static let fileName = "muster.sqlite"
    /// The name of an empty file beside it. The time at which it was last written is the time of the last backup.
    package static let backupMark = "last-backup"

    let path: String
    let pool: DatabasePool
    /// nil when open for reading only.
    private let lock: DataLock?
    /// What waits to be merged. Its lock is held for look-ups and short copies, never across a call of SQLite.
    let stage: Mutex<Stage>
    /// Who is gone, though not yet from the file.
    let removals = Mutex(Removals())
    /// Whose history was deleted, though not yet from the file.
    let cuts = Mutex(PositionCuts())
    let epochLimit: Int
    let numbers = Mutex(LastNumbers())
    let tally = Mutex(DeliveryTally())
    let deliveryLimits: DeliveryLimits
    private let health: StorageHealth?
    /// How far slow work has come; only the writer's thread uses it.
    let chores = Mutex(Chores())
    private let newest = Atomic<Int64>(0)
    /// What was damaged when it was opened.
    let damageAtOpening: [String]
    /// nil when open for reading only.
    private let mark: HighWaterMark?

    /// Opens the store in a folder, and makes both when there are none: the folder 0700, the files 0600.
    ///
    /// - Throws: `StoreError.inUse`, `.tooNew`, `.corrupt`, `.unavailable`.
    package convenience init(in directory: String) throws {
        try self.init(in: directory, options: Options())
    }

    /// Opens the store in a folder, and makes both when there are none.
    ///
    /// - Throws: `StoreError.inUse`, `.tooNew`, `.corrupt`, `.lost`, `.unavailable`.
    package init(in directory: String, options: Options) throws {
        path = directory + "/" + Self.fileName
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            // Foundation's error does not say why; the operating system's does.
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
        try StoreError.naming(path) { try pool.writeWithoutTransaction { try load(from: $0) } }
        try Self.requireChanges(known, in: path, of: uuid, upTo: lastSequence.rawValue)
        // A store of an earlier version, or one that was restored, has no mark yet.
        if known == nil, let last = try StoreError.naming(path, { try pool.read { try LogTable.lastCommit(in: $0) } }) {
            mark?.advance(to: lastSequence.rawValue, at: last)
        }
    }

    /// Opens the store in a folder beside the server that writes to it, to read what was committed until this moment
    /// (and perhaps some of what is committed later). Nothing can be written.
    ///
    /// - Throws: `StoreError.missing`, `.tooNew`, `.corrupt`, `.unavailable`.
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
                    throw StoreError.unavailable(reason: "\(path): an older version; let the server open it first")
                }
                try load(from: database)
                let uuid = try String.fetchOne(database, sql: "SELECT uuid FROM meta") ?? ""
                try Self.requireChanges(known, in: path, of: uuid, upTo: lastSequence.rawValue)
            }
        }
    }

    /// Whether another process may write the file: then nobody here hears of what it writes.
    var isForeign: Bool { lock == nil }

    package var lastSequence: LogSequence { LogSequence(newest.load(ordering: .acquiring)) }

    package func write<Result>(
        at committedAt: Instant, _ body: (any StoreTransaction) throws -> Result
    ) throws -> Result {
        try onWriter { database in
            let transaction = SQLiteTransaction(on: self, in: database)
            let (result, slice) = try transact(in: database) {
                let result = try body(transaction)
                try transaction.finish(at: committedAt)
                return (result, try mergeBehind(transaction))
            }
            adopt(transaction, merged: slice)
            mark?.advance(to: transaction.lastSequence, at: committedAt)
            return result
        }
    }

    /// Merges some of what arrived before, in a commit that brings more.
    private func mergeBehind(_ transaction: SQLiteTransaction) throws -> Stage.Slice? {
        guard !transaction.arrivals.isEmpty else { return nil }
        let arriving = transaction.arrivals.count
        guard let slice = stage.withLock({ $0.sliceBehind(arriving: arriving) }) else { return nil }
        try merge(slice, leavingOut: transaction.removals, in: transaction.database)
        return slice
    }

    /// Takes over what is on disk now. Nothing here can fail.
    private func adopt(_ transaction: SQLiteTransaction, merged slice: Stage.Slice?) {
        if !transaction.removals.isEmpty { removals.withLock { $0.formUnion(transaction.removals) } }
        if !transaction.cuts.isEmpty { cuts.withLock { $0.formUnion(transaction.cuts) } }
        if transaction.tables.hasRemoved { chores.withLock { $0.hasRemovedDocuments = true } }
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

    /// Flushes and closes: what is staged is merged if the disk lets us; it is in the log anyhow. No call may follow.
    package func close() throws {
        if lock != nil {
            // What cannot be merged now is staged again at the next start.
            while (try? mergeStaged(limit: 20_000)) ?? false {}
            // So that the one file holds everything. It is as safe beside its WAL, when the disk refuses.
            try? pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        }
        mark?.finish()
        try StoreError.naming(path) { try pool.close() }
        lock?.release()
    }

    /// Runs `body` on the writing connection.
    ///
    /// - Throws: `StoreError` for what SQLite refuses, and what else `body` throws.
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
            // The same value again: SQLite writes its page all the same, which it does not for the same row of a table.
            try transact(in: database) {
                let value = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
                try database.execute(sql: "PRAGMA user_version = \(value)")
            }
        }
    }

    /// Runs `body` in a transaction that is durable on return and has not happened when this throws.
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

    /// Takes from the file what this object keeps in memory, and stages what the log holds beyond the history.
    private func load(from database: Database) throws {
        let removed = try Removals(from: database)
        removals.withLock { $0 = removed }
        let cut = try PositionCuts(from: database)
        cuts.withLock { $0 = cut }
        let stored = try LastNumbers(from: database)
        numbers.withLock { $0 = stored }
        let deliveries = DeliveryTally(
            last: try Counter.delivery.value(in: database), pending: try DeliveryTable.count(in: database))
        tally.withLock { $0 = deliveries }
        let trimmed = try Counter.trimmed.value(in: database)
        newest.store(max(trimmed, try LogTable.lastSequence(in: database) ?? 0), ordering: .releasing)
        try restage(from: database)
    }

    /// Stages what the log holds beyond the history: first the generation that was being merged, as it was, then the
    /// rest.
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
            // More than a generation waits only when the limit was larger before.
            while lock != nil, stage.withLock({ $0.isFull }) { _ = try mergeSlice(limit: 20_000, in: database) }
            if next == from { break }
        }
    }

    /// Stages the positions of the log from `sequence` on, until `wantsMore` (told the number staged last) says no.
    ///
    /// - Returns: the first number that was not looked at.
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

/// How far slow work has come.
struct Chores {
    /// What is being erased, if anything.
    var erasure: Erasure?
    /// Where the forgetting of old positions goes on.
    var forgottenThrough = HistoryTable.Place.start
    /// Whether databases or indexes may wait to be erased: looked up after a start, and whenever one was removed.
    var hasRemovedDocuments = true
}
