import MusterCore
import MusterStore
import MusterTestSupport
import Testing

@testable import MusterServer

/// Signals on their way through the coordinator.
@Suite struct SignalCommitTests {
    /// Waits until the writer has looked at who is silent: it does so after every job.
    private func awaitSweep(of town: Town) async throws {
        for _ in 0..<2 { try await town.coordinator.inspect { _, _, _ in } }
    }

    private func safety(_ town: Town) async throws -> Safety.State {
        try await town.coordinator.inspect { engine, _, _ in engine.safety(of: Town.ana).state }
    }

    @Test func `a signal, repeated or not, does not show that its silent owner was heard`() async throws {
        let town = try await Town()
        _ = try await town.coordinator.ingest([town.fix(45, at: 0), town.fix(45, at: 5), town.fix(45, at: 25)])
        #expect(try await safety(town) == .safe)
        town.clock.advance(bySeconds: 700)
        try await awaitSweep(of: town)
        #expect(try await safety(town) == .unknown)
        for expected in [(1, 0), (0, 1)] {
            let signal = Signal(
                id: "a", name: "button", sampleTime: town.clock.now, receivedTime: town.clock.now)
            let receipt = try await town.coordinator.ingest([.signal(signal, of: Town.phone)])
            #expect((receipt.tally.accepted, receipt.tally.repeated) == expected)
            town.clock.advance(bySeconds: 3)
            try await awaitSweep(of: town)
            #expect(try await safety(town) == .unknown)
        }
        try await town.coordinator.close()
    }
}
