import MusterCore
import MusterReplication

/// When the regions are asked for again: all of them come at once, so not with every emission.
struct RefreshPacing: Sendable {
    /// Whether the server spoke of a region that is not known here.
    var isOutdated = false
    private var triedAt: Instant?
    private var refreshedAt: Instant?
    private var pauseSeconds = Self.retrySeconds

    /// Seconds between two attempts at least.
    private static let retrySeconds: Double = 60

    /// Whether to ask now.
    func isDue(at now: Instant) -> Bool {
        // A clock that was set back holds nothing up.
        if let triedAt, (0..<pauseSeconds).contains(now.seconds(since: triedAt)) { return false }
        return isOutdated || refreshedAt.map { now.seconds(since: $0) >= RegionWatch.refreshSeconds } ?? true
    }

    /// Notes that the server is asked.
    mutating func begin(at now: Instant) {
        triedAt = now
        pauseSeconds = Self.retrySeconds
    }

    /// Notes that everything is known.
    mutating func succeed(at now: Instant) {
        refreshedAt = now
        isOutdated = false
    }

    /// Notes why nothing came of it: what is too large will be for a while.
    mutating func fail(_ reason: any Error) {
        if case .tooLarge? = reason as? ReplicationError { pauseSeconds = RegionWatch.refreshSeconds }
    }
}
