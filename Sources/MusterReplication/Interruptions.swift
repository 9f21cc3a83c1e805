/// What cuts have taught a replication: how long it waits before the next attempt, and how often it writes down how far
/// it came.
///
/// Every cut makes it more careful, everything that comes through makes it less so. A network that always lasts equally
/// long so ends up with about one mark an attempt: enough to get on, and no more.
struct Interruptions: Hashable, Sendable {
    /// Attempts in a row that did not get on.
    private(set) var failures = 0
    /// How often the time between two marks is halved.
    private(set) var haste = 0

    /// Revisions that a peer failed at while it answered, and in how many attempts.
    private var failed: [ReplicatedRevision.Key: Int] = [:]

    /// In how many attempts a peer may fail at a revision before the rest goes on without it.
    static let patience = 4
    /// At how many a peer may fail before it is the peer that fails, and not they.
    static let failedLimit = 1_000

    /// Marks could not come sooner than with every batch, long before this.
    static let hasteLimit = 20

    /// Seconds between two marks, where they would be so many without haste.
    func markSeconds(unhurried seconds: Double) -> Double { seconds / Double(1 << haste) }

    /// A peer failed at a revision in one more attempt.
    ///
    /// - Returns: in how many it did; 0 where it fails at more revisions than are counted.
    mutating func noteFailure(at key: ReplicatedRevision.Key) -> Int {
        guard failed[key] != nil || failed.count < Self.failedLimit else { return 0 }
        failed[key, default: 0] += 1
        return failed[key, default: 0]
    }

    /// Something came through, or was waited for in peace: whoever gets on is not failing. A network that carries a
    /// page at a time carries all of them.
    mutating func noteProgress() { failures = 0 }

    /// How far it came was written down at both peers: from there it goes on, whatever happens.
    mutating func noteMark() {
        failures = 0
        haste = max(0, haste - 1)
    }

    /// The attempt was cut off.
    mutating func noteCut() {
        failures += 1
        haste = min(haste + 1, Self.hasteLimit)
    }
}
