import MusterCore
import MusterGeometry
import Synchronization
import Testing

@testable import MusterServer

/// Codes, rates and the answers that are kept.
@Suite struct TextSendersTests {
    private let ana = UserNumber(1)
    private let start = Instant(milliseconds: 1_764_500_000_000)
    private let place = Coordinate(validLatitude: 43.5665, longitude: -6.058)

    private final class Clock: Sendable {
        private let moved = Mutex(Duration.zero)
        private let start = ContinuousClock.now
        var now: ContinuousClock.Instant { start + moved.withLock { $0 } }
        func advance(bySeconds seconds: Int) { moved.withLock { $0 += .seconds(seconds) } }
    }

    private func makeSenders(_ clock: Clock = Clock()) -> TextSenders {
        let counter = Mutex(UInt8(0))
        return TextSenders(
            country: nil, waitClock: { clock.now },
            randomBytes: { count in
                counter.withLock { $0 += 1 }
                return [UInt8](repeating: 0, count: count - 1) + [counter.withLock { $0 }]
            })
    }

    @Test func `a code counts once, for its person, until its time is over`() {
        let senders = makeSenders()
        let code = senders.openCode(of: ana, at: place, after: nil, now: start)
        #expect(code == "000001")
        #expect(senders.openCode(of: ana, at: nil, after: nil, now: start.advanced(bySeconds: 60)) == code)
        #expect(senders.matchingCode(code, of: UserNumber(2), now: start) == nil)
        let late = start.advanced(bySeconds: 15 * 60)
        #expect(senders.matchingCode(code, of: ana, now: late) == nil)
        let open = senders.matchingCode(code, of: ana, now: start.advanced(bySeconds: 899))
        #expect(open?.place == place && open?.openedAt == start)
        #expect(senders.matchingCode(code, of: ana, now: start) == open, "a code is open until it is closed")
        senders.closeCode(open, of: ana)
        #expect(senders.matchingCode(code, of: ana, now: start) == nil)
        #expect(senders.openCode(of: ana, at: nil, after: nil, now: start) != code)
    }

    @Test func `a code from before something newer is replaced`() throws {
        let senders = makeSenders()
        let code = senders.openCode(of: ana, at: nil, after: start.advanced(bySeconds: -1), now: start)
        let former = try #require(senders.matchingCode(code, of: ana, now: start))
        let later = start.advanced(bySeconds: 60)
        #expect(senders.openCode(of: ana, at: nil, after: start.advanced(bySeconds: -1), now: later) == code)
        let next = senders.openCode(of: ana, at: nil, after: start, now: later)
        #expect(next != code)
        #expect(senders.matchingCode(next, of: ana, now: later)?.openedAt == later)
        senders.closeCode(former, of: ana)
        #expect(senders.matchingCode(next, of: ana, now: later) != nil, "the end of one code is not that of the next")
        senders.closeCode(of: ana)
        #expect(senders.matchingCode(next, of: ana, now: later) == nil)
    }

    @Test func `after five wrong codes the right one is wrong, too, for a while`() {
        let clock = Clock()
        let senders = makeSenders(clock)
        let code = senders.openCode(of: ana, at: nil, after: nil, now: start)
        for _ in 0..<5 { #expect(senders.matchingCode("999999", of: ana, now: start) == nil) }
        #expect(senders.matchingCode(code, of: ana, now: start) == nil)
        clock.advance(bySeconds: 3_600 / 5 + 1)
        #expect(senders.matchingCode(code, of: ana, now: start) != nil)
    }

    @Test func `ten texts are answered at once, and one a minute after that`() {
        let clock = Clock()
        let senders = makeSenders(clock)
        #expect((0..<12).count { _ in senders.admitText(of: ana, .other) } == 10)
        #expect(senders.admitText(of: UserNumber(2), .other))
        clock.advance(bySeconds: 61)
        #expect((0..<12).count { _ in senders.admitText(of: ana, .other) } == 1)
        #expect((0..<12).count { _ in senders.admitText(of: ana, .call) } == 10, "calls are counted apart")
    }

    @Test func `three texts that say nothing are answered in an hour`() {
        let clock = Clock()
        let senders = makeSenders(clock)
        #expect((0..<5).count { _ in senders.admitText(of: ana, .unknown) } == 3)
        #expect(senders.admitText(of: ana, .other))
        clock.advance(bySeconds: 1_201)
        #expect((0..<5).count { _ in senders.admitText(of: ana, .unknown) } == 1)
    }

    @Test func `the newest answers are kept`() {
        let senders = makeSenders()
        for number in 0...TextSenders.answerLimit { senders.storeAnswer("\(number)", toID: "\(number)") }
        #expect(senders.formerAnswer(toID: "0") == nil)
        #expect(senders.formerAnswer(toID: "1") == "1")
        senders.storeAnswer("again", toID: "1")
        #expect(senders.formerAnswer(toID: "1") == "again")
        #expect(senders.formerAnswer(toID: "\(TextSenders.answerLimit)") == "\(TextSenders.answerLimit)")
    }
}
