import ArgumentParser
import Foundation
import MusterCore
import MusterTerminal

extension Bench {
    /// Positions over HTTP, durable before the answer.
    struct Ingest: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Positions over HTTP, on disk before the answer, 1,000 fences evaluated.",
            discussion: """
                The phones' clocks are right: every sample is less than a minute old when it is sent, and none is ahead.
                """)
        @Option(help: "Positions of each scenario, in thousands.") var thousands = 1000
        @Flag(help: "The phones' clocks are 20 days behind, so the server watches each of them.") var clockOff = false
        @Flag(help: "The phones' clocks are right, and they upload what they stored before.") var late = false
        @Option(help: "Go on to so many million positions, and compare the last million with the first.")
        var growMillions = 0
        @Option(
            help: """
                Send a million positions in requests of 100, then so many thousand in requests of one, then a million \
                in requests of 100 again, and compare the two rates.
                """)
        var singlesThousands = 0
        @Option(help: "People with a phone each.") var people = 10_000
        @Option(help: "Seconds of rest before the memory is read again at the end.") var rest = 0
        @Option(help: "Only the scenario whose name contains this.") var only: String?

        func validate() throws {
            guard (64...1_000_000).contains(people) else { throw ValidationError("--people: 64 to 1000000") }
            guard thousands > 0, growMillions >= 0, singlesThousands >= 0 else {
                throw ValidationError("counts must be positive")
            }
            guard !late || (!clockOff && growMillions == 0 && singlesThousands == 0) else {
                throw ValidationError("--late goes with no other kind of run")
            }
        }

        func run() async throws {
            let server = try await BenchServer.start()
            defer { server.stop() }
            try await server.putFences(1000)
            try await server.makePeople(people)
            announce("Server with \(people) people and 1,000 fences: RSS \(megabytes(server.residentBytes))")
            announce(Report.heading)
            let count = thousands * 1000
            if late {
                var scenarios = LateScenarios(server: server, people: people)
                try await scenarios.prepare()
                for scenario in LateScenarios.Scenario.allCases where isWanted(scenario.rawValue) {
                    let outcome = try await scenarios.run(scenario, positions: count / 2)
                    Report.publish(scenario.rawValue, outcome, each: 100)
                }
            } else {
                var scenarios = Scenarios(server: server, people: people, clocks: clockOff ? .behind : .right)
                try await runAll(&scenarios, count)
                if growMillions > 0 { try await grow(&scenarios) }
                if singlesThousands > 0 { try await runHour(&scenarios) }
            }
            try await Task.sleep(for: .seconds(rest))
            announce("RSS at the end: \(megabytes(server.residentBytes))")
        }

        private func isWanted(_ name: String) -> Bool { only.map(name.contains) ?? true }

        private func runAll(_ scenarios: inout Scenarios, _ count: Int) async throws {
            let all: [(String, Scenarios.Shape, Int)] = [
                ("1 connection × 1", .init(connections: 1, each: 1), max(2000, count / 100)),
                ("64 connections × 1", .init(connections: 64, each: 1), count / 4),
                ("64 × 100, one device a request", .init(connections: 64, each: 100), count),
                ("64 × 100, devices mixed", .hundreds, count),
            ]
            for (name, shape, positions) in all where isWanted(name) {
                Report.publish(name, try await scenarios.run(shape, positions: positions), each: shape.each)
            }
        }

        private func grow(_ scenarios: inout Scenarios) async throws {
            var first = 0.0
            for million in 1...growMillions {
                let outcome = try await scenarios.run(.hundreds, positions: 1_000_000)
                let rate = outcome.requestsPerSecond * 100
                if million == 1 { first = rate }
                Report.publish("million \(million)", outcome, each: 100)
                if million == growMillions {
                    announce("The last is \(Int(rate / first * 100)) % of the first.")
                    Figures.record("the last of \(growMillions) million, against the first", "%", rate / first * 100)
                }
            }
        }

        /// Single positions merge into the history in small blocks: as many of them as the phones send in an hour, and
        /// what they cost the requests of 100 that follow. Where the clocks are behind, they advance by an hour
        /// meanwhile. Where they are right, they advance by the minute that it takes.
        private func runHour(_ scenarios: inout Scenarios) async throws {
            let first = try await scenarios.run(.hundreds, positions: 1_000_000)
            Report.publish("hundreds, before the singles", first, each: 100)
            scenarios.passHour(with: singlesThousands * 1000 / people)
            // The requests are made beforehand, which takes memory; and between two parts the server has a rest, in
            // which it merges what is staged.
            var (left, requests, seconds) = (singlesThousands, 0, 0.0)
            while left > 0 {
                let part = min(left, 100)
                let outcome = try await scenarios.run(
                    .init(connections: 64, each: 1, isMixed: true), positions: part * 1000)
                requests += outcome.requests
                seconds += outcome.seconds
                left -= part
            }
            announce("\(requests) single positions of all devices: \(Int(Double(requests) / seconds))/s")
            scenarios.passHour(with: nil)
            let last = try await scenarios.run(.hundreds, positions: 1_000_000)
            Report.publish("hundreds, after the singles", last, each: 100)
            let share = last.requestsPerSecond / first.requestsPerSecond * 100
            announce("After the singles it is \(Int(share)) % of before.")
            Figures.record("hundreds after an hour of singles, last against first", "%", share)
        }
    }
}
