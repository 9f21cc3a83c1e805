package import MusterCore
import Synchronization

/// Whether the disk takes what the store writes, and how much room it has. The store's writing connection records each
/// refusal; the server measures the room, and says when the refusals are over.
package final class StorageHealth: Sendable {
    /// What is known at one moment.
    package struct Status: Hashable, Sendable {
        /// When the disk refused a write after it had taken some; nil while it takes writes.
        package var refusedSince: Instant?
        /// The newest refusal, in SQLite's words.
        package var lastRefusal: String?
        /// How many writes the disk has refused since the server started.
        package var failedWrites = 0
        /// The room that was measured last; nil before the first time, and where the system does not tell.
        package var space: DiskSpace?

        package init() {}

        /// Whether the disk takes writes.
        package var isWritable: Bool { refusedSince == nil }
    }

    private let state = Mutex(Status())
    private let now: @Sendable () -> Instant

    /// - Parameter now: the clock.
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

    /// Records that the disk takes writes again.
    package func recordRecovery() { state.withLock { $0.refusedSince = nil } }

    /// Records how much room there is.
    package func recordSpace(_ space: DiskSpace?) { state.withLock { $0.space = space } }
}
