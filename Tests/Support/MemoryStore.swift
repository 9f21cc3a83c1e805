import Foundation
import GRDB
package import MusterCore
import MusterDocuments
package import MusterStore
import Synchronization

/// A store in memory, for tests.
///
/// It passes the same conformance suite as `SQLiteStore`. Most reads take time proportional to their result. Reads of
/// rolls, `remove` and `forget` visit everything.
package final class MemoryStore: Store {
    /// The committed contents.
    let contents = Mutex(MemoryContents())

    /// The database in memory with documents and datasets.
    let tables = MemoryStore.makeTables()

    private let name = UUID().uuidString.lowercased()

    /// - Parameter deliveryLimits: the numbers of deliveries that the store keeps.
    package init(deliveryLimits: DeliveryLimits = DeliveryLimits()) {
        contents.withLock { $0.deliveryLimits = deliveryLimits }
    }

    package func write<Result>(
        at committedAt: Instant, _ body: (any StoreTransaction) throws -> Result
    ) throws -> Result {
        try tables.writeWithoutTransaction { database in
            let transaction = MemoryTransaction(on: self, in: database)
            var result: Result?
            try database.inTransaction {
                result = try body(transaction)
                try transaction.tables.finish()
                return .commit
            }
            contents.withLock { transaction.commit(to: &$0, at: committedAt) }
            guard let result else { preconditionFailure("a transaction that did not throw has a result") }
            return result
        }
    }

    package func uuid() -> String { name }

    package var lastSequence: LogSequence { contents.withLock { LogSequence($0.lastSequence) } }

    package func changes(since sequence: LogSequence, limit: Int) throws -> [LoggedChange] {
        try contents.withLock { contents in
            guard sequence.rawValue >= contents.trimmedThrough else {
                throw StoreError.trimmed(oldest: LogSequence(contents.trimmedThrough + 1))
            }
            var page = LogPage(since: sequence, limit: limit)
            for commit in contents.log[contents.log.partitioningIndex { $0.last > sequence.rawValue }...] {
                guard page.add(commit.changes, first: commit.first, committedAt: commit.committedAt) else { break }
            }
            return page.changes
        }
    }

    package func positions(
        of device: DeviceNumber, from: Instant, to: Instant, after cursor: HistoryCursor?, limit: Int
    ) throws -> [Position] {
        guard limit > 0, from < to else { return [] }
        let history = contents.withLock { $0.histories[device] ?? [] }
        var start = history.firstIndex(notBefore: PositionKey(from: from))
        if let cursor {
            var next = history.firstIndex(notBefore: PositionKey(cursor))
            if next < history.count, PositionKey(history[next]) == PositionKey(cursor) { next += 1 }
            start = max(start, next)
        }
        return Array(history[start...].prefix(limit).prefix { $0.sampleTime < to })
    }

    package func latestPositions() throws -> [(device: DeviceNumber, position: Position)] {
        let latest = contents.withLock { $0.latestPositions }
        return latest.map { (device: $0.key, position: $0.value) }.sorted { $0.device < $1.device }
    }

    package func presences() throws -> [(device: DeviceNumber, presences: [Presence])] {
        contents.withLock { $0.presences }.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    package func musterPresences() throws -> [(device: DeviceNumber, presences: [Presence])] {
        contents.withLock { $0.musterPresences }.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    package func records() throws -> [(device: DeviceNumber, sequence: LogSequence, record: DeviceRecord)] {
        contents.withLock { $0.records }.map { ($0.key, $0.value.sequence, $0.value.record) }.sorted { $0.0 < $1.0 }
    }

    package var recordedThrough: LogSequence { contents.withLock { $0.recordedThrough } }
    package var isReviewing: Bool { contents.withLock { $0.isReviewing } }

    package func safety() throws -> [(user: UserNumber, safety: Safety)] {
        contents.withLock { $0.safety }.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    package func directory() throws -> StoredDirectory {
        let contents = contents.withLock { $0 }
        var directory = StoredDirectory()
        directory.databases = try readDocuments { documents, _ in try documents.databases() }
        directory.users = contents.users.values.sorted { $0.number < $1.number }
        directory.teams = contents.teams.values.sorted { $0.number < $1.number }
        directory.crews = contents.crews.values.sorted { $0.number < $1.number }
        directory.devices = contents.devices.values.sorted { $0.number < $1.number }
        directory.trackers = contents.trackers.values.sorted { $0.number < $1.number }
        directory.collections = contents.collections.values.sorted { $0.number < $1.number }
        directory.rules = contents.rules.values.sorted { $0.number < $1.number }
        directory.targets = contents.targets.values.sorted { $0.number < $1.number }
        return directory
    }

    package func regions() throws -> [Region] {
        contents.withLock { $0.regions }.values.sorted { $0.number < $1.number }
    }

    package func credential(_ kind: Credential.Kind, key: [UInt8]) throws -> Credential? {
        contents.withLock { $0.credentials[CredentialKey(kind: kind, key: key)] }
    }

    package func credentials(_ kind: Credential.Kind) throws -> [Credential] {
        contents.withLock { $0.credentials }.values.filter { $0.kind == kind }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }

    package func credentials(_ kind: Credential.Kind, of user: UserNumber) throws -> [Credential] {
        try credentials(kind).filter { $0.user == user }
    }

    package func forget(before horizon: Instant, limit: Int) throws -> Int {
        try tables.writeWithoutTransaction { database in
            let (forgotten, trimmed, last) = contents.withLock { contents in
                (contents.forget(before: horizon, limit: limit), contents.trimmedThrough, contents.lastSequence)
            }
            let documents = DocumentTables(in: database) { LogSequence(last) }
            let locations = try documents.forgetLocations(through: LogSequence(trimmed), limit: limit)
            try documents.finish()
            let ranges = try RangeTable.delete(before: horizon, limit: limit, in: database)
            let refused = try RefusedReportTable.delete(before: horizon, in: database)
            return forgotten + locations + ranges + refused
                + (try SignalTable.delete(before: horizon, limit: limit, in: database))
        }
    }

    package func erasePositions(of device: DeviceNumber, limit: Int) -> Bool { false }

    package func settle(limit: Int) throws -> Bool { try eraseDocuments(limit: limit / 40) }

    package func eraseDocuments(limit: Int) throws -> Bool {
        try tables.writeWithoutTransaction { database in
            let documents = DocumentTables(in: database) { [self] in lastSequence }
            let isLeft = try documents.eraseRemoved(limit: max(1, limit))
            try documents.finish()
            return isLeft
        }
    }

    /// - Throws: `StoreError.backup` always, because there is no file to copy.
    package func backup(to path: String) throws {
        throw StoreError.backup(path: path, reason: "a store in memory cannot be backed up")
    }

    package func testWriting() throws {}

    package var knownDamage: [String] { [] }

    package func check() throws -> [String] { [] }

    package func close() throws {}
}
