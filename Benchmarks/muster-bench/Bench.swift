import ArgumentParser
import Foundation
import MusterCore
import MusterTerminal
import NIOCore

/// The figures of docs/performance.md, measured on this machine.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "muster-bench",
        abstract: "Measure this machine. Build with -c release first.",
        subcommands: [
            Ingest.self, Amazon.self, LiveLatency.self, EngineSpeed.self, Regions.self, Places.self, Rules.self,
            Webhooks.self, Documents.self, Feeds.self, Edits.self, Sync.self, Datasets.self, Pushes.self,
            Watch.self, Attack.self, Truth.self, MQTT.self, Beacons.self, Sightings.self, NearPeers.self,
            NearPeersBeside.self, Discoveries.self, Relay.self,
        ])

    /// Positions over HTTP, durable before the answer.
    struct Ingest: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Positions over HTTP, on disk before the answer, 1,000 fences evaluated.")
        @Option(help: "Positions of each scenario, in thousands.") var thousands = 1000
        @Option(help: "Go on to so many million positions, and compare the last million with the first.")
        var growMillions = 0
        @Option(help: "People with a phone each.") var people = 10_000
        @Option(help: "Seconds of rest before the memory is read again at the end.") var rest = 0
        @Option(help: "Only the scenario whose name contains this.") var only: String?

        func validate() throws {
            guard (64...1_000_000).contains(people) else { throw ValidationError("--people: 64 to 1000000") }
            guard thousands > 0, growMillions >= 0 else { throw ValidationError("counts must be positive") }
        }

        func run() async throws {
            let server = try await BenchServer.start()
            defer { server.stop() }
            try await server.putFences(1000)
            try await server.makePeople(people)
            let reach = server.residentBytes.map { "\($0 / 1_000_000) MB" } ?? "unknown"
            announce("Server with \(people) people and 1,000 fences: RSS \(reach)")
            announce(Report.heading)
            var scenarios = Scenarios(server: server, people: people)
            let count = thousands * 1000
            try await measure("1 connection × 1", [1, 1], max(2000, count / 100), &scenarios)
            try await measure("64 connections × 1", [64, 1], count / 4, &scenarios)
            try await measure("64 × 100, one device a request", [64, 100], count, &scenarios)
            try await measure("64 × 100, devices mixed", [64, 100], count, &scenarios, isMixed: true)
            try await measure(
                "64 × 100, mixed, older than stored", [64, 100], count / 2, &scenarios, isMixed: true, isOld: true)
            if growMillions > 0 { try await grow(&scenarios) }
            try await Task.sleep(for: .seconds(rest))
            announce("RSS at the end: \(server.residentBytes.map { "\($0 / 1_000_000) MB" } ?? "unknown")")
        }

        private func measure(
            _ name: String, _ shape: [Int], _ positions: Int, _ scenarios: inout Scenarios, isMixed: Bool = false,
            isOld: Bool = false
        ) async throws {
            if let only, !name.contains(only) { return }
            let requests = scenarios.requests(
                connections: shape[0], positions: positions, each: shape[1], isMixed: isMixed, isOld: isOld)
            let outcome = try await scenarios.server.load.run(requests)
            announce(Report.row(name, outcome, each: shape[1]))
        }

        private func grow(_ scenarios: inout Scenarios) async throws {
            var first = 0.0
            for million in 1...growMillions {
                let requests = scenarios.requests(
                    connections: 64, positions: 1_000_000, each: 100, isMixed: true, isOld: false)
                let outcome = try await scenarios.server.load.run(requests)
                let rate = outcome.requestsPerSecond * 100
                if million == 1 { first = rate }
                announce(Report.row("million \(million)", outcome, each: 100))
                if million == growMillions { announce("The last is \(Int(rate / first * 100)) % of the first.") }
            }
        }
    }
}

/// The requests of each scenario; the sample times continue from one scenario to the next.
struct Scenarios {
    let server: BenchServer
    private var present: Walkers
    private var past: Walkers

    init(server: BenchServer, people: Int) {
        self.server = server
        let now = Instant(seconds: Date().timeIntervalSince1970)
        // A millisecond a sample, so that millions of samples a walker stay within the retention and behind the clock.
        present = Walkers(people, from: now.advanced(bySeconds: -20 * 86_400), stepMilliseconds: 37)
        past = Walkers(people, from: now.advanced(bySeconds: -20 * 86_400), stepMilliseconds: -37, seed: 8)
    }

    /// For each connection its requests, of `each` positions, `positions` in all.
    mutating func requests(
        connections: Int, positions: Int, each: Int, isMixed: Bool, isOld: Bool
    ) -> [[ByteBuffer]] {
        let perConnection = max(1, positions / each / connections)
        let token = server.connection.token
        var requests = Array(repeating: [ByteBuffer](), count: connections)
        for _ in 0..<perConnection {
            for connection in 0..<connections {
                let request =
                    switch (isMixed, isOld) {
                    case (true, true): past.mixedRequest(count: each, token: token)
                    case (true, false): present.mixedRequest(count: each, token: token)
                    case (false, true): past.request(of: connection, count: each, token: token)
                    case (false, false): present.request(of: connection, count: each, token: token)
                    }
                requests[connection].append(request)
            }
        }
        return requests
    }
}

/// Rows that a person reads.
enum Report {
    static let heading = heading(of: "positions")

    static func heading(of unit: String) -> String {
        row("scenario", ["requests/s", "\(unit)/s", "p50 ms", "p99 ms", "failed"])
    }

    /// - Parameter each: how many positions, or other units of the heading, a request carries.
    static func row(_ name: String, _ outcome: Load.Outcome, each: Int) -> String {
        row(
            name,
            [
                String(Int(outcome.requestsPerSecond)), String(Int(outcome.requestsPerSecond * Double(each))),
                String(format: "%.2f", outcome.latency(0.5)), String(format: "%.2f", outcome.latency(0.99)),
                String(outcome.failures.values.reduce(0, +)),
            ])
    }

    private static func row(_ name: String, _ cells: [String]) -> String {
        name.padding(toLength: 38, withPad: " ", startingAt: 0)
            + cells.map { String(repeating: " ", count: max(1, 13 - $0.count)) + $0 }.joined()
    }
}
