import MusterCore
import MusterMutex

/// Brings a dataset on this device and on the server to the same state.
extension Muster.Dataset {
    /// The largest number of attempts of a synchronization. It needs another one when another device, or the app
    /// itself, changed something meanwhile.
    static let attemptLimit = 5

    /// Brings this device and the server to the same state: reads what changed since `lastSyncCount`, decides conflicts
    /// by the handlers, and sends what changed here.
    ///
    /// When another device writes at the same time, the synchronization tries again, five attempts in all. Calls run
    /// one after the other. A call by a handler of this dataset returns at once, because the synchronization that
    /// called the handler also processes the handler's changes.
    ///
    /// - Throws: `.away` where there is no network; `.conflict` where the handler decided nothing; `.datasetContended`
    ///   after five attempts; `.datasetRefused` for more data than the server accepts; `.signedOut`, `.signInNeeded`,
    ///   `.deviceFull`, `.storeUnavailable`, `.cancelled`, `.closed`. After each of these the device keeps its changes.
    public func synchronize() async throws(MusterError) {
        if SynchronizationRun.current?.isWithin(self) ?? false { return }
        let run = SynchronizationRun(of: self, within: SynchronizationRun.current)
        let task = state.withLock { state in
            let before = state.synchronization
            let task = Task {
                _ = await before?.result
                try Task.checkCancellation()
                try await SynchronizationRun.$current.withValue(run) {
                    defer { run.end() }
                    try await self.attemptSynchronization()
                }
            }
            state.synchronization = task
            return task
        }
        try await inWords {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    private func attemptSynchronization() async throws {
        for attempt in 1...Self.attemptLimit {
            switch try await attemptOnce() {
            case .done: return
            case .behind where attempt == Self.attemptLimit: return
            case .behind, .overtaken: continue
            }
        }
        throw MusterError.datasetContended(name: name)
    }

    /// How an attempt ended.
    private enum Outcome {
        /// Both sides hold the same records.
        case done
        /// The server has every change of this device; this device has not read yet what another one wrote meanwhile.
        case behind
        /// Another device, or the app, changed something meanwhile: another attempt is needed.
        case overtaken
    }

    /// Thrown within a transaction to undo it, because the app changed something since the records were read.
    private struct Overtaken: Error {}

    private func attemptOnce() async throws -> Outcome {
        try server.checkOpen()
        var local = try await read { [name] in try $0.dataset(name) }
        if local.isDeleted {
            try await server.delete(name)
            local = try await write { [name] in
                try $0.endDeletion(of: name)
                return try $0.dataset(name)
            }
        }
        guard let remote = try await server.read(name, since: local.syncCount) else { return .overtaken }
        if !remote.merged.isEmpty { await handlers.merged(name, remote.merged) }
        if remote.isDeletedSince || (local.syncCount > 0 && !remote.exists) {
            return try await adoptDeletion(of: local, isThereAgain: remote.exists)
        }
        guard try await adopt(remote, over: local) else { return .overtaken }
        return try await send()
    }

    // MARK: What the server has

    /// Asks the handler what becomes of a dataset that another device deleted.
    private func adoptDeletion(of local: LocalDataset, isThereAgain: Bool) async throws -> Outcome {
        let isKept = await handlers.deleted(name)
        let isAdopted = try await unlessOvertaken { [name] datasets in
            guard try datasets.dataset(name).edits == local.edits else { throw Overtaken() }
            if isKept { try datasets.makeUnsynchronized(name) } else { try datasets.purge(name) }
        }
        return isAdopted && !isKept && !isThereAgain ? .done : .overtaken
    }

    /// Stores the server's changes, after the handler has decided the conflicts.
    ///
    /// - Returns: false where the app changed one of these records meanwhile; then nothing is stored.
    private func adopt(_ remote: RemoteDataset, over local: LocalDataset) async throws -> Bool {
        let merge = DatasetMerge(remote.records, into: local)
        var decided: [(record: LocalRecord, isDirty: Bool)] = merge.overwritten.map { ($0.local, false) }
        for (local, remote) in merge.conflicts {
            let conflict = Conflict(
                dataset: name, key: local.key,
                local: Version(value: local.value, modifiedAt: local.modifiedAt.date),
                remote: Version(value: remote.value, modifiedAt: remote.modifiedAt.date))
            guard let resolution = await handlers.conflict(conflict) else {
                throw MusterError.conflict(dataset: name, key: local.key)
            }
            decided.append(resolution.record(of: local, remote, at: now()))
        }
        // A dataset that does not exist still has the count of its deleted predecessor, whose records this device
        // lacks.
        let count = remote.exists ? remote.syncCount : 0
        guard !decided.isEmpty || count != local.syncCount else { return true }
        let outcome = decided
        return try await unlessOvertaken { [name] datasets in
            if try datasets.dataset(name).isDeleted { throw Overtaken() }
            for (record, isDirty) in outcome {
                let before = local.records[ExactText(record.key)]?.edit ?? 0
                guard try datasets.record(record.key, of: name)?.edit ?? 0 == before else { throw Overtaken() }
                var stored = record
                stored.edit = isDirty ? try datasets.nextEdit(of: name) : 0
                try datasets.store(stored, of: name)
            }
            try datasets.setSyncCount(count, of: name)
        }
    }

    // MARK: What the device has

    /// Sends what changed on this device, and stores the records as the server returns them.
    private func send() async throws -> Outcome {
        let local = try await read { [name] in try $0.dataset(name) }
        if local.isDeleted { return .overtaken }
        let dirty = local.records.values.filter(\.isDirty)
            .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        if dirty.isEmpty { return .done }
        let patches = dirty.map { record in
            DatasetPatch(
                key: record.key, value: record.value, syncCount: record.syncCount, deviceModifiedAt: record.modifiedAt)
        }
        let device = try await store.pushDeviceID()
        guard case .stored(let count, let records) = try await server.update(name, with: patches, by: device) else {
            return .overtaken
        }
        // A count of one more than before, and no record above it: nobody wrote in between, so this device knows every
        // change. A server's sync trigger may drop records. They stay unsynchronized, and are sent at the next
        // synchronization.
        let isNext = count == local.syncCount + 1 || (records.isEmpty && count == local.syncCount)
        let isWhole = isNext && records.allSatisfy { $0.syncCount <= count }
        let isAdopted = try await unlessOvertaken { [name] datasets in
            if try datasets.dataset(name).isDeleted { throw Overtaken() }
            for record in records {
                var stored = record.local
                // The app may have changed the record while it was under way: then its value stays, and is sent next.
                let sent = local.records[ExactText(record.key)]?.edit ?? 0
                if let present = try datasets.record(record.key, of: name), present.edit != sent {
                    stored = present
                    stored.syncCount = record.syncCount
                }
                try datasets.store(stored, of: name)
            }
            if isWhole { try datasets.setSyncCount(count, of: name) }
        }
        guard isAdopted else { return .overtaken }
        return isWhole ? .done : .behind
    }

    /// Runs a transaction, and undoes it if it throws `Overtaken`.
    ///
    /// - Returns: false if the transaction was undone; then nothing is stored.
    private func unlessOvertaken(
        _ body: @escaping @Sendable (LocalDatasets) throws -> Void
    ) async throws -> Bool {
        try await write { datasets in
            do {
                try datasets.allOrNothing { try body(datasets) }
                return true
            } catch is Overtaken {
                return false
            }
        }
    }
}

/// A synchronization that runs, and the one whose handler began it.
private final class SynchronizationRun: Sendable {
    @TaskLocal static var current: SynchronizationRun?

    private let dataset: Muster.Dataset
    private let outer: SynchronizationRun?
    private let isOver = Mutex(false)

    init(of dataset: Muster.Dataset, within outer: SynchronizationRun?) {
        self.dataset = dataset
        self.outer = outer
    }

    func end() { isOver.withLock { $0 = true } }

    /// Whether a synchronization of this dataset waits for the present task. A task that a handler left behind keeps
    /// its value of `current`, and nothing waits for it once the synchronization is over.
    func isWithin(_ dataset: Muster.Dataset) -> Bool {
        if isOver.withLock({ $0 }) { return false }
        return self.dataset === dataset || outer?.isWithin(dataset) ?? false
    }
}

extension Muster.Dataset.Resolution {
    /// The record that a decision stores, with the server's count, and whether it has to be sent.
    fileprivate func record(
        of local: LocalRecord, _ remote: RemoteRecord, at now: Instant
    ) -> (record: LocalRecord, isDirty: Bool) {
        var record = remote.local
        switch self {
        case .remote: return (record, false)
        case .local: (record.value, record.modifiedAt) = (local.value, local.modifiedAt)
        case .value(let value): (record.value, record.modifiedAt) = (value, now)
        }
        return (record, record.value.map(ExactText.init) != remote.value.map(ExactText.init))
    }
}
