package import Logging
package import MusterCore
import Synchronization

/// Warns of what devices do wrong, at most once a minute for each kind, however often they do it.
package final class OccasionalLog: Sendable {
    private struct Entry {
        var loggedAt: Instant
        /// How many warnings were left out since.
        var left = 0
    }

    private let logger: Logger
    private let now: @Sendable () -> Instant
    private let entries = Mutex<[String: Entry]>([:])

    /// The seconds between two warnings of a kind.
    private static let pauseSeconds = 60.0

    package init(_ logger: Logger, now: @escaping @Sendable () -> Instant) {
        self.logger = logger
        self.now = now
    }

    /// Warns, unless a warning of this kind was logged within the last minute.
    ///
    /// - Parameters:
    ///   - kind: the name of the event, as metrics count it. The names are literals, so there are few.
    ///   - metadata: makes what the warning says; without secrets, and bounded.
    package func warn(_ kind: StaticString, _ message: Logger.Message, _ metadata: () -> Logger.Metadata) {
        let moment = now()
        let left = entries.withLock { entries -> Int? in
            if let last = entries[kind.description], moment >= last.loggedAt,
                moment < last.loggedAt.advanced(bySeconds: Self.pauseSeconds)
            {
                entries[kind.description]?.left += 1
                return nil
            }
            defer { entries[kind.description] = Entry(loggedAt: moment) }
            return entries[kind.description]?.left ?? 0
        }
        guard let left else { return }
        var metadata = metadata()
        metadata["event"] = "\(kind)"
        if left > 0 { metadata["othersSince"] = "\(left)" }
        logger.warning(message, metadata: metadata)
    }
}
