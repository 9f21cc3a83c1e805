import ArgumentParser
import Foundation
import MusterGeometry
import MusterTerminal

extension Bench {
    /// The place index on one thread, in this process.
    struct Places: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Places within a radius and the nearest ten, among a million: the index alone, on one thread.")
        @Option(help: "Places, in thousands.") var thousands = 1_000
        @Option(help: "Questions of each run, in thousands.") var questions = 20
        @Option(help: "Metres of the radius; 2.5 miles is what the tracker app asks for.") var radius = 4_023.35
        @Option(help: "Runs of each kind; the best one counts.") var runs = 5
        @Option(help: "Write the places and the questions as text into this folder, for peers.") var write: String?

        func validate() throws {
            guard (1...10_000).contains(thousands) else { throw ValidationError("--thousands: 1 to 10000") }
            guard (1...10_000).contains(questions) else { throw ValidationError("--questions: 1 to 10000") }
            guard radius > 0, radius <= 1_000_000 else { throw ValidationError("--radius: up to 1000000") }
            guard (1...100).contains(runs) else { throw ValidationError("--runs: 1 to 100") }
        }

        func run() throws {
            let bench = PlaceBench(places: thousands * 1_000, questions: questions * 1_000, radius: Metres(radius))
            if let write { try bench.write(to: URL(filePath: write)) }
            announce(bench.report(runs: runs))
        }
    }
}

/// Places as they lie in a country, and where people ask for them: half of them in towns, half anywhere.
struct PlaceBench {
    private let places: [Coordinate]
    private let centres: [Coordinate]
    private let radius: Metres

    init(places count: Int, questions: Int, radius: Metres) {
        var random = SeededRandom(seed: 21)
        let towns = (0..<1_000).map { _ in Self.anywhere(&random) }
        places = (0..<count).map { Self.randomPlace($0, towns, &random) }
        centres = (0..<questions).map { Self.randomPlace($0, towns, &random) }
        self.radius = radius
    }

    private static func anywhere(_ random: inout SeededRandom) -> Coordinate {
        Coordinate(validLatitude: random.uniform(25, 49), longitude: random.uniform(-125, -67))
    }

    private static func randomPlace(_ number: Int, _ towns: [Coordinate], _ random: inout SeededRandom) -> Coordinate {
        guard number.isMultiple(of: 2) else { return anywhere(&random) }
        let town = towns[Int(random.uniform(0, Double(towns.count)))]
        return Coordinate(
            validLatitude: town.latitude + random.uniform(-0.1, 0.1) + random.uniform(-0.1, 0.1),
            longitude: town.longitude + random.uniform(-0.1, 0.1) + random.uniform(-0.1, 0.1))
    }

    func report(runs: Int) -> String {
        var index = PlaceIndex()
        let clock = ContinuousClock()
        let building = clock.measure { index = PlaceIndex(places) }
        var inserted = index
        let inserting = clock.measure { for place in centres { _ = inserted.insert(place) } }
        let within = rate(runs) { found, centre in
            found.clear()
            index.places(within: radius, of: centre, into: &found)
            return found.points.count
        }
        let nearest = rate(runs) { _, centre in
            var places = NearestPlaces(index, to: centre)
            var count = 0
            while count < 10, places.next() != nil { count += 1 }
            return count
        }
        let box = rate(runs) { found, centre in
            found.clear()
            let side = BoundingBox(
                south: centre.latitude - 0.03, west: centre.longitude - 0.04, north: centre.latitude + 0.03,
                east: centre.longitude + 0.04)
            index.places(in: side, into: &found)
            return found.points.count
        }
        Figures.record("within \(Int(radius.value)) m", "questions/s", within.perSecond)
        Figures.record("the nearest ten", "questions/s", nearest.perSecond)
        Figures.record("\(places.count) places", "built ms", building / .milliseconds(1))
        return """
            \(places.count) places, built in \(Self.text(building)) ms; \
            \(centres.count) more put one by one in \(Self.text(inserting)) ms
            \(Self.row("within \(Int(radius.value)) m, exact", within))
            \(Self.row("the nearest ten, exact", nearest))
            \(Self.row("in a box of 0.06° by 0.08°", box))
            """
    }

    private struct Rate {
        var perSecond: Double
        var hits: Double
    }

    private func rate(_ runs: Int, _ ask: (inout FoundPlaces, Coordinate) -> Int) -> Rate {
        var best = Rate(perSecond: 0, hits: 0)
        var found = FoundPlaces()
        for _ in 0..<runs {
            var hits = 0
            let duration = ContinuousClock().measure {
                for centre in centres { hits += ask(&found, centre) }
            }
            let rate = Double(centres.count) / (duration / .seconds(1))
            if rate > best.perSecond { best = Rate(perSecond: rate, hits: Double(hits) / Double(centres.count)) }
        }
        return best
    }

    private static func text(_ duration: Duration) -> String { String(format: "%.0f", duration / .milliseconds(1)) }

    private static func row(_ name: String, _ rate: Rate) -> String {
        name.padding(toLength: 34, withPad: " ", startingAt: 0)
            + String(format: "%10.0f questions/s %10.2f places each", rate.perSecond, rate.hits)
    }

    /// Writes `places.tsv` and `questions.tsv`: a number, longitude and latitude a line.
    func write(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, coordinates) in [("places.tsv", places), ("questions.tsv", centres)] {
            let lines = coordinates.enumerated().map { "\($0)\t\($1.longitude)\t\($1.latitude)\n" }
            try Data(lines.joined().utf8).write(to: folder.appending(path: name))
        }
    }
}
