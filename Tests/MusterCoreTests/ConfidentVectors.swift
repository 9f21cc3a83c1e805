import Foundation
import MusterCore
import MusterGeometry
import Testing

/// What the design's reference says, fix by fix: Golden/confident.txt, written by Tests/Oracles/confident_vectors.py.
struct ConfidentVectors: Sendable, CustomTestStringConvertible {
    /// A fix, and what is true after it.
    struct Row: Sendable {
        var fix: ConfidentFix
        var isTaken: Bool
        var east: Double
        var north: Double
        var deviation: Double
        var surprises: Int
        var standings: [Standing]
        var probability: Double
    }

    var name: String
    var centre: Coordinate
    var radius: Double
    var rows: [Row] = []
    var testDescription: String { name }

    static let all: [ConfidentVectors] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/confident.txt")
        var result: [ConfidentVectors] = []
        for line in ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n") {
            let cells = line.split(separator: " ")
            if cells[0] == "sequence" {
                let numbers = cells[2...].compactMap { Double($0) }
                result.append(
                    ConfidentVectors(
                        name: String(cells[1]),
                        centre: Coordinate(validLatitude: numbers[0], longitude: numbers[1]), radius: numbers[2]))
            } else {
                result[result.count - 1].rows.append(Row(cells))
            }
        }
        return result
    }()

    /// Metres east and north of the centre, as the reference measures.
    func metres(_ place: Coordinate) -> (east: Double, north: Double) {
        let square = 0.00669437999014131699614
        let sine = sin(centre.latitude * .pi / 180)
        let w2 = 1 - square * sine * sine
        let normal = 6_378_137 / w2.squareRoot()
        let east = (place.longitude - centre.longitude).remainder(dividingBy: 360)
        return (
            east * normal * cos(centre.latitude * .pi / 180) * .pi / 180,
            (place.latitude - centre.latitude) * normal * (1 - square) / w2 * .pi / 180
        )
    }
}

extension ConfidentVectors.Row {
    fileprivate init(_ cells: [Substring]) {
        func number(_ index: Int, per unit: Double = 1) -> Double { (Double(cells[index]) ?? .nan) / unit }
        fix = ConfidentFix(
            coordinate: Coordinate(validLatitude: number(1, per: 1e9), longitude: number(2, per: 1e9)),
            sampleTime: Instant(milliseconds: Int64(number(0))),
            accuracyMetres: cells[3] == "-" ? nil : number(3, per: 100),
            speedMetresPerSecond: cells[4] == "-" ? nil : number(4, per: 100))
        isTaken = cells[5] == "1"
        (east, north, deviation) = (number(6, per: 1000), number(7, per: 1000), number(8, per: 1000))
        surprises = Int(number(9))
        standings = cells[10].map { $0 == "i" ? .inside : $0 == "o" ? .outside : .unknown }
        probability = number(11, per: 1e5)
    }
}
