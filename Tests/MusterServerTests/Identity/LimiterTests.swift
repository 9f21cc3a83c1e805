import MusterCore
import Testing

@testable import MusterServer

@Suite struct LimiterTests {
    private static let start = Instant(seconds: 1_700_000_000)

    @Test func `sign-in attempts run out by name with address, and by address, and return with time`() throws {
        let limiter = AttemptLimiter(
            name: .init(tries: 2, perSecond: 0.5), address: .init(tries: 3, perSecond: 1))
        let now = Self.start
        try limiter.spendAttempt(name: "mia", address: "a", at: now)
        try limiter.spendAttempt(name: "mia", address: "a", at: now)
        #expect(throws: IdentityError.tooManyTries(retryAfterSeconds: 2)) {
            try limiter.spendAttempt(name: "mia", address: "a", at: now)
        }
        // A refused try costs nothing, so the address has one left.
        try limiter.spendAttempt(name: "max", address: "a", at: now)
        #expect(throws: IdentityError.tooManyTries(retryAfterSeconds: 1)) {
            try limiter.spendAttempt(name: "sue", address: "a", at: now)
        }
        try limiter.spendAttempt(name: "mia", address: "a", at: now.advanced(bySeconds: 2))
    }

    @Test func `guesses at a name lock out no other address, and mark the name as suspected`() throws {
        let limiter = AttemptLimiter(
            name: .init(tries: 2, perSecond: 0.01), suspicion: .init(tries: 10, perSecond: 0.01))
        for stranger in 0..<5 {
            for _ in 0..<2 {
                #expect(try !limiter.spendAttempt(name: "mia", address: "198.51.100.\(stranger)", at: Self.start))
            }
        }
        #expect(try limiter.spendAttempt(name: "mia", address: "192.0.2.1", at: Self.start))
        #expect(try !limiter.spendAttempt(name: "max", address: "192.0.2.1", at: Self.start))
    }

    @Test func `a name stays suspected while it has no tries left, and asking costs none`() throws {
        let limiter = AttemptLimiter(suspicion: .init(tries: 3, perSecond: 0.1))
        let now = Instant(milliseconds: 0)
        for host in 1...3 {
            #expect(!limiter.isSuspected("ana", at: now))
            try limiter.spendAttempt(name: "ana", address: "192.0.2.\(host)", at: now)
        }
        #expect(limiter.isSuspected("ana", at: now) && !limiter.isSuspected("ben", at: now))
        #expect(!limiter.isSuspected("ana", at: now.advanced(bySeconds: 11)))
    }

    @Test func `a household of IPv6 addresses has the tries of one address`() throws {
        let limiter = AttemptLimiter(name: .init(tries: 1, perSecond: 0.01))
        try limiter.spendAttempt(name: "mia", address: "2001:db8:1:2::1", at: Self.start)
        #expect(throws: IdentityError.self) {
            try limiter.spendAttempt(name: "mia", address: "2001:db8:1:2::2", at: Self.start)
        }
        try limiter.spendAttempt(name: "mia", address: "2001:db8:1:3::2", at: Self.start)
    }

    @Test func `a recent sign-in makes an address known, for a limited time and number`() {
        let recent = RecentSignIns(capacity: 100, lifetimeSeconds: 60)
        recent.record(UserNumber(1), from: "192.0.2.1", at: Self.start)
        #expect(recent.knows(UserNumber(1), from: "192.0.2.1", at: Self.start.advanced(bySeconds: 59)))
        #expect(recent.knows(nil, from: "192.0.2.1", at: Self.start))
        #expect(!recent.knows(UserNumber(2), from: "192.0.2.1", at: Self.start))
        #expect(!recent.knows(UserNumber(1), from: "192.0.2.1", at: Self.start.advanced(bySeconds: 61)))
        for number in 2..<1_000 {
            recent.record(
                UserNumber(Int32(number)), from: "198.51.100.\(number % 250)",
                at: Self.start.advanced(bySeconds: Double(number)))
        }
        #expect(!recent.knows(UserNumber(1), from: "192.0.2.1", at: Self.start))
    }

    @Test func `a try that succeeds is given back`() throws {
        let limiter = AttemptLimiter(name: .init(tries: 1, perSecond: 0.001))
        for _ in 0..<100 {
            try limiter.spendAttempt(name: "mia", address: "a", at: Self.start)
            limiter.giveBack(name: "mia", address: "a", at: Self.start)
        }
        try limiter.spendAttempt(name: "mia", address: "a", at: Self.start)
        #expect(throws: IdentityError.self) { try limiter.spendAttempt(name: "mia", address: "a", at: Self.start) }
    }

    @Test func `a clock that goes back gives nothing away`() throws {
        let limiter = AttemptLimiter(name: .init(tries: 1, perSecond: 1))
        try limiter.spendAttempt(name: "mia", address: "a", at: Self.start)
        #expect(throws: IdentityError.self) {
            try limiter.spendAttempt(name: "mia", address: "a", at: Self.start.advanced(bySeconds: -3600))
        }
    }

    @Test func `the bucket with the most tries is forgotten last`() {
        var buckets = TokenBuckets(.init(tries: 10, perSecond: 0.001), capacity: 100)
        buckets.add(-10, for: "victim", at: Self.start)
        for number in 0..<1000 { buckets.add(-1, for: "flood \(number)", at: Self.start) }
        #expect(buckets.secondsUntilOne(for: "victim", at: Self.start) > 0)
        #expect(buckets.count <= 100)
    }

    @Test func `verified credentials are bounded in number and time`() {
        let cache = CredentialCache(capacity: 64, lifetimeSeconds: 300)
        let entry = CredentialCache.Entry(user: UserNumber(1), device: nil, proof: .apiKey, expiresAt: nil)
        for number in 0..<1000 {
            cache.storeEntry(entry, for: TokenDigest(of: "\(number)"), verifiedIn: cache.generation, at: Self.start)
            #expect(cache.count <= 64)
        }
        let newest = TokenDigest(of: "999")
        #expect(cache.entry(for: newest, at: Self.start.advanced(bySeconds: 299)) != nil)
        #expect(cache.entry(for: newest, at: Self.start.advanced(bySeconds: 300)) == nil)
    }

    @Test func `one user's many credentials do not displace others'`() {
        let cache = CredentialCache(capacity: 64, lifetimeSeconds: 300)
        func store(_ name: String, of user: Int32) {
            let entry = CredentialCache.Entry(user: UserNumber(user), device: nil, proof: .amazonKey, expiresAt: nil)
            cache.storeEntry(entry, for: TokenDigest(of: name), verifiedIn: cache.generation, at: Self.start)
        }
        for user: Int32 in 2...9 { store("key of \(user)", of: user) }
        for number in 0..<1000 { store("scope \(number)", of: 1) }
        for user: Int32 in 2...9 {
            #expect(cache.entry(for: TokenDigest(of: "key of \(user)"), at: Self.start) != nil, "user \(user)")
        }
        #expect(cache.count <= 64)
    }

    @Test func `a verification that ran while credentials changed is not cached`() {
        let cache = CredentialCache(capacity: 8, lifetimeSeconds: 300)
        let entry = CredentialCache.Entry(user: UserNumber(1), device: nil, proof: .password, expiresAt: nil)
        let digest = TokenDigest(of: "old password")
        let generation = cache.generation
        cache.forget { _ in false }
        cache.storeEntry(entry, for: digest, verifiedIn: generation, at: Self.start)
        #expect(cache.entry(for: digest, at: Self.start) == nil)
    }

    @Test func `one-time codes are good once, for ten minutes, and bounded`() {
        let codes = OneTimeCodes()
        let first = codes.issue(for: UserNumber(1), at: Self.start)
        let second = codes.issue(for: UserNumber(2), at: Self.start)
        #expect(codes.redeem(first, at: Self.start.advanced(bySeconds: 599)) == UserNumber(1))
        #expect(codes.redeem(first, at: Self.start) == nil)
        #expect(codes.redeem(second, at: Self.start.advanced(bySeconds: 600)) == nil)
        let oldest = codes.issue(for: UserNumber(3), at: Self.start)
        for number in 0..<OneTimeCodes.capacity {
            _ = codes.issue(for: UserNumber(4), at: Self.start.advanced(bySeconds: 1 + Double(number) / 1000))
        }
        #expect(codes.redeem(oldest, at: Self.start) == nil)
    }

    @Test(arguments: ["a", "A.b_c-d@e", String(repeating: "x", count: 64), "..a"])
    func `a valid entity name is accepted`(_ name: String) { #expect(EntityName.isValid(name)) }

    @Test(arguments: ["", ".", "...", "a b", "é", "a/b", "a\u{0}", String(repeating: "x", count: 65), "%41"])
    func `an invalid entity name is refused`(_ name: String) { #expect(!EntityName.isValid(name)) }
}
