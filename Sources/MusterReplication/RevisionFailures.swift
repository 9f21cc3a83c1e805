import MusterCore

/// The revisions that a responding peer failed at: how often each, and when they were last requested again.
///
/// A peer that is away (no connection, 503, no response in time) is not counted here, because the calls themselves
/// throw. A revision is counted if a request for it alone failed, in consecutive attempts, while the peer responded to
/// requests for others.
struct RevisionFailures: Hashable, Sendable {
    typealias Key = ReplicatedRevision.Key

    /// The number of attempts that failed at each revision.
    private var counts: [Key: Int] = [:]
    /// The revisions that were reported as left out.
    private var told: Set<Key> = []
    /// The time at which the revisions that are left out were last requested; nil before the first time.
    private var askedAt: Instant?

    /// The number of failed attempts after which the replication goes on without a revision.
    static let attemptLimit = 4
    /// The number of failing revisions from which on the peer itself is treated as failing.
    static let limit = 1_000

    /// Whether no revision has failed.
    var isEmpty: Bool { counts.isEmpty }

    /// Whether a peer failed at a revision before.
    func holds(_ key: Key) -> Bool { counts[key] != nil }

    /// Counts the refusals of an attempt, and returns those to report: each revision that is left out is reported once.
    ///
    /// - Parameter leftOut: the revisions that an earlier run left out; for these one attempt is enough.
    /// - Returns: nil if a revision is to be tried again before the replication goes on without it.
    mutating func decide(_ refusals: [WriteRefusal], leftOut: Set<Key>) -> [WriteRefusal]? {
        let failed = Set(refusals.compactMap(\.outstanding))
        var isEnough =
            leftOut.union(failed).count <= Self.limit && !refusals.contains { $0.isPassing && $0.revision == nil }
        for key in failed {
            guard counts[key] != nil || counts.count < Self.limit else {
                isEnough = false
                continue
            }
            let count = counts[key, default: leftOut.contains(key) ? Self.attemptLimit - 1 : 0] + 1
            counts[key] = count
            if count < Self.attemptLimit { isEnough = false }
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

    /// Clears the failures of revisions that are not left out, at the end of a run: newer revisions have replaced them.
    mutating func noteEnd(leftOut: Set<Key>) {
        guard !counts.isEmpty else { return }
        counts = counts.filter { leftOut.contains($0.key) }
        told.formIntersection(leftOut)
    }

    /// Whether to request the revisions that are left out again: after a number of seconds, or at once if they never
    /// were.
    func isAskingDue(at now: Instant, afterSeconds seconds: Double) -> Bool {
        guard let askedAt else { return true }
        // A clock that was set back must not delay the request.
        let passed = now.seconds(since: askedAt)
        return passed < 0 || passed >= seconds
    }

    /// Records that the revisions that are left out were requested, and the peer responded.
    mutating func noteAsking(at now: Instant) { askedAt = now }

    /// Records that a revision was left out, which had just been requested.
    mutating func noteLeavingOut(at now: Instant) { askedAt = askedAt ?? now }
}
