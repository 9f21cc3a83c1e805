import ArgumentParser
import Foundation
import MusterCore
import MusterTerminal
import NIOCore
import NIOPosix

extension Bench {
    /// Measures the waits of leaders while everyone reports and watches, and members and strangers attack.
    struct Attack: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Leaders run incidents in a full house, while members and strangers attack.",
            discussion: """
                Fails where a leader's request fails, the p99 of a kind of request is over the limit, or anything \
                reaches someone of another team by the relay.
                """)
        @Option(help: "Members, each with a phone that reports every ten seconds and a live feed; mind `ulimit -n`.")
        var people = 2_000
        @Option(help: "Teams, each with a leader who runs one incident after another.") var leaders = 4
        @Option(help: "Seconds that it lasts.") var seconds = 60
        @Option(help: "Milliseconds that the p99 of each kind of leaders' requests may take; to sign in twice that.")
        var limit = 1_000.0
        @Option(
            help: "Only these attacks, as often as it is given: member, stranger, srp, codes, relay, mqtt or tls.")
        var only: [AttackKind] = []
        @Flag(help: "Run without attackers, for comparison.") var peaceful = false
        @Flag(help: "Run without attackers, and then each attack alone, each on a fresh server; record nothing.")
        var each = false

        func validate() throws {
            guard (10...10_000).contains(people) else { throw ValidationError("--people: 10 to 10000") }
            guard (1...100).contains(leaders), leaders <= people / 10 else {
                throw ValidationError("--leaders: 1 to 100, with ten people each")
            }
            guard (1...3_600).contains(seconds) else { throw ValidationError("--seconds: 1 to 3600") }
            guard !peaceful || (only.isEmpty && !each) else {
                throw ValidationError("--peaceful has no attackers, which --only and --each choose")
            }
        }

        func run() async throws {
            let kinds = only.isEmpty ? AttackKind.allCases : only
            guard each else {
                let outcome = try await attack(by: peaceful ? [] : kinds)
                outcome.samples.record()
                Figures.record("a member's position", sortedMilliseconds: outcome.positions.latencies)
                Figures.record("the server", bytes: outcome.residentBytes)
                if let fault = outcome.fault(limit: limit) { throw CommandFailure(fault) }
                return
            }
            var outcomes = [try await attack(by: [])]
            for kind in kinds { outcomes.append(try await attack(by: [kind])) }
            announce(AttackOutcome.heading)
            for outcome in outcomes { announce(outcome.line(over: seconds)) }
            if let fault = outcomes.lazy.compactMap({ $0.fault(limit: limit) }).first { throw CommandFailure(fault) }
        }

        /// Attacks a fresh server, and prints what came of it.
        private func attack(by kinds: [AttackKind]) async throws -> AttackOutcome {
            let folder = FileManager.default.temporaryDirectory.appending(path: "muster-attack-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            var arguments = ["--trusted-proxy", "127.0.0.1", "--registration", "open"]
            if kinds.contains(.mqtt) { arguments += ["--mqtt-port", "\(Self.mqttPort)"] }
            if kinds.contains(.tls) { arguments += try UnreadTLS.makeCertificate(in: folder) }
            let server = try await BenchServer.start(arguments: arguments)
            defer { server.stop() }
            let house = try await FullHouse.make(on: server, people: people, leaders: leaders)
            let feeds = try await house.watch()
            defer { for feed in feeds { feed.close(promise: nil) } }
            let names = kinds.isEmpty ? "nobody" : kinds.map(\.rawValue).joined(separator: ", ")
            announce("\(people) members report and watch, \(leaders) leaders run incidents for \(seconds) s")
            announce("who attacks: \(names)")
            let attackers = try await AttackKind.attackers(kinds, on: server, house: house)
            let end = ContinuousClock.now + .seconds(seconds)
            async let reported = house.report(forSeconds: seconds)
            async let attacks = tallies(of: attackers, until: end)
            var samples = LeaderSamples()
            try await withThrowingTaskGroup(of: LeaderSamples.self) { tasks in
                for number in 0..<leaders { tasks.addTask { await house.shift(of: number).run(until: end) } }
                for try await part in tasks { samples.merge(part) }
            }
            let outcome = AttackOutcome(
                name: kinds.isEmpty ? "nobody" : names, samples: samples, positions: try await reported,
                tallies: await attacks, residentBytes: server.residentBytes)
            outcome.announceLines()
            return outcome
        }

        private func tallies(
            of attackers: [any Attacker], until end: ContinuousClock.Instant
        ) async -> [(name: String, tally: AttackTally)] {
            await withTaskGroup(of: (name: String, tally: AttackTally).self) { tasks in
                for attacker in attackers { tasks.addTask { (attacker.name, await attacker.run(until: end)) } }
                return await tasks.reduce(into: []) { $0.append($1) }.sorted { $0.name < $1.name }
            }
        }

        private static let mqttPort = 18_835
    }
}

/// What came of a run.
struct AttackOutcome: Sendable {
    /// The kinds of the attacks.
    let name: String
    let samples: LeaderSamples
    let positions: Load.Outcome
    let tallies: [(name: String, tally: AttackTally)]
    let residentBytes: Int?

    private var tally: AttackTally { tallies.reduce(into: AttackTally()) { $0.merge($1.tally) } }

    func announceLines() {
        for (name, tally) in tallies {
            let told = tally.words.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
            announce("  \(name): " + told.joined(separator: ", "))
        }
        announce(LeaderSamples.heading)
        for line in samples.lines { announce(line) }
        let failed = positions.failures.values.reduce(0, +)
        announce(LeaderSamples.line("a member's position", positions.latencies, failed))
        announce("leaks: \(tally.leaks); RSS at the end: \(megabytes(residentBytes))")
    }

    /// The head of a table in Markdown.
    static let heading = """
        | Attack | Leaders' p50 | Leaders' p99 | Failed | Answered | Refused | No answer | A second | Leaks | Memory |
        |---|---|---|---|---|---|---|---|---|---|
        """

    /// A line of the table: leaders' waits and failures, what was answered and refused, how many requests, frames,
    /// messages or connections of attackers came to an end a second, and the server's memory at the end.
    func line(over seconds: Int) -> String {
        let (median, slow) = samples.all
        let tally = tally
        let cells = [
            name, String(format: "%.0f ms", median), String(format: "%.0f ms", slow), String(samples.failed),
            String(tally.answered), String(tally.refused), String(tally.unanswered), String(tally.sum / seconds),
            String(tally.leaks), megabytes(residentBytes),
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    /// The reason why the benchmark fails; nil if leaders could work and nothing leaked.
    func fault(limit: Double) -> String? {
        if tally.leaks > 0 { return "\(tally.leaks) leaks: the relay shows what it must not show" }
        return samples.fault(limit: limit).map { "attacked by \(name): \($0)" }
    }
}
