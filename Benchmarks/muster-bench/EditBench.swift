import ArgumentParser
import Foundation
import MusterCore
import MusterGeometry
import MusterTerminal
import NIOCore

extension Bench {
    /// Measures an edit that concerns everyone: it moves a muster region in which all people stand.
    struct Edits: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "A muster region in which everyone stands is moved, while others report.")
        @Option(help: "People with a phone each, all inside.") var people = 20_000

        func validate() throws {
            guard (100...1_000_000).contains(people) else { throw ValidationError("--people: 100 to 1000000") }
        }

        func run() async throws {
            let server = try await BenchServer.start()
            defer { server.stop() }
            try await server.connection.makeUnlessThere("/teams", json: NewTeam(name: "bench"))
            try await server.connection.makeUnlessThere("/collections", json: ["name": "yards"])
            try await putYard(on: server, west: 13)
            try await server.makePeople(people)
            try await assemble(on: server)
            let before = try await lastSequence(server)
            async let probes = probe(server)
            try await Task.sleep(for: .milliseconds(500))
            let clock = ContinuousClock()
            let start = clock.now
            try await putYard(on: server, west: 16)
            let answered = start.duration(to: clock.now) / .milliseconds(1)
            let moved = try await awaitSafety(of: people, after: before, on: server)
            let latencies = try await probes.sorted()
            announce("\(people) people stand in a muster region that is moved away:")
            let decided = start.duration(to: moved.at) / .milliseconds(1)
            Figures.record("\(people) people", "answered ms", answered)
            Figures.record("\(people) people", "all decided ms", decided)
            Figures.record("\(people) people", sortedMilliseconds: latencies)
            Figures.record("\(people) people", "at most ms", latencies.last ?? 0)
            announce(String(format: "the edit is answered after %.0f ms", answered))
            announce(String(format: "all are decided anew after %.0f ms, by %d changes", decided, moved.changes))
            announce(
                String(
                    format: "positions of others meanwhile: p50 %.1f ms, p99 %.1f ms, at most %.1f ms",
                    latencies[latencies.count / 2], latencies[latencies.count * 99 / 100], latencies.last ?? 0))
        }

        /// Puts the muster region, 4° wide, so that 14° to 15° E is inside of it or not.
        private func putYard(on server: BenchServer, west: Int) async throws {
            let ring = "[[\(west),45],[\(west + 4),45],[\(west + 4),48],[\(west),48],[\(west),45]]"
            let text =
                #"{"type":"FeatureCollection","features":[{"type":"Feature","id":"yard","properties":{"muster":true},"#
                + #""geometry":{"type":"Polygon","coordinates":[\#(ring)]}}]}"#
            try await server.connection.send(
                "POST", "/collections/yards/regions", body: Data(text.utf8), contentType: "application/geo+json")
        }

        /// Everyone reports three fixes, so that all are believed to be where they are.
        private func assemble(on server: BenchServer) async throws {
            let now = Instant(seconds: Date().timeIntervalSince1970)
            var walkers = Walkers(people, from: now.advanced(bySeconds: -60), stepMilliseconds: 10_000)
            for _ in 0..<3 {
                let requests = stride(from: 0, to: people, by: 100).map { first in
                    HTTPAnswer.request(
                        "POST", "/api/v1/positions", token: server.connection.token,
                        body: Reporter.body(
                            of: (first..<min(people, first + 100)).map { ("u\($0)/phone", walkers.next($0)) }))
                }
                let outcome = try await server.load.run(BenchServer.dealt(requests, to: 16))
                guard outcome.failures.isEmpty else { throw CommandFailure("reporting failed: \(outcome.failures)") }
            }
        }

        /// Reports the positions of one person for some seconds, and returns the wait of each in milliseconds.
        private func probe(_ server: BenchServer) async throws -> [Double] {
            let now = Instant(seconds: Date().timeIntervalSince1970)
            var walkers = Walkers(1, from: now.advanced(bySeconds: -20), stepMilliseconds: 1)
            var latencies: [Double] = []
            let clock = ContinuousClock()
            let end = clock.now + .seconds(6)
            while clock.now < end {
                let request = HTTPAnswer.request(
                    "POST", "/api/v1/positions", token: server.connection.token,
                    body: Reporter.body(of: [("u0/phone", walkers.next(0))]))
                let waited = try await clock.measure { _ = try await server.load.run([[request]]) }
                latencies.append(waited / .milliseconds(1))
            }
            return latencies
        }

        private func lastSequence(_ server: BenchServer) async throws -> Int64 {
            var page = ChangePage(items: [], lastSequence: 0, more: true)
            while page.more {
                page = try await server.connection.get("/changes?since=\(page.lastSequence)&limit=1000")
            }
            return page.lastSequence
        }

        /// Reads the log until the safety of so many is known again.
        private func awaitSafety(
            of people: Int, after sequence: Int64, on server: BenchServer
        ) async throws -> (at: ContinuousClock.Instant, changes: Int) {
            var (since, decided, count) = (sequence, Set<String>(), 0)
            let deadline = ContinuousClock.now + .seconds(120)
            while ContinuousClock.now < deadline {
                let page = try await server.connection.get("/changes?since=\(since)&limit=1000", as: ChangePage.self)
                since = page.lastSequence
                for change in page.items where change.type == "safety" {
                    guard change.source != "underReview", let user = change.user else { continue }
                    decided.insert(user)
                }
                count += page.items.count
                if decided.count >= people { return (.now, count) }
            }
            throw CommandFailure("only \(decided.count) of \(people) were decided anew in two minutes")
        }
    }
}

/// A page of the log, as far as it is looked at.
private struct ChangePage: Decodable {
    struct Change: Decodable {
        var type: String
        var user: String?
        var source: String?
    }

    var items: [Change]
    var lastSequence: Int64
    var more: Bool
}
