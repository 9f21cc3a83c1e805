import MusterCore
import MusterMutex

extension Muster {
    /// The preferences or the state of an app that follow the person across devices: named records, each a key and a
    /// text. `Muster.dataset(_:)` opens it.
    ///
    /// ```
    /// let settings = try muster.dataset("settings")
    /// try await settings.put("dark", for: "theme")
    /// try await settings.synchronize()
    /// ```
    ///
    /// Everything but `synchronize` works on this device's disk, with or without a network. The server accepts at most
    /// 20 datasets of a person, each with at most 1,024 records and 1 MiB.
    public final class Dataset: Sendable {
        struct State {
            var handlers = Handlers()
            /// The newest synchronization, which the next one waits for.
            var synchronization: Task<Void, any Error>?
        }

        /// The dataset's name.
        public let name: String
        let store: LocalStore
        let server: DatasetService
        let now: @Sendable () -> Instant
        let state = Mutex(State())
        /// Sends a value whenever records may have changed.
        private let changes = Broadcast<Void>()

        /// - Throws: `MusterError.illegalRecord` for a text that no dataset can have as its name.
        init(
            _ name: String, store: LocalStore, server: DatasetService, now: @escaping @Sendable () -> Instant
        ) throws(MusterError) {
            guard DatasetLimits.isName(name) else {
                throw .illegalRecord(
                    reason: "a dataset's name is 1 to 128 of the characters a-z, A-Z, 0-9, _, ., : and -")
            }
            self.name = name
            self.store = store
            self.server = server
            self.now = now
        }

        /// The app's decisions during a synchronization.
        public var handlers: Handlers {
            get { state.withLock { $0.handlers } }
            set { state.withLock { $0.handlers = newValue } }
        }

        // MARK: Reading

        /// Returns the text of a record; nil where there is none.
        ///
        /// - Throws: `.storeUnavailable`, as every call here does when the file cannot be read or written.
        public func get(_ key: String) async throws(MusterError) -> String? {
            try await read { [name] in try $0.record(key, of: name)?.value }
        }

        /// Returns all records, ordered by the bytes of their keys.
        public func all() async throws(MusterError) -> [Record] {
            let dataset = try await read { [name] in try $0.dataset(name) }
            return dataset.records.values.compactMap { Record($0) }
                .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        }

        /// The records now, and then after each change, whether this device made it or a synchronization brought it. A
        /// slow reader receives the newest. The stream ends with `Muster.close()`.
        public var records: AsyncStream<[Record]> {
            let changes = changes.subscribe(limit: 1, beginningWith: ())
            return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let task = Task {
                    var last: [Record]?
                    for await _ in changes {
                        // A file that cannot be read now is read again after the next change.
                        guard let records = try? await self.all(), records != last else { continue }
                        last = records
                        continuation.yield(records)
                    }
                    continuation.finish()
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }

        /// The sync count of the server's dataset up to which this device knows it; 0 before the first synchronization,
        /// and for a dataset that was deleted. A larger count in a push or in an event of the live feed means that the
        /// server has changes that this device lacks.
        public var lastSyncCount: Int64 {
            get async throws(MusterError) { try await read { [name] in try $0.syncCount(of: name) } }
        }

        /// Whether this device has changes that the server does not have.
        public var isUnsynchronized: Bool {
            get async throws(MusterError) {
                try await read { [name] in
                    let dataset = try $0.dataset(name)
                    return dataset.isDeleted || dataset.records.values.contains(where: \.isDirty)
                }
            }
        }

        // MARK: Editing

        /// Sets the text of a record. It is on this device's disk when this returns, and goes to the server with the
        /// next synchronization.
        ///
        /// - Parameters:
        ///   - value: at most 1,048,575 bytes.
        ///   - key: 1 to 1,024 bytes.
        /// - Throws: `.illegalRecord`, `.deviceFull`, `.storeUnavailable`, `.closed`.
        public func put(_ value: String, for key: String) async throws(MusterError) {
            guard value.utf8.count <= DatasetLimits.valueBytes else {
                throw .illegalRecord(reason: "a value is at most 1,048,575 bytes long")
            }
            try await edit(key, to: value)
        }

        /// Removes a record; where there is none, this does nothing.
        ///
        /// - Throws: as `put`.
        public func remove(_ key: String) async throws(MusterError) { try await edit(key, to: nil) }

        /// Deletes the dataset on this device, and with the next synchronization on the server. The dataset may be used
        /// again at once, as a new one.
        ///
        /// - Throws: `.deviceFull`, `.storeUnavailable`, `.closed`.
        public func delete() async throws(MusterError) {
            try await write { [name] in try $0.delete(name) }
        }

        private func edit(_ key: String, to value: String?) async throws(MusterError) {
            guard DatasetLimits.keyBytes.contains(key.utf8.count) else {
                throw .illegalRecord(reason: "a key is 1 to 1,024 bytes long")
            }
            let now = now()
            try await write { [name] in _ = try $0.edit(key, of: name, to: value, at: now) }
        }

        // MARK: Pieces

        func read<Success: Sendable>(
            _ body: @escaping @Sendable (LocalDatasets) throws -> Success
        ) async throws(MusterError) -> Success {
            try server.checkOpen()
            return try await inWords { try await self.store.readDatasets(body) }
        }

        /// Runs a transaction, and then wakes the readers of `records`.
        @discardableResult
        func write<Success: Sendable>(
            _ body: @escaping @Sendable (LocalDatasets) throws -> Success
        ) async throws(MusterError) -> Success {
            try server.checkOpen()
            let result = try await inWords { try await self.store.file.write { try body($0.datasets) } }
            changes.send(())
            return result
        }

        /// Ends the streams of `records`.
        func finish() { changes.finish() }
    }
}

extension LocalStore {
    /// Reads datasets in one transaction.
    func readDatasets<Success: Sendable>(
        _ body: @escaping @Sendable (LocalDatasets) throws -> Success
    ) async throws -> Success {
        let seal = file.seal
        return try await file.read { _, database in try body(LocalDatasets(database, seal)) }
    }
}
