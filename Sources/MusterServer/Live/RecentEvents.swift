package import MusterCore
import MusterStore
import Synchronization

/// The newest changes of the log, which many feeds want at once: read and rendered once, into a bounded window.
package final class RecentEvents: Sendable {
    private let coordinator: StoreCoordinator
    private let window = Mutex(LiveWindow())

    /// The largest number of events that `events` returns.
    static let pageLimit = 500

    init(coordinator: StoreCoordinator) { self.coordinator = coordinator }

    /// Empties the window, which then waits for the changes after a sequence.
    func restart(after sequence: LogSequence) { window.withLock { $0.restart(after: sequence) } }

    /// Adds the changes that follow a sequence in the log.
    func append(_ changes: [LoggedChange], after sequence: LogSequence, _ directory: Directory) {
        let events = changes.map { LiveEvent($0, directory: directory) }
        window.withLock { window in
            if window.last != sequence { window.restart(after: sequence) }
            window.append(events)
        }
    }

    /// Returns the next changes after a cursor, at most 500: from the window, or from the log when the window does not
    /// hold them. Only for whoever has a feed of changes open: a feed is woken when the window gets more.
    ///
    /// - Throws: `StoreError.trimmed` when the log no longer holds the next changes, or never did because the cursor is
    ///   of another log: then a backup was restored, and whoever waited for the log to reach it would miss the changes
    ///   in between.
    package func events(since cursor: LogSequence) async throws -> [LiveEvent] {
        if cursor > coordinator.lastSequence { throw StoreError.trimmed(oldest: .zero) }
        if let events = window.withLock({ $0.events(since: cursor) }) { return events }
        let changes = try await coordinator.read { try $0.changes(since: cursor, limit: Self.pageLimit) }
        let directory = coordinator.directory
        return changes.map { LiveEvent($0, directory: directory) }
    }
}
