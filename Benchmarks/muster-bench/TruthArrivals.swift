import MusterSimulator

/// The tables of arrivals and of the frontier: the delay of an enter event against the rate of flips.
struct TruthArrivals {
    let deviceDays: Int
    let seed: UInt64

    /// The delay of arrivals of people who then stand, and the flips by false fixes: a row for each rule and habit.
    func lines() async -> [String] {
        let rules: [StudyRule] = [.raw, .homeAssistant, .confident, .insideIsSafe]
        var rows: [String] = []
        for habit in StudyScenario.SpeedHabit.allCases {
            let arrivals = await scores(
                [0.0, 20, 60, 120, 300].map { .arrival(gapSeconds: $0, habit) }, rules)
            let journeys = await scores(
                [(500.0, 1.4), (300, 3.3), (3000, 14)].map { .journey(metres: $0, speed: $1, habit) }, rules)
            let lies = await scores(
                [(60.0, 0.0), (120, 0), (60, 60), (120, 60)].map { .lie(seconds: $0, gapSeconds: $1, habit) }, rules)
            for (index, rule) in rules.enumerated() {
                rows.append(
                    "| \(rule), \(habit.rawValue) | \(Self.delays(arrivals, index)) | "
                        + "\(Self.delays(journeys, index)) | "
                        + lies.map { TruthTable.number($0[index].flipsPerVisit) }.joined(separator: "; ") + " |")
            }
        }
        return [
            "| Honest noise, a fix every 5 s, r=100; enter p50/p95 s | arrives in a gap of 0; 20; 60; 120; 300 s "
                + "| walks; runs; drives in, and stands | lie of 60; 120 s, after a gap of 60 s: of 60; 120 s: flips |",
            "|---|---|---|---|",
        ] + rows
    }

    /// Flips against delay: Home Assistant's rule, and ours by other thresholds.
    func frontier() async -> [String] {
        let rules = StudyRule.frontier
        let still = await scores([0.0, 10, 20, 30].map { .still(metres: $0) }, rules, runsPerDay: 1)
        let walk = await scores([.walk()], rules)[0]
        let jog = await scores([.jog], rules, runsPerDay: 2)[0]
        return [
            "| Rule | Still at 0/10/20/30 m: flips a day | Walk: enter; exit p50 s | enters too early, % "
                + "| Jog: flips/h |",
            "|---|---|---|---|---|",
        ]
            + rules.indices.map { index in
                "| \(rules[index]) | "
                    + still.map { TruthTable.number($0[index].flipsPerDay) }.joined(separator: "/")
                    + " | \(TruthTable.number(walk[index].enterSeconds(0.5))); "
                    + "\(TruthTable.number(walk[index].exitSeconds(0.5))) | "
                    + "\(TruthTable.number(walk[index].falseEntersPerVisit * 100)) | "
                    + "\(TruthTable.number(jog[index].flipsPerHour)) |"
            }
    }

    private func scores(
        _ scenarios: [StudyScenario], _ rules: [StudyRule], runsPerDay: Int = 10
    ) async -> [[StudyScore]] {
        var result: [[StudyScore]] = []
        for scenario in scenarios {
            result.append(
                await Halves.scores(runs: deviceDays * runsPerDay) {
                    scenario.scores(seed: seed, runs: $0, rules: rules)
                })
        }
        return result
    }

    /// A cell: p50/p95 of each scenario.
    private static func delays(_ scores: [[StudyScore]], _ rule: Int) -> String {
        scores.map { score in
            [0.5, 0.95].map { TruthTable.number(score[rule].enterSeconds($0).rounded()) }.joined(separator: "/")
        }.joined(separator: "; ")
    }
}
