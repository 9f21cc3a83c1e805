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
    package static let all =
        leaving + leavingOtherwise + arriving + hours + contradictions + staying + lies + liesAsBeliefsRipen + beacons

    /// The true errors of the phones of people who leave, metres on each axis. Each is a check of its own, so that the
    /// late ones of one error do not hide behind the others.
    private static let errors = [4.0, 8, 15]
    /// The speeds at which people leave, metres a second.
    private static let speeds = [1.3, 2.5, 6, 14, 30]

    /// People who leave from rest, with errors that are new with each fix, and no speed.
    package static let leaving = [1.0, 3, 5, 10, 15, 30, 60].flatMap { interval in
        speeds.flatMap { speed in
            errors.map { error in
                SafetyCheck(
                    "leaves at \(speed) m/s, a fix every \(Int(interval)) s, error \(Int(error)) m",
                    [.leaving(speed: speed, by: .honest(error, interval))], leavingClaims(interval, error))
            }
        }
    }

    /// People who leave with a fix every 5 s: from a walk, after a gap, with errors that drift, with a measured speed.
    package static let leavingOtherwise = speeds.flatMap { speed in
        errors.flatMap { error in
            var measured = SafetyPhone.honest(error)
            measured.speed = .measured
            let ways: [(String, SafetyScenario)] = [
                ("from a walk", .leaving(speed: speed, from: .walk, by: .honest(error))),
                ("after a gap", .leaving(speed: speed, from: .gap, by: .honest(error))),
                ("errors that drift", .leaving(speed: speed, by: .honest(error, driftShare: 0.8))),
                ("says its speed", .leaving(speed: speed, by: measured)),
            ]
            return ways.map { how, scenario in
                SafetyCheck(
                    "leaves at \(speed) m/s, \(how), error \(Int(error)) m", [scenario], leavingClaims(5, error))
            }
        }
    }

    /// What is claimed about people who leave, by the seconds from one fix to the next and the error of the fixes. With
    /// fixes that err by 15 m it takes longer until one of them is surely outside.
    private static func leavingClaims(_ interval: Double, _ error: Double) -> [Claim] {
        let isCoarse = error > 8
        var claims = [
            Claim("p50 s more than two in a row", .atMost(max(2, interval)), leastRuns: 20) {
                $0[0].leavingSeconds(0.5) - $0[SafetyRule.plain.rawValue].leavingSeconds(0.5)
            },
            Claim("p90 s more than two in a row", .atMost(max(2, interval)), leastRuns: 100) {
                $0[0].leavingSeconds(0.9) - $0[SafetyRule.plain.rawValue].leavingSeconds(0.9)
            },
        ]
        if interval <= 10 {
            claims += [
                Claim("p50 s", .atMost((isCoarse ? 14 : 12) + interval), leastRuns: isCoarse ? 100 : 20) {
                    $0[0].leavingSeconds(0.5)
                },
                Claim("p90 s", .atMost((isCoarse ? 27 : 20) + interval), leastRuns: 100) { $0[0].leavingSeconds(0.9) },
                // Of a few people with coarse fixes it may be that none counts as safe before they leave.
                Claim("max s", .atMost(45 + 2 * interval), leastRuns: isCoarse ? 20 : 1) { $0[0].leavingSeconds(1) },
            ]
        }
        return claims
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

    /// Hours outside, with network fixes inside and the phone's own fix now and then.
    package static let contradictions = SafetyScenario.Contradiction.allCases.flatMap { contradiction in
        [15.0, 60, 300].map { seconds in
            SafetyCheck(
                "contradictions that last: \(contradiction.rawValue), an own fix every \(Int(seconds)) s",
                [.contradicted(contradiction, ownFixEvery: seconds, by: .honest(4))],
                [Claim("longest s safe while 30 m outside", .atMost(2 * seconds + 45)) { $0[0].longestWrong }])
        }
    }

    /// Hours 15 m or more inside. More fixes are more chances that a drifting error lasts.
    package static let staying = [1.0, 5].flatMap { interval in
        [0.0, 0.8].map { drift in
            SafetyCheck(
                "stays inside, \(drift == 0 ? "white" : "drifting") errors, a fix every \(Int(interval)) s",
                [4.0, 8].map { SafetyScenario.staying(by: .honest($0, interval, driftShare: drift)) },
                // An error that drifts out of the region keeps its person there, as far as anybody can tell.
                [Claim("losses in 100 hours", .atMost(interval < 5 ? 1.5 : 1)) { $0[0].lossesPer100Hours }]
                    + (drift > 0
                        ? [] : [Claim("p50 fixes until safe again", .atMost(2)) { $0[0].fixesUntilSafeAgain(0.5) }]))
        }
    }

    /// People outside, some fixes of whom lie in the middle of a region.
    package static let lies = [1, 2, 3, 5].map { fixes in
        SafetyCheck("\(fixes) false fixes inside", SafetyScenario.lies(of: fixes), lyingClaims(fixes))
    }

    /// The same just when the track is to believe where the person jumped unseen.
    package static let liesAsBeliefsRipen = [1, 2, 3, 5].flatMap { fixes in
        [
            SafetyCheck(
                "\(fixes) false fixes inside as a belief ripens", SafetyScenario.liesAsBeliefRipens(of: fixes),
                lyingClaims(fixes)),
            SafetyCheck(
                "\(fixes) false fixes inside as the belief ripens that somebody left",
                SafetyScenario.liesAsLeavingRipens(of: fixes),
                lyingClaims(fixes) + [Claim("longest s safe while 30 m outside", .atMost(45)) { $0[0].longestWrong }]),
        ]
    }

    /// Three fixes 5 s apart do not span the 20 s that make safe. Five may, and nothing tells them from an arrival.
    private static func lyingClaims(_ fixes: Int) -> [Claim] {
        fixes <= 3 ? [Claim("made safe", .atMost(0)) { Double($0[0].madeSafe) }] : []
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
                    // A fix that reports a bad accuracy does not contradict the beacon; the next one does.
                    [Claim("longest s safe while 30 m outside", .atMost(3)) { $0[0].longestWrong }]),
            ]
        }
}
