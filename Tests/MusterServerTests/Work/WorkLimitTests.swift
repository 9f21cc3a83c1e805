import MusterWire
import Synchronization
import Testing

@testable import MusterServer

@Suite struct WorkLimitTests {
    /// A clock that is moved by hand.
    private final class Clock: Sendable {
        private let time = Mutex(ContinuousClock.now)
        var now: ContinuousClock.Instant { time.withLock { $0 } }
        func advance(bySeconds seconds: Double) { time.withLock { $0 += .seconds(seconds) } }
    }

    @Test func `work ends after its limit of steps`() throws {
        let limit = WorkLimit(seconds: 60, steps: 10_000)
        var steps = 0
        while limit.spendSteps(1), steps < 1_000_000 { steps += 1 }
        #expect((10_000...10_300).contains(steps))
        #expect(limit.fault == .steps(limit: 10_000))
        #expect(throws: WorkLimit.InterruptionError.steps(limit: 10_000)) { try limit.check() }
    }

    @Test func `work ends at its deadline`() throws {
        let clock = Clock()
        let limit = WorkLimit(seconds: 5, steps: 1_000_000, now: { clock.now })
        try limit.check()
        clock.advance(bySeconds: 6)
        #expect(throws: WorkLimit.InterruptionError.deadline(seconds: 5)) { try limit.check() }
        #expect(!limit.spendSteps(1))
    }

    @Test func `work ends once its client has gone`() throws {
        let clock = Clock()
        let isGone = Mutex(false)
        let limit = WorkLimit(
            seconds: 5, steps: 1_000_000, now: { clock.now }, isAbandoned: { isGone.withLock { $0 } })
        try limit.check()
        isGone.withLock { $0 = true }
        #expect(throws: WorkLimit.InterruptionError.abandoned) { try limit.check() }
    }

    @Test func `a selector of many patterns is stopped with a fault`() throws {
        let conditions = (0..<300).map { #"{"text":{"$regex":"(a|aa)+\#($0)$"}}"# }.joined(separator: ",")
        let selector = try MusterWire.Selector(parsing: Array(#"{"$or":[\#(conditions)]}"#.utf8))
        let text = String(repeating: "a", count: 40) + "!"
        let document = try MusterWire.JSONValue(parsing: Array(#"{"text":"\#(text)"}"#.utf8))
        let limit = WorkLimit(seconds: 60, steps: 256 * 20)
        BoundedWork.$bound.withValue(limit) { #expect(!selector.matches(document)) }
        #expect(limit.fault == .steps(limit: 256 * 20))
        let enough = WorkLimit(seconds: 60, steps: 1_000_000)
        BoundedWork.$bound.withValue(enough) { #expect(!selector.matches(document)) }
        #expect(enough.fault == nil)
    }
}
