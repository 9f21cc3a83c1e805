import MusterCore

/// Decides which of the ranges to a peer are worth a report: at most one a second, and only one that differs from the
/// last by more than its deviation, or that comes ten seconds after it.
struct RangeThinning: Sendable {
    private var last: [RangeTag: (metres: Double, time: Instant)] = [:]

    /// The shortest time between two reports about a peer, seconds.
    static let shortestSeconds = 1.0
    /// The time after which even an unchanged distance is worth a report, seconds.
    static let longestSeconds = 10.0
    /// The largest number of remembered peers. One more clears the list, so that the next measurement of each peer is
    /// reported again.
    static let peerLimit = 256

    /// Returns whether a range is worth a report, and remembers it if so.
    mutating func isWorthReporting(_ range: MeasuredRange) -> Bool {
        if let last = last[range.peer] {
            // A step of the clock, forwards or back, counts as elapsed time.
            let seconds = abs(range.instant.seconds(since: last.time))
            let isChanged = abs(range.metres - last.metres) > range.deviationMetres
            guard seconds >= Self.shortestSeconds, isChanged || seconds >= Self.longestSeconds else { return false }
        } else if last.count >= Self.peerLimit {
            last.removeAll()
        }
        last[range.peer] = (range.metres, range.instant)
        return true
    }
}
