import MusterCore

/// What a peer failed at while it answered: how often, and when it was last asked for again.
///
/// A peer that is away (no connection, 503, no answer in time) has no part in this: the calls themselves throw. What is
/// counted here was asked for alone, in one attempt after the other, while the peer answered for others.
struct RevisionFailures: Hashable, Sendable {
    typealias Key = ReplicatedRevision.Key

    /// In how many attempts each was failed at.
    private var counts: [Key: Int] = [:]
    /// Those that were told to be left out.
    private var told: Set<Key> = []
    /// When those that were left out were last asked for.
    private var askedAt: Instant?

    /// In how many attempts a peer may fail at a revision before the rest goes on without it.
    static let patience = 4
    /// At how many a peer may fail before it is the peer that fails, and not they.
    static let limit = 1_000

    /// Whether it failed at nothing.
    var isEmpty: Bool { counts.isEmpty }

    /// Whether a peer failed at this before.
    func holds(_ key: Key) -> Bool { counts[key] != nil }

    /// Decides on what was refused in one more attempt: what is to be told of it, each revision that is left out once,
    /// however often it is found.
    ///
    /// - Parameter leftOut: those that were left out before, by whatever run: for them one attempt is enough.
    /// - Returns: nil where something is to be tried again before the rest goes on without it.
    mutating func decide(_ refusals: [WriteRefusal], leftOut: Set<Key>) -> [WriteRefusal]? {
        let failed = Set(refusals.compactMap(\.outstanding))
        var isEnough =
            leftOut.union(failed).count <= Self.limit && !refusals.contains { $0.isPassing && $0.revision == nil }
        for key in failed {
            guard counts[key] != nil || counts.count < Self.limit else {
                isEnough = false
                continue
            }
            let count = counts[key, default: leftOut.contains(key) ? Self.patience - 1 : 0] + 1
            counts[key] = count
            if count < Self.patience { isEnough = false }
        }
        guard isEnough else { return nil }
        return refusals.filter { refusal in refusal.outstanding.map { told.insert($0).inserted } ?? true }
    }

    /// Clears the failures of revisions that have arrived, or that no peer has any longer.
    mutating func noteArrival(of keys: some Sequence<Key>) {
        guard !counts.isEmpty else { return }
        for key in keys {
            counts[key] = nil
            told.remove(key)
        }
    }

    /// Everything was looked at: what was failed at and is not left out was replaced meanwhile.
    mutating func noteEnd(leftOut: Set<Key>) {
        guard !counts.isEmpty else { return }
        counts = counts.filter { leftOut.contains($0.key) }
        told.formIntersection(leftOut)
    }

    /// Whether those that were left out are to be asked for again, after so many seconds: at once by who never did.
    func isAskingDue(at now: Instant, afterSeconds seconds: Double) -> Bool {
        guard let askedAt else { return true }
        // A clock that was set back must not put it off.
        let passed = now.seconds(since: askedAt)
        return passed < 0 || passed >= seconds
    }

    /// Those that were left out have been asked for, and there was an answer.
    mutating func noteAsking(at now: Instant) { askedAt = now }

    /// The first of them was left out: it has just been asked for.
    mutating func noteLeavingOut(at now: Instant) { askedAt = askedAt ?? now }
}
