import ArgumentParser
import Foundation
import MusterNearby
import MusterTerminal

extension Bench {
    /// Peers that measure each other over real channels on loopback.
    struct NearPeers: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "nearby",
            abstract: "One device and its peers over TLS on loopback: the first distance, and the cost of updates.")
        @Option(help: "Peers.") var peers = 50
        @Option(help: "Updates of each peer a second.") var rate = 60.0
        @Option(help: "Seconds to measure for.") var seconds = 10

        func validate() throws {
            guard (1...64).contains(peers), (1...100).contains(rate), seconds > 0 else {
                throw ValidationError("--peers: 1 to 64; --rate: 1 to 100; --seconds: above 0")
            }
        }

        func run() async throws {
            let hub = try device("hub", east: 0, dialling: nil)
            let tasks = Tasks()
            defer { tasks.cancel() }
            tasks.start(hub)
            var news = hub.events.makeAsyncIterator()
            var port = 0
            while port == 0, let event = await news.next() { if case .listening(let open) = event { port = open } }
            var waits: [Double] = []
            for index in 0..<peers {
                // A device accepts 30 handshakes of one address in 10 s, and these all come from one.
                try await Task.sleep(for: .milliseconds(350))
                let began = ContinuousClock.now
                let name = "peer \(index)"
                tasks.start(try device(name, east: 1 + Double(index) / 2, dialling: port))
                while let event = await news.next() {
                    if case .update(let peer, .measured) = event, peer.name == name { break }
                }
                waits.append((ContinuousClock.now - began) / .milliseconds(1))
            }
            waits.sort()
            let first = (Int(waits[waits.count / 2]), Int(waits[waits.count * 95 / 100]))
            announce("From the call to the first distance: p50 \(first.0) ms, p95 \(first.1) ms, \(peers) peers")
            try await measureCost(&news)
        }

        /// Counts the hub's updates. The peers run in the same process, so half of the processor time is the hub's.
        private func measureCost(_ news: inout News<NearbyEvent>.AsyncIterator) async throws {
            let (began, used) = (ContinuousClock.now, Self.processorSeconds())
            var updates = 0
            while ContinuousClock.now - began < .seconds(seconds), let event = await news.next() {
                if case .update(_, .measured) = event { updates += 1 }
            }
            let time = (ContinuousClock.now - began) / .seconds(1)
            let share = (Self.processorSeconds() - used) / time / 2
            announce(
                "\(Int(Double(updates) / time)) updates a second of \(peers) peers: "
                    + "\(Int(share * 100)) % of a core an end")
        }

        private func device(_ name: String, east: Double, dialling port: Int?) throws -> Nearby {
            var options = Nearby.Options(name: name)
            options.host = "127.0.0.1"
            let source = SimulatedRanging(
                .standing(east: east, north: 0, heading: 90), seed: UInt64(east * 2), rate: rate)
            let found = port.map { [StaticDiscovery([PeerAddress(host: "127.0.0.1", port: $0)])] } ?? []
            return try Nearby(options: options, source: source, store: try NearbyStore(), discovery: found) { _ in true
            }
        }

        /// The processor time of this process, seconds.
        private static func processorSeconds() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

        /// Runs devices until it is cancelled.
        private final class Tasks {
            private var all: [Task<Void, any Error>] = []

            func start(_ nearby: Nearby) { all.append(Task { try await nearby.run() }) }
            func cancel() { for task in all { task.cancel() } }
        }
    }
}
