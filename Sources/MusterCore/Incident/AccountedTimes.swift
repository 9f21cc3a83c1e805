/// What the engine remembers of "all accounted" in an open incident, beside the incident itself. It is not stored.
struct AccountedTimes: Hashable, Sendable {
    /// Since when everyone is accounted for; nil while someone is not. After a restart the time begins anew.
    var since: Instant?
    /// When "all accounted" last ended, if a doubt alone ended it.
    var endedByDoubtAt: Instant?

    /// Whether "all accounted" does not begin again yet, because a doubt ended it shortly before.
    func isPausing(at now: Instant) -> Bool {
        // A time ahead of a clock that was set back does not count.
        endedByDoubtAt.map { (0..<Engine.pauseAfterDoubtSeconds).contains(now.seconds(since: $0)) } ?? false
    }
}
