import ArgumentParser
import Foundation
import MusterCore
import MusterTerminal
import NIOCore
import NIOPosix

extension Bench {
    /// Measures the waits of leaders while everyone reports and watches, and a member and a stranger attack.
    struct Attack: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Leaders run incidents in a full house, while a member and a stranger attack.",
            discussion: "Fails where a leader's request fails, or the p99 of a kind of request is over the limit.")
        @Option(help: "Members, each with a phone that reports every ten seconds and a live feed; mind `ulimit -n`.")
        var people = 2_000
        @Option(help: "Teams, each with a leader who runs one incident after another.") var leaders = 4
        @Option(help: "Seconds that it lasts.") var seconds = 60
        @Option(help: "Milliseconds that the p99 of each kind of leaders' requests may take.") var limit = 1_000.0
        @Flag(help: "Run without attackers, for comparison.") var peaceful = false

        func validate() throws {
            guard (10...10_000).contains(people) else { throw ValidationError("--people: 10 to 10000") }
            guard (1...100).contains(leaders), leaders <= people / 10 else {
                throw ValidationError("--leaders: 1 to 100, with ten people each")
            }
            guard (1...3_600).contains(seconds) else { throw ValidationError("--seconds: 1 to 3600") }
        }

        func run() async throws {
            let server = try await BenchServer.start(arguments: ["--trusted-proxy", "127.0.0.1"])
            defer { server.stop() }
            let house = try await FullHouse.make(on: server, people: people, leaders: leaders)
            let feeds = try await house.watch()
            defer { for feed in feeds { feed.close(promise: nil) } }
            announce("\(people) members report and watch, \(leaders) leaders run incidents for \(seconds) s")
            let attackers = peaceful ? [] : try await Attackers.prepare(on: server, house: house)
            let end = ContinuousClock.now + .seconds(seconds)
            async let reported = house.report(forSeconds: seconds)
            async let attacks = Attackers.run(attackers, until: end)
            var samples = LeaderSamples()
            try await withThrowingTaskGroup(of: LeaderSamples.self) { tasks in
                for number in 0..<leaders { tasks.addTask { await house.shift(of: number).run(until: end) } }
                for try await part in tasks { samples.merge(part) }
            }
            let positions = try await reported
            for line in await attacks { announce(line) }
            announce(LeaderSamples.heading)
            for line in samples.lines { announce(line) }
            samples.record()
            Figures.record("a member's position", sortedMilliseconds: positions.latencies)
            Figures.record("the server", bytes: server.residentBytes)
            let refused = positions.failures.values.reduce(0, +)
            announce(LeaderSamples.line("a member's position", positions.latencies, refused))
            announce("RSS at the end: \(server.residentBytes.map { "\($0 / 1_000_000) MB" } ?? "unknown")")
            if let fault = samples.fault(limit: limit) { throw CommandFailure(fault) }
        }
    }
}

/// The durations of leaders' requests, by kind.
struct LeaderSamples: Sendable {
    /// The order of the requests in a leader's shift.
    private static let kinds = [
        "sign in", "see the team", "open an incident", "incident on the live feed", "call the roll", "mark a person",
        "close the incident",
    ]
    private var milliseconds: [String: [Double]] = [:]
    private var failures: [String: [String]] = [:]

    mutating func add(_ kind: String, _ time: Double) { milliseconds[kind, default: []].append(time) }

    mutating func addFailure(_ kind: String, _ reason: String) { failures[kind, default: []].append(reason) }

    mutating func merge(_ other: LeaderSamples) {
        milliseconds.merge(other.milliseconds, uniquingKeysWith: +)
        failures.merge(other.failures, uniquingKeysWith: +)
    }

    static let heading = "request".padded + "       count      p50 ms      p99 ms  at most ms      failed"

    static func line(_ name: String, _ times: [Double], _ failed: Int) -> String {
        let sorted = times.sorted()
        let numbers = [share(0.5, of: sorted), share(0.99, of: sorted), sorted.last ?? 0]
        return name.padded + String(format: "%12d", sorted.count)
            + numbers.map { String(format: "%12.1f", $0) }.joined() + String(format: "%12d", failed)
    }

    var lines: [String] {
        Self.kinds.map { Self.line($0, milliseconds[$0] ?? [], failures[$0]?.count ?? 0) }
            + [Self.line("all of the leaders'", milliseconds.values.flatMap { $0 }, failures.values.joined().count)]
    }

    func record() {
        for (kind, times) in milliseconds { Figures.record(kind, sortedMilliseconds: times.sorted()) }
        Figures.record("all of the leaders' requests", sortedMilliseconds: milliseconds.values.flatMap { $0 }.sorted())
    }

    /// The reason why the benchmark fails; nil if leaders could work.
    func fault(limit: Double) -> String? {
        for kind in Self.kinds {
            if let reason = failures[kind]?.first { return "leaders could not always \(kind): \(reason)" }
            guard let times = milliseconds[kind], !times.isEmpty else { return "no leader came to \(kind)" }
            let slow = Self.share(0.99, of: times.sorted())
            if slow > limit {
                return String(format: "to %@ took leaders %.0f ms (p99); %.0f ms are allowed", kind, slow, limit)
            }
        }
        return nil
    }

    private static func share(_ part: Double, of sorted: [Double]) -> Double {
        sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
    }
}

extension String {
    fileprivate var padded: String { padding(toLength: 28, withPad: " ", startingAt: 0) }
}
