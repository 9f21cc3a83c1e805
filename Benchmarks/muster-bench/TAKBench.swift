import ArgumentParser
import Foundation
import MusterTerminal
import NIOPosix

extension Bench {
    /// Measures the time from a position's send to its arrival at the other TAK clients of its team, and the server's
    /// memory meanwhile.
    struct TAK: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "tak", abstract: "TAK clients over TLS: memory, and a position's way to its team.")
        @Option(help: "Clients, each with a certificate of its own.") var clients = 100
        @Option(help: "Clients of a team, each of which sees the others.") var teamSize = 20
        @Option(help: "Seconds of reports that are measured, after two seconds that are not.") var seconds = 5
        @Option(help: "Positions a second, of all clients together.") var rate = 100
        @Option(help: "The port for the server to be measured.") var port = 18_890

        func validate() throws {
            guard (2...5_000).contains(clients) else { throw ValidationError("--clients: 2 to 5000") }
            guard (2...100).contains(teamSize) else { throw ValidationError("--team-size: 2 to 100") }
            guard (1...600).contains(seconds) else { throw ValidationError("--seconds: 1 to 600") }
            guard (1...10_000).contains(rate) else { throw ValidationError("--rate: 1 to 10000") }
        }

        func run() async throws {
            let server = try await BenchServer.start(arguments: ["--tak-port", "\(port)"])
            defer { server.stop() }
            let before = server.residentBytes
            let crowd = try TAKCrowd(clients: clients, teams: (clients + teamSize - 1) / teamSize)
            try await crowd.enroll(at: server)
            try await crowd.connect(to: server, port: port)
            announce("RSS before \(megabytes(before)), with \(clients) clients \(megabytes(server.residentBytes))")
            try await report(by: crowd)
            let (after, own) = (server.residentBytes, server.ownBytes)
            let row = "\(clients) clients"
            let latencies = crowd.latencies.sorted()
            guard !latencies.isEmpty else { throw CommandFailure("no position arrived") }
            func share(_ part: Double) -> Double { latencies[Int(Double(latencies.count - 1) * part)] }
            let arrived = Double(latencies.count) / Double(crowd.expected) * 100
            announce(
                String(
                    format: "%d clients, %d positions/s: %.2f %% arrived at the others of the team: "
                        + "p50 %.2f ms, p99 %.2f ms, max %.2f ms; the generator was late by %.2f ms at most",
                    clients, rate, arrived, share(0.5), share(0.99), share(1), crowd.worstLateness))
            announce("RSS at the end \(megabytes(after)), without the program's own pages \(megabytes(own))")
            Figures.record(row, bytes: after)
            if let own { Figures.record(row, "own MB", Double(own) / 1e6) }
            Figures.record(row, "arrived %", arrived)
            Figures.record(row, sortedMilliseconds: latencies)
        }

        /// Sends the positions, each when the schedule says so: a server that is slow delays no later one, and what a
        /// position waits in this program counts as well.
        private func report(by crowd: TAKCrowd) async throws {
            let warmUp = 2 * rate
            let begin = ContinuousClock.now + .milliseconds(100)
            for number in 0..<warmUp + seconds * rate {
                let due = begin + .seconds(Double(number) / Double(rate))
                try await Task.sleep(until: due, clock: .continuous)
                crowd.report(number, due: due, isMeasured: number >= warmUp)
            }
            try await crowd.waitForRest()
        }
    }
}
