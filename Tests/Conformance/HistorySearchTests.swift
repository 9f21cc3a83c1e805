import MusterCore
import MusterStore
import MusterTestSupport
import Testing

/// The question whether the history has a position, however its blocks lie.
@Suite struct HistorySearchTests {
    @Test(arguments: SoakSeeds.first(3, of: [1, 2, 3, 4, 5, 6]))
    func `a store knows exactly the positions that it has, wherever late ones fell`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let bench = try Bench(.sqliteWithSmallStage)
        var known: [[Position]] = [[], [], []]
        for round in 0..<60 {
            let device = Int.random(in: 0..<3, using: &generator)
            // Runs of a second to some hours, so that blocks of every span overlap.
            let pace = [0.001, 0.016, 0.3, 4, 70, 900][Int.random(in: 0..<6, using: &generator)]
            let start = Double(Int.random(in: 0..<20_000, using: &generator))
            let run = (0..<Int.random(in: 1...25, using: &generator)).map {
                Position.test(start + Double($0) * pace, step: Int.random(in: 0...1, using: &generator))
            }
            try bench.store.report(Int32(device), run)
            known[device] += run
            if round % 7 == 3 { while try bench.store.settle(limit: 9) {} }
            if round % 20 == 19 { try bench.reopen() }
            for _ in 0..<20 {
                let near = known[device].randomElement(using: &generator)?.sampleTime.seconds ?? 0
                let offset = [0, 0.001, -0.001, 0.5, -30, 1_000][Int.random(in: 0..<6, using: &generator)]
                let asked = Position.test(
                    near - Position.test(0).sampleTime.seconds + offset, step: Int.random(in: 0...1, using: &generator))
                let isKnown = known[device].contains {
                    $0.sampleTime == asked.sampleTime && $0.coordinate == asked.coordinate
                }
                #expect(
                    try bench.store.holds(asked, of: Int32(device)) == isKnown, "seed \(seed), round \(round), \(asked)"
                )
            }
        }
    }
}
