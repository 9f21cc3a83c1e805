package import MusterCore
import Synchronization

/// Records whether the disk accepts the store's writes, and how much space it has. The store's writing connection
/// records each refusal; the server measures the space, and records when the refusals end.
package final class StorageHealth: Sendable {
    /// The recorded state at one moment.
    package struct Status: Hashable, Sendable {
        /// The time of the first refusal since the last accepted write; nil while the disk accepts writes.
        package var refusedSince: Instant?
        /// The reason of the newest refusal, in SQLite's words.
        package var lastRefusal: String?
        /// The number of refused writes since the server started.
        package var failedWrites = 0
        /// The newest measured space; nil before the first measurement, and if the operating system does not report it.
        package var space: DiskSpace?

        package init() {}

        /// Whether the disk accepts writes.
        package var isWritable: Bool { refusedSince == nil }
    }

    private let state = Mutex(Status())
    private let now: @Sendable () -> Instant

    /// - Parameter now: returns the current time.
    package init(now: @escaping @Sendable () -> Instant) { self.now = now }

    package var status: Status { state.withLock { $0 } }

    /// Records that the disk refused a write.
    package func recordRefusal(_ reason: String) {
        let moment = now()
        state.withLock { status in
            status.refusedSince = status.refusedSince ?? moment
            status.lastRefusal = reason
            status.failedWrites += 1
        }
    }

    /// Records that the disk accepts writes again.
    package func recordRecovery() { state.withLock { $0.refusedSince = nil } }

    /// Records the measured space; nil if the operating system does not report it.
    package func recordSpace(_ space: DiskSpace?) { state.withLock { $0.space = space } }
}
