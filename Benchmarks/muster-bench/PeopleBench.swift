import ArgumentParser
import Foundation
import MusterTerminal

extension Bench {
    /// People made through the API, and the memory that they take.
    struct People: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "People with a phone each, made through the API one by one; and the server's memory.")
        @Option(help: "People.") var count = 100_000
        @Option(help: "Positions of all of them, in thousands, before the memory is read again; 0 for none.")
        var thousands = 0

        func validate() throws {
            guard (64...1_000_000).contains(count) else { throw ValidationError("--count: 64 to 1000000") }
            guard (0...100_000).contains(thousands) else { throw ValidationError("--thousands: 0 to 100000") }
        }

        func run() async throws {
            let server = try await BenchServer.start()
            defer { server.stop() }
            try await server.putFences(1000)
            let seconds = try await ContinuousClock().measure { try await server.makePeople(count) } / .seconds(1)
            announce(
                String(
                    format: "%d people and their phones made in %.1f s: %.0f requests/s", count, seconds,
                    Double(2 * count) / seconds))
            let name = "\(count) people with a phone each"
            Figures.record(name, "s", seconds)
            Figures.record(name, bytes: server.residentBytes)
            announce("RSS with 1,000 fences and all of them: \(megabytes(server.residentBytes))")
            guard thousands > 0 else { return }
            try await report(to: server)
            let resident = server.residentBytes
            announce("RSS after \(thousands) thousand positions of all of them: \(megabytes(resident))")
            Figures.record(name + ", after \(thousands) thousand positions", bytes: resident)
        }

        /// Reports in requests of 100, a million at a time.
        private func report(to server: BenchServer) async throws {
            var scenarios = Scenarios(server: server, people: count, clocks: .right)
            var left = thousands
            while left > 0 {
                let part = min(left, 1000)
                let outcome = try await scenarios.run(.hundreds, positions: part * 1000)
                guard outcome.failures.isEmpty else { throw CommandFailure("reporting failed: \(outcome.failures)") }
                left -= part
            }
        }
    }
}
