import MusterCore
import MusterStore
import Testing

@testable import MusterServer

struct UnstoredSessionsTests {
    private let start = Instant(seconds: 1_700_000_000)

    private let ann = UserNumber(1)

    private func credential(
        _ number: Int, secret: UInt8, of user: UserNumber = UserNumber(1), at seconds: Double = 0
    ) -> Credential {
        let moment = start.advanced(bySeconds: seconds)
        return Credential(
            kind: .refreshToken, key: key(number), user: user, secret: [secret], createdAt: moment,
            expiresAt: moment.advanced(bySeconds: UnstoredSessions.lifetimeSeconds))
    }

    private func key(_ number: Int) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }

    @Test func `a session in memory outranks the stored one`() {
        let sessions = UnstoredSessions()
        let stored = credential(1, secret: 1)
        #expect(sessions.session(key(1), stored: stored) == stored)
        #expect(sessions.refresh(key(1), stored: stored) { _ in credential(1, secret: 2) } == .open)
        #expect(sessions.session(key(1), stored: stored)?.secret == [2])
        #expect(sessions.refresh(key(1), stored: stored) { _ in nil } == .over)
        #expect(sessions.session(key(1), stored: stored) == nil)
    }

    @Test func `a session that changes while it is stored stays in memory`() {
        let sessions = UnstoredSessions()
        for number in 1...2 { #expect(sessions.begin(credential(number, secret: 1), of: ann, at: start)) }
        let stored = sessions.all
        #expect(sessions.refresh(key(1), stored: nil) { _ in credential(1, secret: 2) } == .open)
        sessions.forget(stored)
        #expect(sessions.session(key(1), stored: nil)?.secret == [2])
        #expect(!sessions.holds(key(2)))
    }

    @Test func `a user holds no more sessions than the share, and the user's oldest is dropped`() {
        let sessions = UnstoredSessions()
        let share = UnstoredSessions.shareOfUser
        // What stands before a stored session never gives way: the stored one would be good again.
        #expect(sessions.refresh(key(0), stored: credential(0, secret: 1)) { _ in nil } == .over)
        for number in 1...share {
            #expect(sessions.begin(credential(number, secret: 1, at: Double(number)), of: ann, at: start))
        }
        #expect(sessions.all.count == share)
        #expect(!sessions.holds(key(1)) && sessions.holds(key(2)) && sessions.holds(key(share)))
        #expect(sessions.session(key(0), stored: credential(0, secret: 1)) == nil)
        #expect(sessions.refresh(key(share + 1), stored: credential(share + 1, secret: 1)) { $0 } == .full)
        // Others are none the worse, and those that are held are still refreshed and ended.
        #expect(sessions.begin(credential(-1, secret: 1, of: UserNumber(2)), of: UserNumber(2), at: start))
        #expect(sessions.refresh(key(2), stored: nil) { $0 } == .open)
    }

    @Test func `no more sessions are held in total than may be, and those that are over make room`() {
        let sessions = UnstoredSessions()
        for number in 0..<UnstoredSessions.capacity {
            let user = UserNumber(Int32(number / UnstoredSessions.shareOfUser + 1))
            #expect(sessions.begin(credential(number, secret: 1, of: user), of: user, at: start))
        }
        let (other, next) = (UserNumber(30_000), UnstoredSessions.capacity)
        #expect(!sessions.begin(credential(next, secret: 1, of: other), of: other, at: start))
        #expect(sessions.refresh(key(next), stored: credential(next, secret: 1, of: other)) { $0 } == .full)
        let later = start.advanced(bySeconds: 3601)
        #expect(sessions.begin(credential(next, secret: 1, of: other), of: other, at: later))
        #expect(sessions.all.count == 1)
    }

    @Test func `a session that has ended, or is not there, is not refreshed`() {
        let sessions = UnstoredSessions()
        #expect(sessions.refresh(key(1), stored: nil) { $0 } == .over)
        #expect(sessions.refresh(key(1), stored: credential(1, secret: 1)) { _ in nil } == .over)
        #expect(sessions.refresh(key(1), stored: credential(1, secret: 1)) { $0 } == .over)
    }
}
