import MusterCore
import MusterWire
import Testing

@testable import MusterGraphQL
@testable import MusterServer

/// Answers that the subscriptions of one caller share.
@Suite struct GraphQLSharedAnswersTests {
    private let begin = ContinuousClock.now

    private func key(
        _ user: User, _ source: String = "subscription { safetyChanged { sequence } }", team: String? = nil,
        change: Int64 = 7, newest: Int64 = 9
    ) throws -> SharedAnswers.Key {
        let call = try GraphQLCall(
            .object([
                .init("query", .string(source)),
                .init("variables", .object(team.map { [JSONValue.Member("team", .string($0))] } ?? [])),
            ]))
        return SharedAnswers.Key(
            document: try #require(SharedAnswers.Document(call)), principal: Principal(user, proof: .apiKey),
            change: LogSequence(change), newest: LogSequence(newest))
    }

    /// An answer as a word: `none` where there is none, `left out` where the change is.
    private func text(_ answer: JSONValue??) -> String {
        guard let answer else { return "none" }
        return answer?.string ?? "left out"
    }

    @Test func `an answer is given again to who asks the same of the same log, and to nobody else`() throws {
        let answers = SharedAnswers()
        let mia = User(number: UserNumber(1), name: "mia", role: .member, team: TeamNumber(1))
        answers.store(.string("mia's"), for: try key(mia), at: begin)
        #expect(try text(answers.answer(key(mia), at: begin)) == "mia's")
        var other = mia
        other.team = TeamNumber(2)
        var leader = mia
        leader.role = .leader
        let max = User(number: UserNumber(2), name: "max", role: .member, team: TeamNumber(1))
        for different in [
            try key(other), try key(leader), try key(max),
            try key(mia, "subscription { safetyChanged { person { id } } }"), try key(mia, team: "Team:north"),
            try key(mia, change: 8), try key(mia, newest: 10),
        ] {
            #expect(text(answers.answer(different, at: begin)) == "none")
        }
    }

    @Test func `an answer is given for a second, also one that leaves the change out`() throws {
        let answers = SharedAnswers()
        let mia = User(number: UserNumber(1), name: "mia", role: .member, team: nil)
        answers.store(nil, for: try key(mia), at: begin)
        #expect(try text(answers.answer(key(mia), at: begin + .seconds(1))) == "left out")
        #expect(try text(answers.answer(key(mia), at: begin + .seconds(2))) == "none")
    }

    @Test func `a large answer is not kept, and few are`() throws {
        let answers = SharedAnswers()
        let mia = User(number: UserNumber(1), name: "mia", role: .member, team: nil)
        answers.store(.string(String(repeating: "x", count: 5_000)), for: try key(mia), at: begin)
        #expect(try text(answers.answer(key(mia), at: begin)) == "none")
        for change in 0..<Int64(1_000) { answers.store(nil, for: try key(mia, change: change), at: begin) }
        var kept = 0
        for change in 0..<Int64(1_000) {
            let found = answers.answer(try key(mia, change: change), at: begin)
            if text(found) != "none" { kept += 1 }
        }
        #expect((1...256).contains(kept))
    }
}
