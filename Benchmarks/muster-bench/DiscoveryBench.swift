import ArgumentParser
import Foundation
import MusterNearby
import MusterTerminal

extension Bench {
    /// Measures the time until devices find each other by multicast DNS.
    struct Discoveries: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "discovery", abstract: "How soon a device on the same network is found by multicast DNS.",
            discussion: """
                Every device has sockets of its own, and sends and receives real multicast datagrams. Both devices \
                announce themselves and look for others, as `muster nearby` does.
                """)
        @Option(help: "How often each is measured.") var rounds = 20

        func validate() throws {
            guard rounds > 0 else { throw ValidationError("--rounds: above 0") }
        }

        func run() async throws {
            for (isLoopback, words) in [(false, "all interfaces"), (true, "the loopback interface")] {
                try await measure(isLoopback, "one that runs already, by one that starts", on: words) { discoveries in
                    let present = discoveries.name()
                    let running = discoveries.start(present)
                    defer { running.cancel() }
                    // It has chosen its name and announced it by then.
                    try await Task.sleep(for: .seconds(2.5))
                    return try await discoveries.timeUntilFound(present, by: discoveries.name(), startingNow: .finder)
                }
                try await measure(isLoopback, "one that starts, by one that runs already", on: words) { discoveries in
                    try await discoveries.timeUntilFound(
                        discoveries.name(), by: discoveries.name(), startingNow: .found)
                }
            }
        }

        private func measure(
            _ isLoopback: Bool, _ what: String, on interfaces: String,
            _ round: (DiscoveringDevices) async throws -> Duration
        ) async throws {
            var waits: [Double] = []
            for _ in 0..<rounds { waits.append(try await round(DiscoveringDevices(isLoopback)) / .milliseconds(1)) }
            waits.sort()
            func at(_ share: Int) -> Int { Int(waits[min(waits.count * share / 100, waits.count - 1)]) }
            for share in [50, 95] { Figures.record("\(what), on \(interfaces)", "p\(share) ms", Double(at(share))) }
            announce(
                "Multicast on \(interfaces), a device finds \(what): "
                    + "p50 \(at(50)) ms, p95 \(at(95)) ms, at most \(at(100)) ms, \(rounds) rounds")
        }
    }
}

/// Devices that find each other, for one round of the measurement.
private struct DiscoveringDevices {
    /// The device, of two, whose start begins the measured time.
    enum Starter { case finder, found }

    let isLoopback: Bool

    init(_ isLoopback: Bool) { self.isLoopback = isLoopback }

    /// Returns a name that no other round uses.
    func name() -> String { "bench \(UUID().uuidString)" }

    /// Starts a device that announces itself and looks for others, until the task is cancelled.
    func start(
        _ name: String, tell: @escaping @Sendable (DiscoveryNews) -> Void = { _ in }
    ) -> Task<Void, any Error> {
        let own = Announcement(name: name, port: 4711, key: String(name.suffix(8)))
        let discovery = MulticastDiscovery(onLoopback: isLoopback)
        return Task { try await discovery.run(announcing: own, tell: tell) }
    }

    /// Returns how long after the start of one device the other is found by it, or it by the other.
    func timeUntilFound(_ found: String, by finder: String, startingNow starter: Starter) async throws -> Duration {
        let (news, continuation) = AsyncStream.makeStream(of: DiscoveryNews.self)
        var began = ContinuousClock.now
        let finding = start(finder) { continuation.yield($0) }
        var tasks = [finding]
        defer { for task in tasks { task.cancel() } }
        if starter == .found {
            // The finder has announced itself by then, and its first questions are over.
            try await Task.sleep(for: .seconds(2.5))
            began = .now
            tasks.append(start(found))
        }
        let limit = Task {
            try await Task.sleep(for: .seconds(30))
            continuation.finish()
        }
        defer { limit.cancel() }
        for await case .found(let peer) in news where peer.name == found && !peer.addresses.isEmpty {
            return .now - began
        }
        throw CommandFailure("\(found) was not found within 30 s")
    }
}
