import MusterCore
import Testing

@testable import MusterHTTP
@testable import MusterServer

@Suite struct SharesTests {
    private func owner(_ number: Int32, _ role: Role = .member, device: Int32? = nil) -> FeedOwner {
        FeedOwner(
            Principal(
                User(number: UserNumber(number), name: "u\(number)", role: role, team: nil),
                device: device.map { DeviceNumber($0) }, proof: device == nil ? .password : .deviceToken))
    }

    @Test func `a device's token opens few feeds, and its user some more`() throws {
        var shares = FeedShares(capacity: 10_000)
        for _ in 0..<FeedShares.ofDevice { try shares.open(owner(1, device: 7)) }
        #expect(throws: FeedShares.Refusal.deviceHasItsShare(limit: FeedShares.ofDevice)) {
            try shares.open(owner(1, device: 7))
        }
        for _ in FeedShares.ofDevice..<FeedShares.ofOne { try shares.open(owner(1)) }
        #expect(throws: FeedShares.Refusal.userHasItsShare(limit: FeedShares.ofOne)) { try shares.open(owner(1)) }
        shares.close(owner(1, device: 7))
        try shares.open(owner(1, device: 7))
        try shares.open(owner(2))
    }

    @Test func `the last tenth of all feeds is for leaders and admins`() throws {
        var shares = FeedShares(capacity: 100)
        for number in 0..<90 { try shares.open(owner(Int32(number))) }
        #expect(throws: FeedShares.Refusal.isFull) { try shares.open(owner(99)) }
        for _ in 0..<5 { try shares.open(owner(100, .leader)) }
        for _ in 0..<5 { try shares.open(owner(101, .admin)) }
        #expect(throws: FeedShares.Refusal.isFull) { try shares.open(owner(101, .admin)) }
        #expect(shares.count == 100 && shares.refused == 2)
    }

    @Test func `bodies are bounded in bytes by address, by user and in total, and return them`() throws {
        var limits = ConnectionLimits()
        limits.bodyBytes = 100
        limits.bodyBytesOfAddress = 60
        limits.bodyBytesOfUser = 40
        let budget = BodyBudget(limits)
        var first = BodyBudget.Hold(from: "192.0.2.1")
        try budget.countBytes(30, for: &first, of: nil)
        var own = BodyBudget.Hold(from: "192.0.2.1")
        try budget.countBytes(30, for: &own, of: 1)
        #expect(throws: BodyBudget.Refusal.address) { try budget.countBytes(1, for: &own, of: 1) }
        var elsewhere = BodyBudget.Hold(from: "2001:db8::1")
        #expect(throws: BodyBudget.Refusal.user) { try budget.countBytes(11, for: &elsewhere, of: 1) }
        try budget.countBytes(10, for: &elsewhere, of: 1)
        var stranger = BodyBudget.Hold(from: "2001:db8::1")
        try budget.countBytes(30, for: &stranger, of: nil)
        var last = BodyBudget.Hold(from: "198.51.100.7")
        #expect(throws: BodyBudget.Refusal.total) { try budget.countBytes(1, for: &last, of: 2) }
        for hold in [first, own, elsewhere, stranger] { budget.release(hold) }
        #expect(budget.heldBytes == 0)
        try budget.countBytes(40, for: &last, of: 1)
    }
}
