import MusterCore
import Testing

@testable import MusterServer

/// How many questions of sync triggers may be open at once.
@Suite struct OpenQuestionsTests {
    @Test func `a target that does not answer takes its share and no more, and gives it back`() {
        let questions = OpenQuestions()
        let (slow, quick) = (TargetNumber(1), TargetNumber(2))
        #expect((0..<20).filter { _ in questions.begin(to: slow) }.count == OpenQuestions.limits.ofTarget)
        #expect(questions.begin(to: quick))
        questions.end(to: slow)
        #expect(questions.begin(to: slow))
        #expect(!questions.begin(to: slow))
    }

    @Test func `all targets together have a limit`() {
        let questions = OpenQuestions()
        let begun = (0..<100).filter { questions.begin(to: TargetNumber(Int32($0 % 10))) }
        #expect(begun.count == OpenQuestions.limits.all)
        for number in begun { questions.end(to: TargetNumber(Int32(number % 10))) }
        #expect(questions.begin(to: TargetNumber(1)))
    }
}
