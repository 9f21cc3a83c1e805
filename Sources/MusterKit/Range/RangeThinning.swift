import MusterCore

/// Decides which of the ranges to a peer are worth a report: at most one a second, and only one that differs from the
/// last by more than its deviation, or that comes ten seconds after it.
struct RangeThinning: Sendable {
    private var last: [RangeTag: (metres: Double, time: Instant)] = [:]

    /// The shortest time between two reports about a peer, seconds.
    static let shortestSeconds = 1.0
    /// After how long even an unchanged distance is worth a report, seconds.
    static let longestSeconds = 10.0
    /// How many peers are remembered. One more forgets all, and each is then worth a report again.
    static let peerLimit = 256

    /// Returns whether a range is worth a report, and remembers it if so.
    mutating func isWorthReporting(_ range: MeasuredRange) -> Bool {
        if let last = last[range.peer] {
            // A clock that was set back counts as far as it moved.
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
