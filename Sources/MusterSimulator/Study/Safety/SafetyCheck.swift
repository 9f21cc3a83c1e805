/// What the safety study checks in some scenarios; docs/truth.md shows the figures.
package struct SafetyCheck: Sendable {
    /// A figure of the engine, and its bound.
    package struct Claim: Sendable {
        /// The figure, with its unit.
        package let name: String
        /// The bound of the figure.
        package let bound: StudyCheck.Bound
        /// The least number of runs for which the bound is meant: the last tenth of few runs says little.
        package let leastRuns: Int
        private let figure: @Sendable ([SafetyScore]) -> Double

        init(
            _ name: String, _ bound: StudyCheck.Bound, leastRuns: Int = 1,
            _ figure: @escaping @Sendable ([SafetyScore]) -> Double
        ) {
            (self.name, self.bound, self.leastRuns, self.figure) = (name, bound, leastRuns, figure)
        }

        /// Returns the figure of some scores, in the order of `SafetyRule.allCases`.
        package func measured(_ scores: [SafetyScore]) -> Double { figure(scores) }
    }

    /// What happens.
    package let name: String
    /// What is claimed about it.
    package let claims: [Claim]
    private let scenarios: [SafetyScenario]

    private init(_ name: String, _ scenarios: [SafetyScenario], _ claims: [Claim]) {
        (self.name, self.scenarios, self.claims) = (name, scenarios, claims)
    }

    /// Returns the scores of the rules in some runs of each scenario, added up, in the order of `SafetyRule.allCases`.
    package func scores(seed: UInt64, runs: Range<Int>) -> [SafetyScore] {
        var scores = SafetyRule.allCases.map { _ in SafetyScore() }
        for scenario in scenarios {
            for (index, score) in scenario.scores(seed: seed, runs: runs).enumerated() { scores[index].add(score) }
        }
        return scores
    }

    /// Every check, in the order of docs/truth.md.
    package static let all = leaving + arriving + hours + staying + lies + beacons

    /// People who leave at a speed in metres a second, with fixes that err by 4, 8 and 15 m.
    package static let leaving = [1.0, 3, 5, 10, 15, 30, 60].flatMap { interval in
        [1.3, 2.5, 6, 14, 30].map { speed in
            let scenarios = [4.0, 8, 15].map { SafetyScenario.leaving(speed: speed, by: .honest($0, interval)) }
            var claims = [
                Claim("p50 s more than two in a row", .atMost(interval)) {
                    $0[0].leavingSeconds(0.5) - $0[SafetyRule.plain.rawValue].leavingSeconds(0.5)
                },
                Claim("p90 s more than two in a row", .atMost(interval)) {
                    $0[0].leavingSeconds(0.9) - $0[SafetyRule.plain.rawValue].leavingSeconds(0.9)
                },
            ]
            if interval <= 10 {
                claims += [
                    Claim("p50 s", .atMost(12 + interval)) { $0[0].leavingSeconds(0.5) },
                    Claim("p90 s", .atMost(20 + interval), leastRuns: 100) { $0[0].leavingSeconds(0.9) },
                    Claim("max s", .atMost(45 + 2 * interval)) { $0[0].leavingSeconds(1) },
                ]
            }
            return SafetyCheck("leaves at \(speed) m/s, a fix every \(Int(interval)) s", scenarios, claims)
        }
    }

    /// People who arrive, seen or unseen, with a fix every 5 s that errs by 4 or 8 m.
    package static let arriving = [false, true].map { inGap in
        let scenarios = [1.3, 2.5, 6, 14].flatMap { speed in
            [4.0, 8].map { SafetyScenario.arriving(speed: speed, inGap: inGap, by: .honest($0)) }
        }
        return SafetyCheck(
            inGap ? "arrives in a gap" : "arrives", scenarios,
            [
                Claim("p50 s", .atMost(25)) { $0[0].arrivingSeconds(0.5) },
                Claim("p95 s", .atMost(45)) { $0[0].arrivingSeconds(0.95) },
            ])
    }

    /// Hours of people who come and go, with phones of every kind.
    package static let hours = SafetyScenario.kindsOfHours.map { scenario in
        SafetyCheck(
            "an hour, \(scenario.name)", [scenario],
            [Claim("people safe for more than 45 s while 30 m outside", .atMost(0)) { Double($0[0].longWrongs) }])
    }

    /// Hours 15 m or more inside. More fixes are more chances that a drifting error lasts.
    package static let staying = [1.0, 5].flatMap { interval in
        [0.0, 0.8].map { drift in
            SafetyCheck(
                "stays inside, \(drift == 0 ? "white" : "drifting") errors, a fix every \(Int(interval)) s",
                [4.0, 8].map { SafetyScenario.staying(by: .honest($0, interval, driftShare: drift)) },
                [Claim("losses in 100 hours", .atMost(interval < 5 ? 1.5 : 1)) { $0[0].lossesPer100Hours }])
        }
    }

    /// People outside, some fixes of whom lie in the middle of a region.
    package static let lies = [1, 2].map { fixes in
        SafetyCheck(
            "\(fixes) false fixes inside", SafetyScenario.lies(of: fixes),
            [Claim("made safe", .atMost(0)) { Double($0[0].madeSafe) }])
    }

    /// People at an assembly point whose beacon decides, beside the fixes of their phones. Whoever hears it through a
    /// wall 30 m outside counts as safe, and no bound forbids that: their fixes may err by as much.
    package static let beacons =
        SafetyScenario.Ear.allCases.flatMap { ear in
            [1.3, 2.5, 6, 14].map { speed in
                SafetyCheck(
                    "leaves a beacon at \(speed) m/s, \(ear.rawValue)", [.leavingBeacon(speed: speed, ear)],
                    [
                        Claim("longest s safe while 30 m outside", .atMost(ear == .listening ? 30 : 60)) {
                            $0[0].longestWrong
                        }
                    ])
            } + [
                SafetyCheck(
                    "stays at a beacon, \(ear.rawValue)", [.stayingAtBeacon(ear)],
                    [Claim("losses in 100 hours", .atMost(1)) { $0[0].lossesPer100Hours }]),
                SafetyCheck(
                    "hears a beacon through a wall 30 to 45 m outside, \(ear.rawValue)",
                    [.besideWall(metres: 30...45, ear)], []),
                SafetyCheck(
                    "hears a beacon through a wall 110 to 150 m outside, \(ear.rawValue)",
                    [.besideWall(metres: 110...150, ear)],
                    [Claim("made safe", .atMost(0)) { Double($0[0].madeSafe) }]),
            ]
        }
}
