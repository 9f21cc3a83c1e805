/// A rate limiter: token buckets by key, with `burst` tokens at once, and `perSecond` in the long run. Unused tokens
/// can be given back.
///
/// A bucket that is full again is dropped, so there are only buckets of keys that took tokens lately.
struct QuotaBuckets<Key: Hashable & Sendable>: Sendable {
    private struct Bucket {
        var tokens: Double
        var at: ContinuousClock.Instant
    }

    let perSecond: Double
    let burst: Double
    private var buckets: [Key: Bucket] = [:]
    /// The number of buckets at which full ones are looked for and dropped.
    private var tidyingCount = 1_024

    /// - Precondition: both are more than 0.
    init(perSecond: Double, burst: Double) {
        precondition(perSecond > 0 && burst > 0, "a bucket that never fills lets nothing through")
        self.perSecond = perSecond
        self.burst = burst
    }

    var count: Int { buckets.count }

    /// Takes tokens. A full bucket grants even a request for more than the burst, and then owes the rest.
    ///
    /// - Returns: nil when the tokens were taken; otherwise the seconds after which they can be, and none were taken.
    mutating func spendTokens(_ count: Double, of key: Key, at now: ContinuousClock.Instant) -> Double? {
        let tokens = tokens(of: key, at: now)
        let needed = min(count, burst)
        guard tokens >= needed else { return (needed - tokens) / perSecond }
        buckets[key] = Bucket(tokens: tokens - count, at: now)
        forgetFullBuckets(at: now)
        return nil
    }

    /// Takes tokens of several keys, of each as many as it needs or none.
    ///
    /// - Returns: the keys that have too few, each with the seconds after which it has enough.
    mutating func spendTokens(_ needed: [Key: Int], at now: ContinuousClock.Instant) -> [Key: Double] {
        var waits: [Key: Double] = [:]
        for (key, count) in needed { waits[key] = spendTokens(Double(count), of: key, at: now) }
        return waits
    }

    /// Takes tokens also where the bucket has too few, and then owes the rest.
    ///
    /// - Returns: the seconds after which the bucket owes nothing.
    mutating func spendTokensOnCredit(_ count: Double, of key: Key, at now: ContinuousClock.Instant) -> Double {
        let tokens = tokens(of: key, at: now) - count
        buckets[key] = Bucket(tokens: tokens, at: now)
        forgetFullBuckets(at: now)
        return max(0, -tokens / perSecond)
    }

    /// Gives back tokens that were not used.
    mutating func giveBack(_ count: Double, to key: Key) {
        guard var bucket = buckets[key] else { return }
        bucket.tokens = min(burst, bucket.tokens + count)
        buckets[key] = bucket
    }

    /// The number of tokens that a key has.
    func tokens(of key: Key, at now: ContinuousClock.Instant) -> Double {
        buckets[key].map { refilled($0, at: now) } ?? burst
    }

    /// How much of the burst has been used by the key that has used most.
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
