/// Adapts a replication to interruptions: the delay before the next attempt, and the time between two checkpoints.
///
/// Each interruption shortens the time between checkpoints, and each success lengthens it. If connections always last
/// equally long, it settles at about one checkpoint in each.
struct Interruptions: Hashable, Sendable {
    /// Consecutive attempts without progress.
    private(set) var failures = 0
    /// The number of times that the time between two checkpoints is halved.
    private(set) var haste = 0

    /// The largest `haste`; long before it, every batch has a checkpoint.
    static let hasteLimit = 20

    /// Seconds between two checkpoints, from the number without haste.
    func markSeconds(unhurried seconds: Double) -> Double { seconds / Double(1 << haste) }

    /// Resets the failures after a page arrived, or after a quiet wait for changes: a network that carries one page at
    /// a time carries all of them in the end.
    mutating func noteProgress() { failures = 0 }

    /// Lengthens the time to the next checkpoint, after one was written to both peers.
    mutating func noteMark() {
        failures = 0
        haste = max(0, haste - 1)
    }

    /// Shortens the time between checkpoints, after an attempt was interrupted.
    mutating func noteCut() {
        failures += 1
        haste = min(haste + 1, Self.hasteLimit)
    }
}
