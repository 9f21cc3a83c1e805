import Testing

@testable import MusterServer

@Suite struct QuotaBucketsTests {
    private let start = ContinuousClock.now

    private func after(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func `the queue of a phone that was offline for three days goes through at once`() {
        let settings = QuotaSettings()
        var buckets = QuotaBuckets<Int>(perSecond: settings.positionsPerSecond, burst: settings.positionBurst)
        let queued = 3 * 86_400 / 10
        for _ in 0..<queued / 1_000 + 1 { #expect(buckets.spendTokens(1_000, of: 1, at: start) == nil) }
    }

    @Test func `an empty bucket says how long to wait for the tokens asked for`() {
        var buckets = QuotaBuckets<Int>(perSecond: 2, burst: 10)
        #expect(buckets.spendTokens(10, of: 1, at: start) == nil)
        #expect(buckets.spendTokens(4, of: 1, at: start) == 2)
        #expect(buckets.spendTokens(4, of: 1, at: after(1)) == 1)
        #expect(buckets.spendTokens(4, of: 1, at: after(2)) == nil)
        #expect(buckets.spendTokens(1, of: 1, at: after(2)) == 0.5)
    }

    @Test func `each key has a bucket of its own`() {
        var buckets = QuotaBuckets<Int>(perSecond: 1, burst: 10)
        #expect(buckets.spendTokens(10, of: 1, at: start) == nil)
        #expect(buckets.spendTokens(10, of: 2, at: start) == nil)
    }

    @Test func `a request for more than the burst is granted once and paid for afterwards`() {
        var buckets = QuotaBuckets<Int>(perSecond: 1, burst: 10)
        #expect(buckets.spendTokens(30, of: 1, at: start) == nil)
        #expect(buckets.spendTokens(1, of: 1, at: start) == 21)
        #expect(buckets.spendTokens(1, of: 1, at: after(21)) == nil)
    }

    @Test func `returned tokens never exceed the burst`() {
        var buckets = QuotaBuckets<Int>(perSecond: 1, burst: 10)
        #expect(buckets.spendTokens(10, of: 1, at: start) == nil)
        buckets.giveBack(10, to: 1)
        buckets.giveBack(10, to: 1)
        #expect(buckets.tokens(of: 1, at: start) == 10)
    }

    @Test func `a clock that goes back takes nothing away`() {
        var buckets = QuotaBuckets<Int>(perSecond: 1, burst: 10)
        #expect(buckets.spendTokens(5, of: 1, at: after(100)) == nil)
        #expect(buckets.spendTokens(5, of: 1, at: start) == nil)
    }

    @Test func `buckets that are full again are forgotten`() {
        var buckets = QuotaBuckets<Int>(perSecond: 1, burst: 10)
        for key in 0..<1_023 { #expect(buckets.spendTokens(1, of: key, at: start) == nil) }
        #expect(buckets.count == 1_023)
        #expect(buckets.spendTokens(1, of: 5_000, at: after(2)) == nil)
        #expect(buckets.count == 1)
    }
}
