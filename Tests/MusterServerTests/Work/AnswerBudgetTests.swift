import Testing

@testable import MusterHTTP

@Suite struct AnswerBudgetTests {
    private func hold(of user: Int32?, from address: String = "192.0.2.1") -> AnswerBudget.Hold {
        let work = RequestWork(from: address)
        if let user { work.setClient(.init(number: user, name: "u\(user)", hasPriority: false)) }
        return AnswerBudget.Hold(of: work)
    }

    private var budget: AnswerBudget {
        var limits = ConnectionLimits()
        limits.bodyBytes = 100
        limits.bodyBytesOfAddress = 60
        limits.bodyBytesOfUser = 40
        return AnswerBudget(limits)
    }

    @Test func `unread answers of a user are bounded in bytes, and return them`() {
        let budget = budget
        var (first, second) = (hold(of: 1), hold(of: 1))
        #expect(budget.setBytes(30, of: &first))
        #expect(!budget.setBytes(11, of: &second))
        #expect(budget.setBytes(10, of: &second))
        // The rest of an answer that is read step by step.
        #expect(budget.setBytes(20, of: &first) && budget.heldBytes == 30)
        #expect(!budget.setBytes(31, of: &first))
        budget.release(first)
        #expect(budget.setBytes(40, of: &second))
        budget.release(second)
        #expect(budget.heldBytes == 0)
    }

    @Test func `one answer of each user is always sent, however much others hold`() {
        let budget = budget
        var (large, more) = (hold(of: 1), hold(of: 1))
        #expect(budget.setBytes(500, of: &large))
        #expect(!budget.setBytes(1, of: &more))
        var other = hold(of: 2)
        #expect(budget.setBytes(30, of: &other))
        var another = hold(of: 2)
        #expect(!budget.setBytes(1, of: &another))
        var (stranger, neighbour) = (hold(of: nil), hold(of: nil, from: "192.0.2.2"))
        #expect(budget.setBytes(1, of: &stranger) && budget.setBytes(1, of: &neighbour))
    }
}
