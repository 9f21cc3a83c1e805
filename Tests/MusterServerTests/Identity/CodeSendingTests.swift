import MusterCore
import Testing

@testable import MusterServer

/// How often the codes of new accounts and passwords are sent; Tests/Endpoints/cognito/test_cognito_codes.py tests what
/// the target receives.
@Suite struct CodeSendingTests {
    private let start = Instant(seconds: 1_700_000_000)
    private let codes = ConfirmationCodes()
    private let ana = User(number: UserNumber(1), name: "ana", role: .member, team: nil)

    private func entry(_ user: String, email: String? = nil) -> ConfirmationCodes.Entry {
        ConfirmationCodes.Entry(
            .account(
                StoredPassword(hash: "", verifier: PasswordVerifier(salt: [], verifier: []), user: user),
                of: UserNumber(7)),
            user: user,
            contact: ConfirmationCodes.Contact(email: email, phoneNumber: nil), at: start)
    }

    @Test func `a person gets one code message a minute and five in all, whoever asks`() {
        var sent: [Double] = []
        for second in stride(from: 0.0, to: 3_600, by: 10) {
            let now = start.advanced(bySeconds: second)
            if codes.beginSending(of: codes.issueReset(for: ana, mark: [1], at: now), at: now) { sent.append(second) }
        }
        #expect(sent == [0, 60, 120, 180, 240])
        // A new password has a new code.
        let later = start.advanced(bySeconds: 3_600)
        #expect(codes.beginSending(of: codes.issueReset(for: ana, mark: [2], at: later), at: later))
        // A code that is not open any more is not sent.
        let other = codes.issueReset(for: ana, mark: [3], at: later)
        codes.forgetReset(of: ana.number)
        #expect(!codes.beginSending(of: other, at: later))
    }

    @Test func `a code that was sent stays sent when a later attempt fails`() {
        let entry = codes.issueReset(for: ana, mark: [1], at: start)
        func wasSent() -> Bool? { codes.all(at: start).first?.wasSent }
        #expect(wasSent() == nil)
        codes.recordSending(of: entry, succeeded: false)
        #expect(wasSent() == false)
        codes.recordSending(of: entry, succeeded: true)
        codes.recordSending(of: entry, succeeded: false)
        #expect(wasSent() == true)
    }

    @Test func `strangers who sign up send five messages to an address, sixty an hour, and leave passwords theirs`() {
        let limits = SendingLimits()
        let toOne = (0..<20).count { limits.spend(entry("a\($0)", email: "Kim@example.org"), at: start) }
        #expect(toOne == 5)
        #expect(!limits.spend(entry("b", email: "kim@example.org"), at: start.advanced(bySeconds: 3_600)))
        #expect(limits.spend(entry("c", email: "kim@example.org"), at: start.advanced(bySeconds: 86_400)))
        let fresh = SendingLimits()
        #expect((0..<100).count { fresh.spend(entry("a\($0)"), at: start) } == 60)
        #expect(fresh.spend(codes.issueReset(for: ana, mark: [1], at: start), at: start))
    }

    @Test func `one network that fills the list of new accounts does not keep others from signing up`() throws {
        let password = StoredPassword(hash: "", verifier: PasswordVerifier(salt: [], verifier: []), user: "")
        func signUp(_ name: String, from address: String, second: Double) throws -> ConfirmationCodes.Entry {
            try codes.issueSignUp(
                for: name, number: UserNumber(7), password: password, contact: nil, from: address,
                at: start.advanced(bySeconds: second))
        }
        // The code of the first was read out by an admin, so it stays.
        let first = try signUp("first", from: "198.51.100.1", second: 0)
        codes.recordReading(of: [first], by: ana.number)
        let second = try signUp("second", from: "198.51.100.1", second: 1)
        for number in 2..<ConfirmationCodes.signUpCapacity {
            _ = try signUp("flood\(number)", from: "198.51.100.1", second: 2)
        }
        let fault = IdentityError.tooMany(
            "accounts that wait for their codes", limit: ConfirmationCodes.signUpCapacity)
        #expect(throws: fault) {
            try signUp("one more", from: "198.51.100.1", second: 3)
        }
        let kim = try signUp("kim", from: "203.0.113.7", second: 3)
        let now = start.advanced(bySeconds: 4)
        #expect(codes.signUp(named: "kim", code: kim.code, at: now) != nil)
        #expect(codes.signUp(named: "first", code: first.code, at: now) != nil)
        #expect(codes.signUp(named: "second", code: second.code, at: now) == nil)
    }

    @Test func `one network whose codes were all sent does not keep others from signing up`() throws {
        let password = StoredPassword(hash: "", verifier: PasswordVerifier(salt: [], verifier: []), user: "")
        func signUp(_ name: String, from address: String, second: Double) throws -> ConfirmationCodes.Entry {
            try codes.issueSignUp(
                for: name, number: UserNumber(7), password: password, contact: nil, from: address,
                at: start.advanced(bySeconds: second))
        }
        for number in 0..<ConfirmationCodes.signUpCapacity {
            let entry = try signUp("flood\(number)", from: "198.51.100.1", second: 0)
            codes.recordSending(of: entry, succeeded: true)
        }
        let kim = try signUp("kim", from: "203.0.113.7", second: 1)
        #expect(codes.signUp(named: "kim", code: kim.code, at: start.advanced(bySeconds: 2)) != nil)
    }

    @Test func `calls go out in order, and one that waits takes the next slot`() async {
        let slots = SendingSlots()
        for _ in 0..<16 { await slots.acquire() }
        let waiting = Task { await slots.acquire() }
        slots.release()
        await waiting.value
        slots.release()
        #expect((0..<1_001).count { _ in slots.enter() } == 1_000)
        slots.leave()
        #expect(slots.enter())
    }
}
