import MusterCore
import Testing

@testable import MusterServer

/// How many questions of sync triggers may be open at once.
@Suite struct OpenQuestionsTests {
    private typealias Question = OpenQuestions.Question
    private typealias Limits = OpenQuestions
    private let questions = OpenQuestions()

    private func question(of user: Int, to target: Int32 = 1) -> Question {
        Question(target: TargetNumber(target), asker: .identity("\(user)"))
    }

    @Test func `a target that does not answer takes its share and no more, and gives it back`() {
        let begun = (0..<20).filter { questions.begin(question(of: $0)) }
        #expect(begun.count == Limits.limits.ofTarget)
        #expect(questions.begin(question(of: 30, to: 2)))
        questions.end(question(of: 0))
        #expect(questions.begin(question(of: 31)))
        #expect(!questions.begin(question(of: 32)))
    }

    @Test func `all targets together have a limit`() {
        let asked = (0..<100).map { question(of: $0, to: Int32($0 % 10)) }
        let begun = asked.filter { questions.begin($0) }
        #expect(begun.count == Limits.limits.all)
        for question in begun { questions.end(question) }
        #expect(questions.begin(asked[0]))
    }

    @Test func `neither one user nor all guests together keep a target from the others`() {
        let guest = Question(target: TargetNumber(1), asker: .guests)
        #expect((0..<20).filter { _ in questions.begin(guest) }.count == Limits.limits.ofGuests)
        #expect((0..<20).filter { _ in questions.begin(question(of: 1)) }.count == Limits.limits.ofUser)
        #expect(questions.begin(question(of: 2)))
    }
}
