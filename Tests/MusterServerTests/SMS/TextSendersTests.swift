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
        let code = senders.openCode(of: ana, at: place, now: start)
        #expect(code == "000001")
        #expect(senders.openCode(of: ana, at: nil, now: start.advanced(bySeconds: 60)) == code)
        #expect(!senders.useCode(code, of: UserNumber(2), now: start).isRight)
        let late = start.advanced(bySeconds: 15 * 60)
        #expect(!senders.useCode(code, of: ana, now: late).isRight)
        let use = senders.useCode(code, of: ana, now: start.advanced(bySeconds: 899))
        #expect(use.isRight && use.place == place)
        #expect(!senders.useCode(code, of: ana, now: start).isRight)
        #expect(senders.openCode(of: ana, at: nil, now: start) != code)
    }

    @Test func `after five wrong codes the right one is wrong, too, for a while`() {
        let clock = Clock()
        let senders = makeSenders(clock)
        let code = senders.openCode(of: ana, at: nil, now: start)
        for _ in 0..<5 { #expect(!senders.useCode("999999", of: ana, now: start).isRight) }
        #expect(!senders.useCode(code, of: ana, now: start).isRight)
        clock.advance(bySeconds: 3_600 / 5 + 1)
        #expect(senders.useCode(code, of: ana, now: start).isRight)
    }

    @Test func `ten texts are answered at once, and one a minute after that`() {
        let clock = Clock()
        let senders = makeSenders(clock)
        #expect((0..<12).count { _ in senders.admitText(of: ana) } == 10)
        #expect(senders.admitText(of: UserNumber(2)))
        clock.advance(bySeconds: 61)
        #expect((0..<12).count { _ in senders.admitText(of: ana) } == 1)
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
