/// Token buckets by key, which can be given back what was taken for nothing: so many tokens at once, and so many a
/// second in the long run.
///
/// A bucket that is full again is forgotten: there are as many as keys that took something of late.
struct QuotaBuckets<Key: Hashable & Sendable>: Sendable {
    private struct Bucket {
        var tokens: Double
        var at: ContinuousClock.Instant
    }

    let perSecond: Double
    let burst: Double
    private var buckets: [Key: Bucket] = [:]
    /// With so many buckets, those that are full are looked for and forgotten.
    private var tidyingCount = 1_024

    /// - Precondition: both are more than 0.
    init(perSecond: Double, burst: Double) {
        precondition(perSecond > 0 && burst > 0, "a bucket that never fills lets nothing through")
        self.perSecond = perSecond
        self.burst = burst
    }

    /// How many buckets are kept.
    var count: Int { buckets.count }

    /// Takes tokens. A request for more than the burst is granted by a full bucket, which then owes the rest.
    ///
    /// - Returns: nil when they were taken; else the seconds after which they can be, and nothing was taken.
    mutating func take(_ count: Double, of key: Key, at now: ContinuousClock.Instant) -> Double? {
        let tokens = tokens(of: key, at: now)
        let needed = min(count, burst)
        guard tokens >= needed else { return (needed - tokens) / perSecond }
        buckets[key] = Bucket(tokens: tokens - count, at: now)
        forgetFullBuckets(at: now)
        return nil
    }

    /// Gives tokens back that were taken for nothing.
    mutating func giveBack(_ count: Double, to key: Key) {
        guard var bucket = buckets[key] else { return }
        bucket.tokens = min(burst, bucket.tokens + count)
        buckets[key] = bucket
    }

    /// The tokens that a key has.
    func tokens(of key: Key, at now: ContinuousClock.Instant) -> Double {
        buckets[key].map { refilled($0, at: now) } ?? burst
    }

    /// How much of the burst the key that has least left has used.
    func mostUsed(at now: ContinuousClock.Instant) -> Double {
        burst - buckets.values.reduce(burst) { min($0, refilled($1, at: now)) }
    }

    private func refilled(_ bucket: Bucket, at now: ContinuousClock.Instant) -> Double {
        min(burst, bucket.tokens + max(0, (now - bucket.at) / .seconds(1)) * perSecond)
    }

    private mutating func forgetFullBuckets(at now: ContinuousClock.Instant) {
        guard buckets.count >= tidyingCount else { return }
        buckets = buckets.filter { refilled($0.value, at: now) < burst }
        tidyingCount = max(1_024, buckets.count * 2)
    }
}
