import ArgumentParser
import Foundation
import MusterGeometry
import MusterTerminal

extension Bench {
    /// The region index on one thread, in this process.
    struct Regions: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Which of many regions hold a place: the index alone, on one thread, without a server.")
        @Option(help: "The folder with fences/us-counties.geojson and naturalearth/; without it they are left out.")
        var data: String?
        @Option(help: "Only the collections whose names contain this.") var only: String?
        @Option(help: "Places of each run, in thousands.") var thousands = 1000
        @Option(help: "Runs of each kind; the best one counts.") var runs = 5
        @Option(help: "Write the regions, the places and the rates as text into this folder, for peers.")
        var write: String?
        @Option(help: "Draw the pictures of docs/region-index.md into this folder, and measure nothing.")
        var draw: String?

        func validate() throws {
            guard (1...100_000).contains(thousands) else { throw ValidationError("--thousands: 1 to 100000") }
            guard (1...1000).contains(runs) else { throw ValidationError("--runs: 1 to 1000") }
        }

        func run() throws {
            if let draw {
                try RegionPictures().write(to: URL(filePath: draw))
                return
            }
            announce(RegionReport.heading)
            let wanted = RegionWorld.Kind.allCases.filter { only.map($0.name.contains) ?? true }
            for kind in wanted {
                guard let collection = try kind.collection(data: data.map { URL(filePath: $0) }) else { continue }
                let bench = RegionBench(world: collection, placeCount: thousands * 1000, runs: runs)
                let outcome = bench.run()
                announce(RegionReport.row(kind.name, outcome))
                RegionReport.record(kind.name, outcome)
                if let write {
                    try RegionReport.write(collection, bench.placeCount, outcome, to: URL(filePath: write))
                }
                if kind == .fences {
                    let update = bench.update()
                    announce(RegionReport.text(update))
                    Figures.record("one region changed", "put µs", update.putMicroseconds)
                    Figures.record("one region changed", "next question µs", update.firstQuestionMicroseconds)
                }
            }
        }
    }
}

/// The output of `muster-bench regions` for people and programs.
enum RegionReport {
    static let heading = row(
        "regions",
        ["build s", "MB", "hits", "random M/s", "batch of 64", "walk", "in 10 m", "in 50 m"])

    static func row(_ name: String, _ outcome: RegionBench.Outcome) -> String {
        let rates = outcome.rates
        return row(
            name,
            [
                String(format: "%.3f", outcome.buildSeconds), String(format: "%.1f", Double(outcome.bytes) / 1e6),
                String(format: "%.2f", outcome.hitsPerPlace),
            ]
                + [rates.random, rates.batch, rates.walk, rates.within10, rates.within50].map {
                    String(format: "%.2f", $0)
                })
    }

    static func record(_ name: String, _ outcome: RegionBench.Outcome) {
        let rates = outcome.rates
        for (figure, value) in [
            ("build s", outcome.buildSeconds), ("MB", Double(outcome.bytes) / 1e6), ("one by one M/s", rates.random),
            ("64 at once M/s", rates.batch), ("walk M/s", rates.walk), ("in 10 m M/s", rates.within10),
            ("in 50 m M/s", rates.within50),
        ] {
            Figures.record(name, figure, value)
        }
    }

    static func text(_ update: RegionBench.UpdateOutcome) -> String {
        String(
            format: "  one region changed: put %.1f µs, remove %.1f µs, the next question %.1f µs",
            update.putMicroseconds, update.removeMicroseconds, update.firstQuestionMicroseconds)
    }

    /// Writes regions.tsv (number, WKT), places.tsv (number, longitude, latitude), all numbers in full, and rates.tsv
    /// (places a second of each kind, and how many regions the random places lie in).
    static func write(
        _ collection: RegionWorld, _ placeCount: Int, _ outcome: RegionBench.Outcome, to folder: URL
    ) throws {
        var text = ""
        for (id, shape) in collection.shapes.enumerated() { text += "\(id)\t\(wellKnownText(shape))\n" }
        try text.write(to: folder.appending(path: "regions.tsv"), atomically: true, encoding: .utf8)
        text = ""
        for (id, place) in collection.randomPlaces(placeCount).enumerated() {
            text += "\(id)\t\(place.longitude)\t\(place.latitude)\n"
        }
        try text.write(to: folder.appending(path: "places.tsv"), atomically: true, encoding: .utf8)
        let rates = outcome.rates
        text = [("random", rates.random * 1e6), ("batch", rates.batch * 1e6), ("walk", rates.walk * 1e6)]
            .map { "\($0.0)\t\($0.1)\n" }.joined()
        text += "hits\t\((outcome.hitsPerPlace * Double(placeCount)).rounded())\n"
        try text.write(to: folder.appending(path: "rates.tsv"), atomically: true, encoding: .utf8)
    }

    private static func wellKnownText(_ shape: Shape) -> String {
        func text(_ polygon: Polygon) -> String {
            let rings = ([polygon.exterior] + polygon.holes).map { ring in
                "(\(ring.map { "\($0.longitude) \($0.latitude)" }.joined(separator: ",")))"
            }
            return "(\(rings.joined(separator: ",")))"
        }
        return switch shape {
        case .polygon(let polygon): "POLYGON\(text(polygon))"
        case .multiPolygon(let polygons): "MULTIPOLYGON(\(polygons.map(text).joined(separator: ",")))"
        case .circle(let circle): "POINT(\(circle.centre.longitude) \(circle.centre.latitude))"
        }
    }

    private static func row(_ name: String, _ cells: [String]) -> String {
        name.padding(toLength: 28, withPad: " ", startingAt: 0)
            + cells.map { String(repeating: " ", count: max(1, 12 - $0.count)) + $0 }.joined()
    }
}
