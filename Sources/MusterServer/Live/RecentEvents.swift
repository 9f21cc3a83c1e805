package import MusterCore
import MusterStore
import Synchronization

/// The newest changes of the log, read and rendered once for all feeds, in a bounded window.
package final class RecentEvents: Sendable {
    private let coordinator: StoreCoordinator
    private let window = Mutex(LiveWindow())

    /// The largest number of events that `events` returns.
    static let pageLimit = 500

    init(coordinator: StoreCoordinator) { self.coordinator = coordinator }

    /// Empties the window. The next appended changes must be those after `sequence`.
    func restart(after sequence: LogSequence) { window.withLock { $0.restart(after: sequence) } }

    /// Appends the changes that follow `sequence` in the log.
    func append(_ changes: [LoggedChange], after sequence: LogSequence, _ directory: Directory) {
        let events = changes.map { LiveEvent($0, directory: directory) }
        window.withLock { window in
            if window.last != sequence { window.restart(after: sequence) }
            window.append(events)
        }
    }

    /// Returns the next changes after a cursor, at most 500, from the window or else from the log. The caller must have
    /// a feed of changes open: the window is filled only while one is, and might otherwise hide newer changes.
    ///
    /// - Throws: `StoreError.trimmed` when the log no longer holds the next changes, or when the cursor lies beyond the
    ///   end of the log. Such a cursor comes from a log that a restored backup replaced, and a client that continued
    ///   from it would miss changes; the errors of reading the store.
    package func events(since cursor: LogSequence) async throws -> [LiveEvent] {
        if cursor > coordinator.lastSequence { throw StoreError.trimmed(oldest: .zero) }
        if let events = window.withLock({ $0.events(since: cursor) }) { return events }
        // Events are rendered on the reading threads, where users take turns. Otherwise many feeds of one user that
        // begin far back would occupy the threads that answer all requests.
        return try await coordinator.read { [coordinator] store in
            let changes = try store.changes(since: cursor, limit: Self.pageLimit)
            let directory = coordinator.directory
            return changes.map { LiveEvent($0, directory: directory) }
        }
    }
}
