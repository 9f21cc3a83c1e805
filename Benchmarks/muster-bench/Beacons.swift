import ArgumentParser
import Foundation
import MusterSimulator
import MusterTerminal

extension Bench {
    /// Prints the table in docs/truth.md that compares rules for finding the room of a tag.
    struct Beacons: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "How often each rule tells the right room of a tag, how often it flaps, and how late it is.")
        @Option(help: "Hours in the seeded house.") var hours = 20.0
        @Option(help: "The seed of the house.") var seed: UInt64 = 1
        @Option(help: "The folder of the BLE RSSI dataset, with trk/.") var data: String?

        func validate() throws {
            guard (0.1...10_000).contains(hours) else { throw ValidationError("--hours: 0.1 to 10000") }
        }

        func run() async throws {
            announce("| Where | Rule | right % | flaps an hour | delay p50 s |")
            announce("|---|---|---|---|---|")
            printScores("seeded house, six rooms", [RadioHouse.hearings(hours: hours, seed: seed)], rooms: 6)
            guard let data else { return }
            let folder = URL(filePath: data)
            printScores("open hall, four corners, walking", try Self.walks(in: folder.appending(path: "trk")), rooms: 4)
        }

        private func printScores(_ place: String, _ hearings: [[RadioHouse.Hearing]], rooms: Int) {
            line(place, "nearest signal", hearings) { NearestRule() }
            line(place, "3 of 5 seconds", hearings) { VoteRule(3, of: 5) }
            line(place, "ours", hearings) { EngineRule(rooms: rooms) }
        }

        private func line<Rule: RoomRule>(
            _ place: String, _ name: String, _ hearings: [[RadioHouse.Hearing]], _ rule: () -> Rule
        ) {
            var score = RoomScore()
            for heard in hearings { score.add(heard, by: rule()) }
            let right = String(format: "%.1f", score.rightShare * 100)
            let flaps = String(format: "%.1f", score.flapsPerHour)
            let delay = score.medianDelay.map { String(format: "%.1f", $0) } ?? "–"
            announce("| \(place) | \(name) | \(right) | \(flaps) | \(delay) |")
        }

        private static func walks(in folder: URL) throws -> [[RadioHouse.Hearing]] {
            try files(in: folder).map { RoomRecording.hearings(try String(contentsOf: $0, encoding: .utf8)) }
        }

        private static func files(in folder: URL) throws -> [URL] {
            try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .filter { $0.pathExtension == "mbd" }.sorted { $0.path < $1.path }
        }
    }
}
