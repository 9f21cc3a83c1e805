import MusterCore
import MusterGeometry
import Synchronization
import Testing

@testable import MusterNearby

/// One device among 200 peers, by sessions whose links are in this process.
@Suite(.timeLimit(.minutes(5))) struct ManyPeersTests {
    /// The link of one end, which the other end's link delivers to.
    private final class Wire: Sendable {
        private let link = Mutex<RangingLink?>(nil)

        func attach(_ new: RangingLink?) { link.withLock { $0 = new } }
        func deliver(_ note: [UInt8]) { link.withLock { $0 }?.deliver(note) }
    }

    private let clock = ManualClock()
    private let wires = (0..<400).map { _ in Wire() }

    private func configuration(_ index: Int, number: UInt8, over link: RangingLink) -> NearbySession.Configuration {
        .peer(
            DiscoveryToken(
                bytes: [number, UInt8(index)] + [UInt8](repeating: 0, count: DiscoveryToken.size - 2), epoch: 1),
            capabilities: PeerCapabilities(kinds: [.simulated], direction: true), link: link)
    }

    private func session(at metres: Double, among active: ActiveSessions) -> NearbySession {
        let source = SimulatedRanging(
            .standing(east: metres, north: 0, heading: 90), noise: .none, seed: 1, clock: clock.clock)
        return NearbySession(source: source, epoch: 1, active: active, clock: clock.clock)
    }

    @Test func `one device measures 200 peers, each at its own distance, and leaves nothing behind`() async throws {
        let (ours, theirs) = (ActiveSessions(limit: 200), ActiveSessions(limit: 200))
        var (sessions, found, tasks) = ([NearbySession](), [Collected<NearbyUpdate>](), [Task<Void, Never>]())
        for index in 0..<200 {
            let (near, far) = (wires[2 * index], wires[2 * index + 1])
            let (here, there) = (RangingLink { far.deliver($0) }, RangingLink { near.deliver($0) })
            near.attach(here)
            far.attach(there)
            let own = session(at: 0, among: ours)
            let peer = session(at: 1 + Double(index) / 5, among: theirs)
            let updates = Collected<NearbyUpdate>()
            tasks.append(updates.read(own.updates))
            found.append(updates)
            try own.run(configuration(index, number: 1, over: here))
            try peer.run(configuration(index, number: 2, over: there))
            sessions += [own, peer]
        }
        #expect(throws: NearbyError.self) {
            try session(at: 0, among: ours).run(configuration(0, number: 3, over: .none))
        }
        #expect(await clock.advance(by: 0.1) { found.allSatisfy { !$0.elements.isEmpty } })
        for (index, updates) in found.enumerated() {
            guard case .measured(let measurement) = updates.elements[0] else { throw Unexpected() }
            #expect(abs((measurement.distance?.value ?? 0) - 1 - Double(index) / 5) < 1e-9)
        }
        for session in sessions { session.invalidate() }
        for task in tasks { await task.value }
        #expect(found.allSatisfy { $0.elements.last == .invalidated(nil) })
        #expect(await clock.advance(by: 0.1) { clock.tickers == 0 })
        try session(at: 0, among: ours).run(configuration(0, number: 3, over: .none))
        for wire in wires { wire.attach(nil) }
    }
}
