import ArgumentParser
import Foundation
import MusterTerminal

/// The figures of docs/performance.md, measured on this machine.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "muster-bench",
        abstract: "Measure this machine. Build with -c release first; `make bench` runs all of it.",
        subcommands: [
            Ingest.self, People.self, Late.self, Amazon.self, LiveLatency.self, EngineSpeed.self, Regions.self,
            Places.self, Rules.self, Webhooks.self, Documents.self, Feeds.self, Edits.self, Sync.self, Datasets.self,
            Pushes.self, Watch.self, Attack.self, Truth.self, MQTT.self, Beacons.self, Sightings.self, NearPeers.self,
            NearPeersBeside.self, Discoveries.self, Relay.self, GraphQL.self, Trackers.self, TAK.self,
            Tiles.self,
        ])
}

/// Rows that a person reads.
enum Report {
    static let heading = heading(of: "positions")

    static func heading(of unit: String) -> String {
        row("scenario", ["requests/s", "\(unit)/s", "p50 ms", "p99 ms", "failed"])
    }

    /// Prints and records a row.
    ///
    /// - Parameters:
    ///   - each: how many positions, or other units of the heading, a request carries.
    ///   - unit: the unit of the heading.
    static func publish(_ name: String, _ outcome: Load.Outcome, each: Int, unit: String = "positions") {
        announce(
            row(
                name,
                [
                    String(Int(outcome.requestsPerSecond)), String(Int(outcome.requestsPerSecond * Double(each))),
                    String(format: "%.2f", outcome.latency(0.5)), String(format: "%.2f", outcome.latency(0.99)),
                    String(outcome.failures.values.reduce(0, +)),
                ]))
        Figures.record(name, "\(unit)/s", outcome.requestsPerSecond * Double(each))
        Figures.record(name, sortedMilliseconds: outcome.latencies)
    }

    private static func row(_ name: String, _ cells: [String]) -> String {
        name.padding(toLength: 46, withPad: " ", startingAt: 0)
            + cells.map { String(repeating: " ", count: max(1, 13 - $0.count)) + $0 }.joined()
    }
}
