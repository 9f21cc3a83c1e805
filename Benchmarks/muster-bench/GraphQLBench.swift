import ArgumentParser
import Foundation
import MusterCore
import MusterGraphQL
import MusterTerminal
import MusterWire
import NIOCore
import NIOPosix

extension Bench {
    /// Measures `/graphql`: queries, subscriptions by WebSocket, and documents parsed and checked in this process.
    struct GraphQL: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "graphql",
            abstract: "Queries from 64 connections, lists of 1,000 people, and subscriptions by WebSocket.")
        @Option(help: "Queries, in thousands.") var thousands = 50
        @Option(help: "Idle subscriptions, each on a WebSocket of its own; mind `ulimit -n`.") var idle = 10_000
        @Option(help: "Subscriptions that hear each change of a person's safety.") var listeners = 1_000
        @Option(help: "Only the queries, sent to a peer at this port of this machine, which needs no key.")
        var peerPort: Int?

        func validate() throws {
            guard (1...10_000).contains(thousands) else { throw ValidationError("--thousands: 1 to 10000") }
            guard (1...10_000).contains(idle) else { throw ValidationError("--idle: 1 to 10000") }
            guard (1...10_000).contains(listeners) else { throw ValidationError("--listeners: 1 to 10000") }
        }

        func run() async throws {
            if let peerPort {
                let load = Load(host: "127.0.0.1", port: peerPort, group: .singletonMultiThreadedEventLoopGroup)
                return try await ask(load, token: "", row: "strawberry: getUser")
            }
            reportDocuments()
            let server = try await BenchServer.start()
            defer { server.stop() }
            try await server.connection.makeUnlessThere("/teams", json: NewTeam(name: "bench"))
            try await server.makePeople(Self.people)
            try await report(on: server)
            try await ask(server.load, token: server.connection.token, row: "Muster: getUser")
            try await list(on: server)
            try await listen(on: server)
            try await idle(on: server)
        }

        /// As many people as one page of a list holds.
        static let people = 1_000

        /// A position of everyone.
        private func report(on server: BenchServer) async throws {
            var walkers = Walkers(
                Self.people, from: Instant.now.advanced(bySeconds: -30), stepMilliseconds: 10_000)
            let requests = stride(from: 0, to: Self.people, by: 100).map { first in
                HTTPAnswer.request(
                    "POST", "/api/v1/positions", token: server.connection.token,
                    body: Reporter.body(of: (first..<first + 100).map { ("u\($0)/phone", walkers.next($0)) }))
            }
            let outcome = try await server.load.run([requests])
            guard outcome.failures.isEmpty else { throw CommandFailure("reporting failed: \(outcome.failures)") }
        }

        /// Throws where the answer to a request has no data, so that no fault is measured for an answer.
        private func requireData(_ load: Load, _ request: ByteBuffer) async throws {
            let once = OneRequest(host: load.host, port: load.port, group: load.group)
            let text = String(decoding: try await once.send(request).body, as: UTF8.self)
            guard text.contains(#""data""#), !text.contains(#""errors""#) else {
                throw CommandFailure("the query has no answer: \(text.prefix(300))")
            }
        }

        private func ask(_ load: Load, token: String, row: String) async throws {
            let query = "query ($id: ID!) { getUser(id: $id) { id username isSafe } }"
            let requests = (0..<thousands * 1000).map { number in
                Self.request(query, variables: #"{"id":"u\#(number % Self.people)"}"#, token: token)
            }
            try await requireData(load, requests[0])
            let outcome = try await load.run(BenchServer.dealt(requests, to: 64))
            announce(Report.heading(of: "queries"))
            Report.publish(row, outcome, each: 1, unit: "queries")
        }

        /// Everyone with their last position, one answer after another.
        private func list(on server: BenchServer) async throws {
            let query =
                "{ people(first: 1000) { edges { node { name safety position { "
                + "coordinate { latitudeDegrees longitudeDegrees } sampleTime } } } } }"
            let request = Self.request(query, token: server.connection.token)
            try await requireData(server.load, request)
            _ = try await server.load.run([Array(repeating: request, count: 10)])
            let outcome = try await server.load.run([Array(repeating: request, count: 100)])
            Report.publish("1000 people with their position", outcome, each: 1, unit: "queries")
        }

        static func request(_ query: String, variables: String = "{}", token: String) -> ByteBuffer {
            HTTPAnswer.request(
                "POST", "/graphql", token: token,
                body: Array(#"{"query":"\#(query)","variables":\#(variables)}"#.utf8))
        }
    }
}

extension Bench.GraphQL {
    /// A document of a thousand bytes, parsed and checked again and again on one thread.
    private func reportDocuments() {
        var source = "query Everything($id: ID!, $first: Int = 10) { me { id name team { id name } }"
        var number = 0
        while source.utf8.count < 960 {
            source += " p\(number): people(first: $first) { edges { node { name safety } } }"
            number += 1
        }
        source += " node(id: $id) { id } }"
        let text = source
        let rounds = 2_000
        let duration = ContinuousClock().measure {
            for _ in 0..<rounds {
                guard (try? GraphQLRequest(text, schema: ServedSchema.schema, limits: ServedSchema.limits)) != nil
                else {
                    preconditionFailure("the bench's document does not fit the schema")
                }
            }
        }
        let micros = duration / .microseconds(1) / Double(rounds)
        announce(String(format: "a document of %d bytes, parsed and checked: %.1f µs", text.utf8.count, micros))
        Figures.record("a document of 1 kB", "µs", micros)
    }

    /// The time from a declaration until each of many subscribers has its change.
    private func listen(on server: BenchServer) async throws {
        let crowd = SubscriberCrowd()
        let channels = try await crowd.open(listeners, on: server)
        let kinds = ["needsHelp", "safe"]
        for number in 0..<22 {
            // The first two are for warming up.
            if number == 2 { crowd.forgetLatencies() }
            let body = Array(#"{"kind":"\#(kinds[number % 2])"}"#.utf8)
            let request = HTTPAnswer.request(
                "POST", "/api/v1/users/u1/declarations", token: server.connection.token, body: body)
            crowd.noteSending()
            let outcome = try await server.load.run([[request]])
            guard outcome.failures.isEmpty else { throw CommandFailure("declaring failed: \(outcome.failures)") }
            try await crowd.wait(until: \.heard, is: (number + 1) * listeners)
        }
        let latencies = crowd.latencies.sorted()
        announce(
            String(
                format: "a change of safety at %d subscribers: p50 %.1f ms, p99 %.1f ms", listeners,
                latencies[latencies.count / 2], latencies[latencies.count * 99 / 100]))
        Figures.record("\(listeners) subscribers", sortedMilliseconds: latencies)
        for channel in channels { try? await channel.close() }
    }

    /// The memory of a server with many subscriptions that hear nothing.
    private func idle(on server: BenchServer) async throws {
        // The server releases what the subscribers before took.
        try await Task.sleep(for: .seconds(8))
        let before = server.residentBytes
        let crowd = SubscriberCrowd()
        let channels = try await crowd.open(idle, on: server)
        let after = server.residentBytes
        announce("RSS before: \(megabytes(before)), with \(idle) subscriptions: \(megabytes(after))")
        Figures.record("\(idle) idle subscriptions", bytes: after)
        if let before, let after {
            Figures.record("\(idle) idle subscriptions", "bytes each", Double(after - before) / Double(idle))
        }
        for channel in channels { try? await channel.close() }
    }
}
