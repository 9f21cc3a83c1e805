import Foundation
import MusterSimulator

/// The study's table: a row for each rule, a column for each scenario.
struct TruthTable {
    let deviceDays: Int
    let seed: UInt64
    let tracks: [RecordedPath]

    /// The table as Markdown, the calibration of our rule's probability, and what is inferred between two fixes.
    func lines() async -> [String] {
        let columns = await [still(), walk(), drive(), jog(), recorded(), home()]
        var lines = [Self.row("Rule", columns.map(\.heading)), "|" + String(repeating: "---|", count: 7)]
        for (index, rule) in StudyRule.compared.enumerated() {
            lines.append(Self.row(rule.description, columns.map { $0.cells[index] }))
        }
        lines += [""] + (await calibration())
        return tracks.isEmpty ? lines : lines + [""] + (await passages())
    }

    /// A number as short as it can be read.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "–" }
        if value == .infinity { return "never" }
        return String(format: value == 0 || value >= 9.95 ? "%.0f" : value >= 0.995 ? "%.1f" : "%.2f", value)
    }

    private struct Column {
        var heading: String
        var cells: [String]

        /// A cell for each rule, made of its scores in each of some scenarios.
        init(_ heading: String, _ scores: [[StudyScore]], _ cell: ([StudyScore]) -> String) {
            self.heading = heading
            cells = StudyRule.compared.indices.map { rule in cell(scores.map { $0[rule] }) }
        }
    }

    private func still() async -> Column {
        let distances = [0.0, 10, 30, 50]
        let scores = await scores(deviceDays, distances.map { .still(metres: $0) })
        return Column("Still at 0/10/30/50 m: flips a day", scores) { Self.list($0.map(\.flipsPerDay)) }
    }

    private func walk() async -> Column {
        let scores = await scores(deviceDays * 10, [.walk()])
        return Column("Walk, fix every 5 s: enter; exit p50/p95 s", scores) { scores in
            Self.list([0.5, 0.95].map { scores[0].enterSeconds($0).rounded() }) + "; "
                + Self.list([0.5, 0.95].map { scores[0].exitSeconds($0).rounded() })
        }
    }

    private func drive() async -> Column {
        let scores = await scores(
            deviceDays * 10, [5.0, 15, 60].map { .drive(radius: 50, intervalSeconds: $0) })
        return Column("Drive through r=50: missed % at 5/15/60 s", scores) {
            Self.list($0.map { $0.missedPercent.rounded() })
        }
    }

    private func jog() async -> Column {
        Column("Jog along: flips/h", await scores(deviceDays * 10, [.jog])) { Self.number($0[0].flipsPerHour) }
    }

    private func recorded() async -> Column {
        let scenarios = tracks.isEmpty ? [] : [30.0, 100].map { StudyScenario.recorded(tracks, radius: $0) }
        let scores = await scores(deviceDays * 3, scenarios)
        return Column("GPX visits missed % r=30/100", scores) { scores in
            scores.isEmpty ? "–" : Self.list(scores.map { $0.missedPercent.rounded() })
        }
    }

    private func home() async -> Column {
        let scores = await scores(deviceDays * 6, [10.0, 20, 30].map { .home(accuracyMetres: $0) })
        return Column("r=15: entered % a=10/20/30; false exits a day a=10/20", scores) { scores in
            Self.list(scores.map { $0.enteredPercent.rounded() }) + "; "
                + Self.list(scores.prefix(2).map(\.falseExitsPerDay))
        }
    }

    /// The share of our rule's statements that are true, by their stated probability.
    private func calibration() async -> [String] {
        let score = await scores(deviceDays, [.stillAnywhere])[0][StudyRule.confident.row]
        let bounds = StudyShare.bounds
        let names = zip(bounds, bounds.dropFirst() + [1]).map { "\($0)–\($1)" }
        return ["| Still phones: p | fixes | inside, % |", "|---|---|---|"]
            + zip(names, score.calibration).map { name, said in
                Self.row(name, ["\(said.all)", String(format: "%.1f", said.percent)])
            }
    }

    /// The quality of the inference of regions that were passed between two fixes.
    private func passages() async -> [String] {
        let radii = [30.0, 50, 100, 200]
        var lines = [
            Self.row("Passages inferred; a fix every", radii.map { "r=\(Int($0)): so, of visits" }),
            "|---|---|---|---|---|",
        ]
        for interval in [15.0, 60, 120] {
            var cells: [String] = []
            for radius in radii {
                let study = StudyPassages(tracks, intervalSeconds: interval, radius: radius)
                async let first = study.score(seed: seed, runs: 0..<deviceDays / 2)
                var score = study.score(seed: seed, runs: deviceDays / 2..<deviceDays)
                score.add(await first)
                cells.append(
                    String(
                        format: "%d: %.1f %%, %.0f %%", score.inferred.all, score.inferred.percent,
                        score.visits.percent))
            }
            lines.append(Self.row("\(Int(interval)) s", cells))
        }
        return lines
    }

    private func scores(_ runs: Int, _ scenarios: [StudyScenario]) async -> [[StudyScore]] {
        var result: [[StudyScore]] = []
        for scenario in scenarios {
            result.append(await Halves.scores(runs: runs) { scenario.scores(seed: seed, runs: $0) })
        }
        return result
    }

    private static func list(_ values: [Double]) -> String { values.map(number).joined(separator: "/") }

    private static func row(_ name: String, _ cells: [String]) -> String {
        "| " + ([name] + cells).joined(separator: " | ") + " |"
    }
}

extension StudyRule {
    /// Its row in the table.
    fileprivate var row: Int { StudyRule.compared.firstIndex(of: self) ?? 0 }
}
