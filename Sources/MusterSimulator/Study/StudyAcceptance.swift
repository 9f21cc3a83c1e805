// The bounds that the confident policy must keep in the study; docs/truth.md shows them.

/// One check of the study: a figure of the confident policy, and its bound.
package struct StudyCheck: Sendable {
    /// The figure that the check measures.
    package let name: String
    /// The bound of the figure.
    package let bound: Bound
    /// The number of runs for each device-day of effort.
    package let runsPerDay: Double
    private let scenario: StudyScenario
    private let figure: @Sendable (StudyScore) -> Double

    /// A bound, which the figure may reach.
    package enum Bound: Hashable, Sendable, CustomStringConvertible {
        case atMost(Double)
        case atLeast(Double)

        /// Whether a figure keeps the bound.
        package func holds(for figure: Double) -> Bool {
            switch self {
            case .atMost(let most): figure <= most
            case .atLeast(let least): figure >= least
            }
        }

        package var description: String {
            switch self {
            case .atMost(let most): "≤ \(most)"
            case .atLeast(let least): "≥ \(least)"
            }
        }
    }

    /// Returns the score of the confident policy in some runs.
    package func score(seed: UInt64, runs: Range<Int>) -> StudyScore {
        scenario.scores(seed: seed, runs: runs, rules: [.confident])[0]
    }

    package func measured(_ score: StudyScore) -> Double { figure(score) }

    private init(
        _ name: String, _ bound: Bound, _ scenario: StudyScenario, runsPerDay: Double = 1,
        _ figure: @escaping @Sendable (StudyScore) -> Double
    ) {
        self.name = name
        self.bound = bound
        self.scenario = scenario
        self.runsPerDay = runsPerDay
        self.figure = figure
    }

    /// Every check, in the order of docs/truth.md.
    package static var all: [StudyCheck] {
        stillChecks + walkChecks + delayChecks + driveChecks + smallChecks + arrivalChecks
    }

    private static let intervals = [5.0, 15, 60]

    private static var stillChecks: [StudyCheck] {
        [
            StudyCheck(
                "still, honest, a = 5 and 12, 20 m from the boundary: flips", .atMost(0),
                .still(metres: 20, .honest, [.open, .suburb], intervals: intervals)
            ) { Double($0.flips) },
            StudyCheck(
                "still, hostile, a = 12, 20 m from the boundary: flips a day", .atMost(0.4),
                .still(metres: 20, .hostile, [.suburb], intervals: intervals)
            ) { $0.flipsPerDay },
        ]
    }

    private static var walkChecks: [StudyCheck] {
        let clear = [Noise.Environment.open, .suburb]
        var checks: [StudyCheck] = []
        for (interval, enter, exit) in [(5.0, 8.0, 10.0), (15, 4, 5), (60, 4, 3)] {
            let scenario = StudyScenario.walk(intervalSeconds: interval, clear, saysSpeed: true)
            let name = "walk with speed, a = 5 and 12, every \(Int(interval)) s: p95 fixes to"
            checks.append(
                StudyCheck("\(name) enter", .atMost(enter), scenario, runsPerDay: 10) { $0.enterFixes(0.95) })
            checks.append(
                StudyCheck("\(name) exit", .atMost(exit), scenario, runsPerDay: 10) { $0.exitFixes(0.95) })
        }
        let silent = StudyScenario.walk(intervalSeconds: 5, clear, saysSpeed: false)
        let name = "walk without speed, a = 5 and 12, every 5 s: p95 fixes to"
        checks.append(StudyCheck("\(name) enter", .atMost(25), silent, runsPerDay: 10) { $0.enterFixes(0.95) })
        checks.append(StudyCheck("\(name) exit", .atMost(25), silent, runsPerDay: 10) { $0.exitFixes(0.95) })
        return checks
    }

    private static var delayChecks: [StudyCheck] {
        [
            StudyCheck("still on the boundary: flips a day", .atMost(1.5), .still(metres: 0)) { $0.flipsPerDay },
            StudyCheck("walk every 5 s: p50 seconds to enter", .atMost(13), .walk(), runsPerDay: 30) {
                $0.enterSeconds(0.5)
            },
            StudyCheck("walk every 5 s: p50 seconds to exit", .atMost(14), .walk(), runsPerDay: 30) {
                $0.exitSeconds(0.5)
            },
        ]
    }

    private static var arrivalChecks: [StudyCheck] {
        StudyScenario.SpeedHabit.allCases.flatMap { habit in
            [60.0, 120, 300].map { gap in
                StudyCheck(
                    "arrives in a gap of \(Int(gap)) s, \(habit.rawValue): p95 seconds to enter", .atMost(70),
                    .arrival(gapSeconds: gap, habit), runsPerDay: 10
                ) { $0.enterSeconds(0.95) }
            } + [
                StudyCheck(
                    "drives in and stands, \(habit.rawValue): p95 seconds to enter", .atMost(70),
                    .journey(metres: 3000, speed: 14, habit), runsPerDay: 10
                ) { $0.enterSeconds(0.95) },
                StudyCheck(
                    "runs in and stands, \(habit.rawValue): p95 seconds to enter", .atMost(70),
                    .journey(metres: 300, speed: 3.3, habit), runsPerDay: 10
                ) { $0.enterSeconds(0.95) },
            ]
        }
            + [StudyScenario.SpeedHabit.measured, .alwaysZero].map { habit in
                StudyCheck(
                    "a lie of two minutes, \(habit.rawValue): flips", .atMost(0.1),
                    .lie(seconds: 120, gapSeconds: 0, habit), runsPerDay: 10
                ) { $0.flipsPerVisit }
            }
    }

    private static var driveChecks: [StudyCheck] {
        [(5.0, 2.0), (15, 6)].map { interval, most in
            StudyCheck(
                "drive through 150 m, a = 5 and 12, every \(Int(interval)) s: % missed", .atMost(most),
                .drive(radius: 150, intervalSeconds: interval), runsPerDay: 50
            ) { $0.missedPercent }
        }
    }

    private static var smallChecks: [StudyCheck] {
        [
            StudyCheck(
                "15 m, a = 10: % entered", .atLeast(90), .home(accuracyMetres: 10), runsPerDay: 6
            ) { $0.enteredPercent },
            StudyCheck(
                "15 m, a = 10: false exits a day", .atMost(0.4), .home(accuracyMetres: 10), runsPerDay: 6
            ) { $0.falseExitsPerDay },
            StudyCheck(
                // Not 0: one phone in thousands claims a third of its error, and is believed.
                "15 m, a = 50: % entered", .atMost(0.5), .home(accuracyMetres: 50), runsPerDay: 6
            ) { $0.enteredPercent },
            StudyCheck(
                "15 m, a = 50, a neighbour at 30 m: false enters a day", .atMost(0.1), .neighbour(accuracyMetres: 50)
            ) { $0.falseEntersPerDay },
        ]
    }
}
