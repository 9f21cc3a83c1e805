import MusterCore
import Synchronization

/// Slows down guessing: a bucket of tries for each name and for each address. A try that succeeds is given back.
final class AttemptLimiter: Sendable {
    /// How many tries there are at once, and how fast they come back.
    struct Allowance: Sendable {
        var tries: Double
        var perSecond: Double
    }

    private let buckets: Mutex<(names: TokenBuckets, addresses: TokenBuckets)>

    /// Ten tries for a name, sixty for an address (people share one), both filled again within a minute or two.
    init(
        name: Allowance = Allowance(tries: 10, perSecond: 1.0 / 6),
        address: Allowance = Allowance(tries: 60, perSecond: 1), capacity: Int = 10_000
    ) {
        buckets = Mutex((TokenBuckets(name, capacity: capacity), TokenBuckets(address, capacity: capacity)))
    }

    /// Takes a try for both.
    ///
    /// - Throws: `IdentityFault.tooManyTries` when either has none left; then neither is charged.
    func take(name: String, address: String, at now: Instant) throws(IdentityFault) {
        let wait = buckets.withLock { buckets in
            let wait = max(
                buckets.names.secondsUntilOne(for: name, at: now),
                buckets.addresses.secondsUntilOne(for: address, at: now))
            if wait == 0 {
                buckets.names.add(-1, for: name, at: now)
                buckets.addresses.add(-1, for: address, at: now)
            }
            return wait
        }
        if wait > 0 { throw .tooManyTries(retryAfterSeconds: Int(wait.rounded(.up))) }
    }

    /// Gives a try back that succeeded.
    func giveBack(name: String, address: String, at now: Instant) {
        buckets.withLock { buckets in
            buckets.names.add(1, for: name, at: now)
            buckets.addresses.add(1, for: address, at: now)
        }
    }
}

/// Token buckets by key, all of one size. Remembers at most `capacity` that are not full.
struct TokenBuckets {
    private var levels: [String: (level: Double, at: Instant)] = [:]
    private let allowance: AttemptLimiter.Allowance
    private let capacity: Int

    init(_ allowance: AttemptLimiter.Allowance, capacity: Int) {
        self.allowance = allowance
        self.capacity = capacity
    }

    /// How many seconds until there is one to take; 0 when there is.
    func secondsUntilOne(for key: String, at now: Instant) -> Double {
        let missing = 1 - level(of: key, at: now)
        return missing <= 0 ? 0 : missing / allowance.perSecond
    }

    /// Adds or takes.
    mutating func add(_ amount: Double, for key: String, at now: Instant) {
        let level = min(level(of: key, at: now) + amount, allowance.tries)
        if level >= allowance.tries {
            levels[key] = nil
            return
        }
        if levels.count >= capacity, levels[key] == nil { makeRoom(at: now) }
        levels[key] = (level, now)
    }

    /// How many are remembered.
    var count: Int { levels.count }

    private func level(of key: String, at now: Instant) -> Double {
        guard let (level, at) = levels[key] else { return allowance.tries }
        return min(level + max(0, now.seconds(since: at)) * allowance.perSecond, allowance.tries)
    }

    /// Drops the full ones; when that is not enough, the fuller half: whoever guesses most is remembered longest.
    private mutating func makeRoom(at now: Instant) {
        levels = levels.filter { level(of: $0.key, at: now) < allowance.tries }
        guard levels.count >= capacity else { return }
        let byLevel = levels.keys.sorted { level(of: $0, at: now) < level(of: $1, at: now) }
        for key in byLevel.suffix(from: capacity / 2) { levels[key] = nil }
    }
}
