import MusterCore
import Testing

@testable import MusterServer

@Suite struct LimiterTests {
    private static let start = Instant(seconds: 1_700_000_000)

    @Test func `tries run out by name and by address, and come back with time`() throws {
        let limiter = AttemptLimiter(
            name: .init(tries: 2, perSecond: 0.5), address: .init(tries: 3, perSecond: 1))
        let now = Self.start
        try limiter.take(name: "mia", address: "a", at: now)
        try limiter.take(name: "mia", address: "a", at: now)
        #expect(throws: IdentityFault.tooManyTries(retryAfterSeconds: 2)) {
            try limiter.take(name: "mia", address: "b", at: now)
        }
        // A refused try costs nothing, so the address has one left.
        try limiter.take(name: "max", address: "a", at: now)
        #expect(throws: IdentityFault.tooManyTries(retryAfterSeconds: 1)) {
            try limiter.take(name: "sue", address: "a", at: now)
        }
        try limiter.take(name: "mia", address: "b", at: now.advanced(bySeconds: 2))
    }

    @Test func `a try that succeeds is given back`() throws {
        let limiter = AttemptLimiter(name: .init(tries: 1, perSecond: 0.001))
        for _ in 0..<100 {
            try limiter.take(name: "mia", address: "a", at: Self.start)
            limiter.giveBack(name: "mia", address: "a", at: Self.start)
        }
        try limiter.take(name: "mia", address: "a", at: Self.start)
        #expect(throws: IdentityFault.self) { try limiter.take(name: "mia", address: "a", at: Self.start) }
    }

    @Test func `a clock that goes back gives nothing away`() throws {
        let limiter = AttemptLimiter(name: .init(tries: 1, perSecond: 1))
        try limiter.take(name: "mia", address: "a", at: Self.start)
        #expect(throws: IdentityFault.self) {
            try limiter.take(name: "mia", address: "a", at: Self.start.advanced(bySeconds: -3600))
        }
    }

    @Test func `whoever floods with names is forgotten first, and who guesses most last`() {
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
            cache.keep(entry, for: TokenDigest(of: "\(number)"), verifiedIn: cache.generation, at: Self.start)
            #expect(cache.count <= 64)
        }
        let newest = TokenDigest(of: "999")
        #expect(cache.entry(for: newest, at: Self.start.advanced(bySeconds: 299)) != nil)
        #expect(cache.entry(for: newest, at: Self.start.advanced(bySeconds: 300)) == nil)
    }

    @Test func `what was being verified while a credential changed is not kept`() {
        let cache = CredentialCache(capacity: 8, lifetimeSeconds: 300)
        let entry = CredentialCache.Entry(user: UserNumber(1), device: nil, proof: .password, expiresAt: nil)
        let digest = TokenDigest(of: "old password")
        let generation = cache.generation
        cache.forget { _ in false }
        cache.keep(entry, for: digest, verifiedIn: generation, at: Self.start)
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
    func `a name may be this`(_ name: String) { #expect(EntityName.isValid(name)) }

    @Test(arguments: ["", ".", "...", "a b", "é", "a/b", "a\u{0}", String(repeating: "x", count: 65), "%41"])
    func `a name may not be this`(_ name: String) { #expect(!EntityName.isValid(name)) }
}
