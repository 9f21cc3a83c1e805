import ArgumentParser
import Foundation
import MusterCore
import MusterGeometry
import MusterSimulator
import MusterTerminal
import MusterWire

extension Bench {
    /// The tables of docs/truth.md.
    struct Truth: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "How often each rule errs about who is inside, in a seeded simulation with known truth.")
        @Option(help: "Days of a phone that lies still, for each column; or runs of each scenario.")
        var deviceDays = 100
        @Option(help: "The seed of the simulation.") var seed: UInt64 = 1
        @Option(help: "A folder of real tracks as GPX files, for the column of visits.") var gpx: String?
        @Flag(help: "Check the confident policy against its bounds instead; fails when one does not hold.")
        var acceptance = false

        @Flag(help: "Study corners, strips, holes and small shapes instead: by nearest boundary / by mass.")
        var shapes = false

        @Flag(help: "Study who counts as safe instead, beside simpler rules; fails when a bound does not hold.")
        var safety = false

        @Flag(help: "Print flips against delay for other thresholds instead.")
        var frontier = false

        func validate() throws {
            guard (1...100_000).contains(deviceDays) else { throw ValidationError("--device-days: 1 to 100000") }
        }

        func run() async throws {
            if acceptance { return try await accept() }
            if safety {
                let study = await TruthSafety(runs: deviceDays, seed: seed).lines()
                for line in study.lines { announce(line) }
                guard study.failed == 0 else { throw CommandFailure("\(study.failed) of the bounds do not hold") }
                return
            }
            if shapes {
                for line in await TruthShapes(deviceDays: deviceDays, seed: seed).lines() { announce(line) }
                return
            }
            let arrivals = TruthArrivals(deviceDays: deviceDays, seed: seed)
            if frontier {
                for line in await arrivals.frontier() { announce(line) }
                return
            }
            let table = TruthTable(deviceDays: deviceDays, seed: seed, tracks: try gpx.map(Self.tracks) ?? [])
            for line in await table.lines() + [""] + arrivals.lines() { announce(line) }
        }

        private func accept() async throws {
            var failed = 0
            for check in StudyCheck.all {
                let score = await Halves.scores(runs: Int(Double(deviceDays) * check.runsPerDay)) { runs in
                    [check.score(seed: seed, runs: runs)]
                }[0]
                let figure = check.measured(score)
                let holds = check.bound.holds(for: figure)
                if !holds { failed += 1 }
                announce("\(holds ? "pass" : "FAIL")  \(check.name): \(TruthTable.number(figure)) \(check.bound)")
            }
            guard failed == 0 else { throw CommandFailure("\(failed) of the bounds do not hold") }
        }

        /// The tracks of the GPX files in a folder that have times and last long enough.
        private static func tracks(in folder: String) throws -> [RecordedPath] {
            let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".gpx") }
            let tracks = files.sorted().flatMap { file -> [RecordedPath] in
                guard let data = FileManager.default.contents(atPath: folder + "/" + file),
                    let document = try? GPXDocument(parsing: Array(data))
                else { return [] }
                return document.tracks.compactMap { path(of: $0.segments.flatMap { $0 }) }
            }
            guard !tracks.isEmpty else { throw CommandFailure("no GPX track of 10 minutes or more in \(folder)") }
            announce("Real tracks: \(tracks.map { "\(Int($0.seconds / 60)) min" }.joined(separator: ", "))")
            return tracks
        }

        private static func path(of points: [GPXDocument.Point]) -> RecordedPath? {
            guard let origin = points.first?.coordinate, abs(origin.latitude) <= 85 else { return nil }
            let plane = LocalPlane(origin: origin)
            return RecordedPath(
                points.compactMap { point in
                    point.time.map { (seconds: $0.seconds, offset: plane.offset(point.coordinate)) }
                })
        }
    }
}

/// Runs, in two halves side by side.
enum Halves {
    static func scores(
        runs: Int, _ body: @escaping @Sendable (Range<Int>) -> [StudyScore]
    ) async -> [StudyScore] {
        async let first = body(0..<runs / 2)
        var scores = body(runs / 2..<runs)
        for (index, score) in await first.enumerated() { scores[index].add(score) }
        return scores
    }
}
