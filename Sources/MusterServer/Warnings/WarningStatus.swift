package import MusterCore
import Synchronization

/// How it stands with one feed of official warnings.
package struct WarningStatus: Hashable, Sendable {
    /// The team that the warnings are for.
    package let team: String
    /// Scheme, host and port of the feed. Its path may hold a secret, so no list shows it.
    package let host: String
    /// When the server began to follow it.
    package let since: Instant
    /// When it last answered with something that could be read; nil before the first time.
    package private(set) var heardAt: Instant?
    /// Why the last look failed, in words; nil while looks succeed.
    package private(set) var fault: String?
    /// How often it has failed since it last succeeded.
    package private(set) var failures = 0
    /// What was found when the feed could last be read.
    package var counts = Counts()
    private var loggedAt: Instant?

    /// How many warnings and regions there are, and what is not shown.
    package struct Counts: Hashable, Sendable {
        /// Warnings with at least one region.
        package var warnings = 0
        /// Regions of these.
        package var regions = 0
        /// Warnings without an area that can be drawn: they name it by codes alone.
        package var withoutArea = 0
        /// Shapes that no region can have.
        package var refusedShapes = 0
        /// Warnings, shapes and entries beyond the limits, and entries without a link.
        package var leftOut = 0
        /// Entries of the feed whose alert could not be read.
        package var unread = 0
        /// The last reason for one of these, in words.
        package var reason: String?

        package init() {}
    }

    /// After so many seconds without an answer the operator is told.
    package static let silenceSeconds = 600.0
    /// Seconds between two lines in the log about the same silence.
    private static let loggingSeconds = 3_600.0

    package init(team: String, host: String, since: Instant) {
        self.team = team
        self.host = host
        self.since = since
    }

    /// Whether the feed has not been heard for long.
    package func isSilent(at now: Instant) -> Bool {
        fault != nil && now.seconds(since: heardAt ?? since) >= Self.silenceSeconds
    }

    /// The silence in words.
    package func silence(at now: Instant) -> String {
        let minutes = Int((now.seconds(since: heardAt ?? since) / 60).rounded(.down))
        return "warnings of \(host) for \(team) not heard for \(minutes) min: \(fault ?? "no reason is known")"
    }

    /// Records a look that succeeded.
    ///
    /// - Returns: whether that ends a silence which was logged.
    package mutating func recordSuccess(at now: Instant) -> Bool {
        defer { loggedAt = nil }
        (heardAt, fault, failures) = (now, nil, 0)
        return loggedAt != nil
    }

    /// Records a look that failed.
    ///
    /// - Returns: whether it is time to log the silence.
    package mutating func recordFailure(_ reason: String, at now: Instant) -> Bool {
        fault = reason
        failures += 1
        guard isSilent(at: now) else { return false }
        if let loggedAt, now.seconds(since: loggedAt) < Self.loggingSeconds { return false }
        loggedAt = now
        return true
    }
}

/// The states of all feeds of official warnings, for lists and `/health`.
package final class WarningStatuses: Sendable {
    private let statuses = Mutex<[WarningStatus]>([])

    package init() {}

    /// The states, in the order of the settings.
    package var all: [WarningStatus] { statuses.withLock { $0 } }

    /// Begins a state for each feed.
    package func begin(_ begun: [WarningStatus]) { statuses.withLock { $0 = begun } }

    /// Changes one state, and returns what `body` returns.
    package func change<Result: Sendable>(_ index: Int, _ body: (inout WarningStatus) -> Result) -> Result {
        statuses.withLock { body(&$0[index]) }
    }
}
