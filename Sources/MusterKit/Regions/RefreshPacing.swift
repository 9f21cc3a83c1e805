import MusterCore
import MusterReplication

/// Decides when to request the regions again. A request transfers all of them, so it is not made with every emission.
struct RefreshPacing: Sendable {
    /// Whether the server has named a region that the device does not know.
    var isOutdated = false
    private var triedAt: Instant?
    private var refreshedAt: Instant?
    private var pauseSeconds = Self.retrySeconds

    /// The shortest time between two attempts, seconds.
    private static let retrySeconds: Double = 60

    /// Whether to request the regions now.
    func isDue(at now: Instant) -> Bool {
        // A last attempt in the future means that the clock was set back; it delays nothing.
        if let triedAt, (0..<pauseSeconds).contains(now.seconds(since: triedAt)) { return false }
        return isOutdated || refreshedAt.map { now.seconds(since: $0) >= RegionWatch.refreshSeconds } ?? true
    }

    /// Records that an attempt begins.
    mutating func begin(at now: Instant) {
        triedAt = now
        pauseSeconds = Self.retrySeconds
    }

    /// Records that an attempt succeeded.
    mutating func succeed(at now: Instant) {
        refreshedAt = now
        isOutdated = false
    }

    /// Records why an attempt failed. After `tooLarge` the pause is longer, because the regions will not shrink soon.
    mutating func fail(_ reason: any Error) {
        if case .tooLarge? = reason as? ReplicationError { pauseSeconds = RegionWatch.refreshSeconds }
    }
}
