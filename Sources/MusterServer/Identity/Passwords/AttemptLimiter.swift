package import MusterCore
import MusterHTTP
import Synchronization

/// The rate limiter of sign-ins, against brute force. It slows down guessing of passwords with three sets of token
/// buckets: one bucket for each name at each address, one for each address, and one for each name at any address. A
/// successful attempt is given back.
///
/// Addresses are grouped by `AddressPrefix`. An empty bucket of the first two sets refuses the attempt. An empty bucket
/// of a name refuses nothing, so strangers who guess a user's password cannot lock the user out: there is no account
/// lockout. Instead, attempts at that name from places where the user has not signed in lately wait behind all others
/// (`PasswordHasher.Urgency`).
package final class AttemptLimiter: Sendable {
    /// The number of attempts a full bucket holds, and how many it regains each second.
    package struct Allowance: Sendable {
        package var tries: Double
        package var perSecond: Double

        package init(tries: Double, perSecond: Double) {
            self.tries = tries
            self.perSecond = perSecond
        }
    }

    private struct Buckets {
        /// Buckets for each name at each address.
        var pairs: TokenBuckets
        var addresses: TokenBuckets
        var names: TokenBuckets
    }

    private let buckets: Mutex<Buckets>

    /// Ten attempts for a name at an address; sixty for an address, because people share addresses; thirty for a name
    /// before it is suspected. All buckets fill again within minutes.
    package init(
        name: Allowance = Allowance(tries: 10, perSecond: 1.0 / 6),
        address: Allowance = Allowance(tries: 60, perSecond: 1),
        suspicion: Allowance = Allowance(tries: 30, perSecond: 0.1), capacity: Int = 10_000
    ) {
        buckets = Mutex(
            Buckets(
                pairs: TokenBuckets(name, capacity: capacity), addresses: TokenBuckets(address, capacity: capacity),
                names: TokenBuckets(suspicion, capacity: capacity)))
    }

    /// Counts an attempt.
    ///
    /// - Returns: whether many attempts at the name have been made lately, from any address.
    /// - Throws: `IdentityError.tooManyTries` when the bucket of the name at the address, or of the address, is empty;
    ///   then neither is charged.
    @discardableResult
    package func spendAttempt(name: String, address: String, at now: Instant) throws(IdentityError) -> Bool {
        let prefix = AddressPrefix.of(address)
        let pair = Self.pair(name, prefix)
        let (wait, isSuspected) = buckets.withLock { buckets in
            let wait = max(
                buckets.pairs.secondsUntilOne(for: pair, at: now),
                buckets.addresses.secondsUntilOne(for: prefix, at: now))
            let isSuspected = buckets.names.secondsUntilOne(for: name, at: now) > 0
            if wait == 0 {
                buckets.pairs.add(-1, for: pair, at: now)
                buckets.addresses.add(-1, for: prefix, at: now)
                if !isSuspected { buckets.names.add(-1, for: name, at: now) }
            }
            return (wait, isSuspected)
        }
        if wait > 0 { throw .tooManyTries(retryAfterSeconds: Int(wait.rounded(.up))) }
        return isSuspected
    }

    /// Whether many attempts at a name have been made lately, from any address.
    func isSuspected(_ name: String, at now: Instant) -> Bool {
        buckets.withLock { $0.names.secondsUntilOne(for: name, at: now) > 0 }
    }

    /// Gives back an attempt that succeeded.
    func giveBack(name: String, address: String, at now: Instant) {
        let prefix = AddressPrefix.of(address)
        buckets.withLock { buckets in
            buckets.pairs.add(1, for: Self.pair(name, prefix), at: now)
            buckets.addresses.add(1, for: prefix, at: now)
            buckets.names.add(1, for: name, at: now)
        }
    }

    private static func pair(_ name: String, _ prefix: String) -> String { "\(prefix) \(name)" }
}

/// A rate limiter: how often each key, such as a user or an access key, may send a request.
package final class RequestRates: Sendable {
    private let buckets: Mutex<TokenBuckets>

    package init(_ allowance: AttemptLimiter.Allowance, capacity: Int = 10_000) {
        buckets = Mutex(TokenBuckets(allowance, capacity: capacity))
    }

    /// Counts a request.
    ///
    /// - Returns: 0 when it may be carried out; else in how many seconds the next one may, rounded up.
    package func spendRequest(_ key: String, at now: Instant) -> Int {
        Int(buckets.withLock { $0.spendOne(for: key, at: now) }.rounded(.up))
    }
}

/// Token buckets by key, all of one size. Stores at most `capacity` buckets that are not full.
package struct TokenBuckets {
    private var levels: [String: (level: Double, at: Instant)] = [:]
    private let allowance: AttemptLimiter.Allowance
    private let capacity: Int

    package init(_ allowance: AttemptLimiter.Allowance, capacity: Int) {
        self.allowance = allowance
        self.capacity = capacity
    }

    /// The number of seconds until the bucket has a token; 0 when it has one.
    package func secondsUntilOne(for key: String, at now: Instant) -> Double {
        let missing = 1 - level(of: key, at: now)
        return missing <= 0 ? 0 : missing / allowance.perSecond
    }

    /// Takes a token if there is one.
    ///
    /// - Returns: 0 if a token was taken; otherwise the number of seconds until there is one.
    mutating func spendOne(for key: String, at now: Instant) -> Double {
        let wait = secondsUntilOne(for: key, at: now)
        if wait == 0 { add(-1, for: key, at: now) }
        return wait
    }

    /// Adds tokens, or takes them where `amount` is negative.
    package mutating func add(_ amount: Double, for key: String, at now: Instant) {
        let level = min(level(of: key, at: now) + amount, allowance.tries)
        if level >= allowance.tries {
            levels[key] = nil
            return
        }
        if levels.count >= capacity, levels[key] == nil { makeRoom(at: now) }
        levels[key] = (level, now)
    }

    package var count: Int { levels.count }

    private func level(of key: String, at now: Instant) -> Double {
        guard let (level, at) = levels[key] else { return allowance.tries }
        return min(level + max(0, now.seconds(since: at)) * allowance.perSecond, allowance.tries)
    }

    /// Drops the full buckets. When that is not enough, drops the fuller half, so that the most attempted keys stay.
    private mutating func makeRoom(at now: Instant) {
        levels = levels.filter { level(of: $0.key, at: now) < allowance.tries }
        guard levels.count >= capacity else { return }
        let byLevel = levels.keys.sorted { level(of: $0, at: now) < level(of: $1, at: now) }
        for key in byLevel.suffix(from: capacity / 2) { levels[key] = nil }
    }
}
