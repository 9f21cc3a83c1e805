import MusterSimulator
import MusterTestSupport
import Testing

extension SafetyCheck: CustomTestStringConvertible {
    package var testDescription: String { name }
}

/// The study of who counts as safe, in short; `muster-bench truth --safety` runs it at length, and `make soak` for a
/// thousand hours.
@Suite struct SafetyStudyTests {
    @Test(arguments: SafetyCheck.all)
    func `safety keeps within its bounds`(check: SafetyCheck) {
        let runs = SoakSeeds.rounds(4, inSoak: 120)
        let scores = check.scores(seed: 7, runs: 0..<runs)
        for claim in check.claims where runs >= claim.leastRuns {
            let figure = claim.measured(scores)
            print("\(check.name): \(claim.name): \(figure), bound \(claim.bound)")
            #expect(claim.bound.holds(for: figure), "\(claim.name): \(figure)")
        }
    }

    @Test func `a rule that believes each fix is wrong where ours is not`() {
        let check = SafetyScenario.lies(of: 1)
        var raw = 0
        for scenario in check {
            let scores = scenario.scores(seed: 7, runs: 0..<4)
            #expect(scores[SafetyRule.engine.rawValue].madeSafe == 0)
            raw += scores[SafetyRule.raw.rawValue].madeSafe
        }
        #expect(raw == check.count * 4)
    }

    @Test func `a run follows from its seed and number alone`() {
        let scenario = SafetyScenario.leaving(speed: 2.5, by: .honest(8))
        func scores(_ runs: Range<Int>, seed: UInt64 = 3) -> SafetyScore { scenario.scores(seed: seed, runs: runs)[0] }
        var halves = scores(0..<4)
        halves.add(scores(4..<9))
        #expect(halves == scores(0..<9))
        #expect(halves.exits == 9 && halves.leavingSeconds(0.5) > 0)
        #expect(halves != scores(0..<9, seed: 4))
    }
}
