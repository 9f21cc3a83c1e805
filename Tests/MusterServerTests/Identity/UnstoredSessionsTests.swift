import MusterCore
import MusterStore
import Testing

@testable import MusterServer

struct UnstoredSessionsTests {
    private let start = Instant(seconds: 1_700_000_000)

    private func credential(_ number: Int, secret: UInt8, livesFor seconds: Double = 3600) -> Credential {
        Credential(
            kind: .refreshToken, key: key(number), user: UserNumber(Int32(number % 1000)), secret: [secret],
            createdAt: start, expiresAt: start.advanced(bySeconds: seconds))
    }

    private func key(_ number: Int) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }

    @Test func `what is held in memory stands before what is stored`() {
        let sessions = UnstoredSessions()
        let stored = credential(1, secret: 1)
        #expect(sessions.session(key(1), stored: stored) == stored)
        #expect(sessions.put(key(1), .open(credential(1, secret: 2)), at: start))
        #expect(sessions.session(key(1), stored: stored)?.secret == [2])
        #expect(sessions.put(key(1), .ended(start), at: start))
        #expect(sessions.session(key(1), stored: stored) == nil)
    }

    @Test func `a session that changes while it is stored stays in memory`() {
        let sessions = UnstoredSessions()
        for number in 1...2 { #expect(sessions.put(key(number), .open(credential(number, secret: 1)), at: start)) }
        let stored = sessions.all
        #expect(sessions.replace(key(1), stored: nil, at: start) { _ in .open(credential(1, secret: 2)) })
        sessions.forget(stored)
        #expect(sessions.session(key(1), stored: nil)?.secret == [2])
        #expect(!sessions.holds(key(2)))
    }

    @Test func `no more sessions are held than may be, and those that are over make room`() {
        let sessions = UnstoredSessions()
        for number in 0..<UnstoredSessions.capacity {
            #expect(sessions.put(key(number), .open(credential(number, secret: 1)), at: start))
        }
        let (extra, another) = (UnstoredSessions.capacity, UnstoredSessions.capacity + 1)
        #expect(!sessions.put(key(extra), .open(credential(extra, secret: 1)), at: start))
        #expect(!sessions.replace(key(extra), stored: credential(extra, secret: 1), at: start) { .open($0) })
        // Those that are held are still refreshed and ended.
        #expect(sessions.put(key(0), .ended(start), at: start))
        let later = start.advanced(bySeconds: 3601)
        #expect(sessions.put(key(another), .open(credential(another, secret: 1, livesFor: 7200)), at: later))
        #expect(sessions.session(key(0), stored: credential(0, secret: 1)) == nil, "an ended session is forgotten")
    }

    @Test func `one user's sign-ins take the place of that user's oldest session and of nobody else's`() {
        let sessions = UnstoredSessions()
        #expect(sessions.put(key(1), .open(credential(1, secret: 1)), at: start))
        let own = (0...UnstoredSessions.capacityOfUser).map { 2 + 1000 * $0 }
        for number in own { #expect(sessions.put(key(number), .open(credential(number, secret: 1)), at: start)) }
        #expect(!sessions.holds(key(own[0])))
        for number in own.dropFirst() { #expect(sessions.holds(key(number))) }
        #expect(sessions.holds(key(1)))
    }

    @Test func `a session that has ended, or is not there, is not replaced`() {
        let sessions = UnstoredSessions()
        #expect(!sessions.replace(key(1), stored: nil, at: start) { .open($0) })
        #expect(sessions.put(key(1), .ended(start), at: start))
        #expect(!sessions.replace(key(1), stored: credential(1, secret: 1), at: start) { .open($0) })
    }
}
