import MusterCore
import Testing

@testable import MusterServer

/// By which channels the question "where are you now?" went out.
@Suite struct LocationRequestsTests {
    private let requests = LocationRequests()
    private let ana = UserNumber(1)
    private let phone = DeviceNumber(7)
    private let start = Instant(milliseconds: 1_000_500)

    private func after(_ seconds: Double) -> Instant { start.advanced(bySeconds: seconds) }

    @Test func `a phone is asked again each minute, until the question ends`() {
        requests.recordQuestion(to: ana, by: UserNumber(2), at: start)
        let told = stride(from: 0.0, to: 700, by: 20).filter {
            requests.takeCommand(for: phone, of: ana, located: nil, now: after($0))
        }
        #expect(told == [0, 60, 120, 180, 240, 300, 360, 420, 480, 540])
        #expect(requests.question(to: ana)?.sendings.map(\.at) == [after(540)])
    }

    @Test func `a position of the question's second answers it, and one of the second before does not`() {
        requests.recordQuestion(to: ana, by: UserNumber(2), at: start)
        #expect(!requests.takeCommand(for: phone, of: ana, located: Instant(milliseconds: 1_000_000), now: after(1)))
        #expect(requests.takeCommand(for: phone, of: ana, located: Instant(milliseconds: 999_999), now: after(1)))
        #expect(!requests.takeCommand(for: phone, of: UserNumber(3), located: nil, now: after(1)))
    }

    @Test func `an outcome for an earlier question is not recorded for the next one`() {
        requests.recordQuestion(to: ana, by: UserNumber(2), at: start)
        requests.recordOutcome(through: .liveFeed, to: ana, asked: start, at: after(1))
        let former = requests.recordQuestion(to: ana, by: UserNumber(3), at: after(2))
        #expect(former?.sendings.map(\.channel) == [.liveFeed])
        let push = LocationRequests.Channel.push(device: "d", .fcm)
        requests.recordOutcome("failed", through: push, reason: "answered 500", to: ana, asked: start, at: after(3))
        #expect(requests.question(to: ana)?.sendings == [])
        requests.recordOutcome("failed", through: push, reason: "answered 500", to: ana, asked: after(2), at: after(3))
        requests.recordOutcome("delivered", through: push, to: ana, asked: after(2), at: after(8))
        #expect(requests.question(to: ana)?.sendings.map(\.outcome) == ["delivered"])
        requests.restore(former, to: ana)
        #expect(requests.question(to: ana)?.author == UserNumber(2))
    }

    @Test func `beyond the limit ended questions are forgotten first, and then the oldest`() {
        for number in 0...LocationRequests.limit {
            let user = UserNumber(Int32(number + 1))
            requests.recordQuestion(to: user, by: user, at: after(Double(number) / 1_000))
        }
        #expect(requests.question(to: UserNumber(1)) == nil)
        #expect(requests.question(to: UserNumber(2)) != nil)
        requests.recordQuestion(to: UserNumber(-1), by: ana, at: after(3_600))
        #expect(requests.question(to: UserNumber(2)) == nil)
        #expect(requests.question(to: UserNumber(-1)) != nil)
    }
}
