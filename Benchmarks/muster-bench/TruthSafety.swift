import Foundation
import MusterSimulator

/// The safety study: its bounds, and Muster beside simpler rules on the same fixes.
struct TruthSafety {
    let runs: Int
    let seed: UInt64

    /// A line for each claim, and then a table as Markdown.
    ///
    /// - Returns: the lines, and how many bounds do not hold.
    func lines() async -> (lines: [String], failed: Int) {
        var claims: [String] = []
        var failed = 0
        var hours = 0.0
        var table = [
            "| What happens | Hours | Rule | leaves: p50/p90/max s | arrives: p50/p95 s "
                + "| safe while 30 m outside: s an hour; longest "
                + "| lost 15 m inside: in 100 hours; back after fixes, p50/p90/max | made safe outside |",
            "|---|---|---|---|---|---|---|---|",
        ]
        for check in SafetyCheck.all {
            async let first = check.scores(seed: seed, runs: 0..<runs / 2)
            var scores = check.scores(seed: seed, runs: runs / 2..<runs)
            for (index, score) in await first.enumerated() { scores[index].add(score) }
            hours += scores[0].hours
            for claim in check.claims where runs >= claim.leastRuns {
                let figure = claim.measured(scores)
                let holds = claim.bound.holds(for: figure)
                if !holds { failed += 1 }
                claims.append(
                    "\(holds ? "pass" : "FAIL")  \(check.name): \(claim.name): \(TruthTable.number(figure)) "
                        + "\(claim.bound)")
            }
            record(check.name, scores)
            for (rule, score) in zip(SafetyRule.allCases, scores) { table.append(row(check.name, rule, score)) }
        }
        Figures.record("bounds", "checked", Double(claims.count))
        Figures.record("bounds", "exceeded", Double(failed))
        Figures.record("bounds", "person-hours", hours)
        return (claims + ["", "\(TruthTable.number(hours)) person-hours", ""] + table, failed)
    }

    /// Records what docs/performance.md shows of a check: its first word says what.
    private func record(_ name: String, _ scores: [SafetyScore]) {
        let (ours, plain) = (scores[SafetyRule.engine.rawValue], scores[SafetyRule.plain.rawValue])
        if name.hasPrefix("leaves ") {
            Figures.record(name, "p50 s", ours.leavingSeconds(0.5))
            Figures.record(name, "p90 s", ours.leavingSeconds(0.9))
            Figures.record(name, "plain p50 s", plain.leavingSeconds(0.5))
        } else {
            Figures.record(name, "wrong s", ours.wrongSecondsPerHour)
            Figures.record(name, "plain wrong s", plain.wrongSecondsPerHour)
        }
    }

    private func row(_ name: String, _ rule: SafetyRule, _ score: SafetyScore) -> String {
        func list(_ values: [Double]) -> String {
            values.contains { $0.isNaN } ? "–" : values.map { TruthTable.number($0.rounded()) }.joined(separator: "/")
        }
        let cells = [
            name, TruthTable.number(score.hours), rule.description, list([0.5, 0.9, 1].map(score.leavingSeconds)),
            list([0.5, 0.95].map(score.arrivingSeconds)),
            "\(TruthTable.number(score.wrongSecondsPerHour)); \(TruthTable.number(score.longestWrong))",
            "\(TruthTable.number(score.lossesPer100Hours)); \(list([0.5, 0.9, 1].map(score.fixesUntilSafeAgain)))",
            "\(score.madeSafe)",
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }
}
