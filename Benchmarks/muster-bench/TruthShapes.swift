import Foundation
import MusterGeometry
import MusterSimulator

/// The study of corners, strips, holes and small shapes, where the nearest boundary alone is not enough.
struct TruthShapes {
    let deviceDays: Int
    let seed: UInt64

    private static let shapes: [(name: String, region: StudyRegion, place: Offset)] = {
        let far = 10_000.0
        var shapes: [(String, StudyRegion, Offset)] = [
            ("straight boundary", .south(of: 0), .zero),
            ("corner", .box(east: 200, north: 200), Offset(east: 200, north: 200)),
            ("re-entrant corner", .allBut(east: 200, north: 200), Offset(east: 200, north: 200)),
        ]
        for width in [10.0, 20, 30, 40] {
            shapes.append(("strip of \(Int(width)) m", .box(east: far, north: width / 2), .zero))
        }
        for width in [20.0, 30, 40] {
            shapes.append(("square of \(Int(width)) m", .box(east: width / 2, north: width / 2), .zero))
        }
        shapes.append(("circle of 30 m", .circle(.zero, radius: 15), .zero))
        for width in [20.0, 30, 40] {
            shapes.append(("hole of \(Int(width)) m", .allBut(east: width / 2, north: width / 2), .zero))
        }
        return shapes
    }()

    /// The table as Markdown: each shape by the nearest boundary and by mass.
    func lines() async -> [String] {
        var lines = [
            "| Still phones within 40 m | flips a day | inside, told so % | outside, told so % "
                + "| p .8–.9 is so % | p .9–.95 % | p .95–.99 % |",
            "|" + String(repeating: "---|", count: 7),
        ]
        for (name, region, place) in Self.shapes {
            let scores = await Halves.scores(runs: deviceDays) { runs in
                StudyScenario.beside(region, around: place).scores(
                    seed: seed, runs: runs, rules: [.confident, .byMass])
            }
            lines.append(Self.row(name, scores))
        }
        return lines
    }

    private static func row(_ name: String, _ scores: [StudyScore]) -> String {
        func pair(_ figure: (StudyScore) -> Double, _ format: String = "%.1f") -> String {
            scores.map { figure($0).isNaN ? "–" : String(format: format, figure($0)) }.joined(separator: " / ")
        }
        let calibration = [8, 9, 10].map { place in pair { $0.calibration[place].percent } }
        let cells =
            [pair({ $0.flipsPerDay }, "%.2f"), pair { $0.inside.percent }, pair { $0.outside.percent }] + calibration
        return "| " + ([name] + cells).joined(separator: " | ") + " |"
    }
}
