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

    /// Marks could not come sooner than with every batch, long before this.
    static let hasteLimit = 20

    /// Seconds between two marks, where they would be so many without haste.
    func markSeconds(unhurried seconds: Double) -> Double { seconds / Double(1 << haste) }

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
