import Foundation
import MusterKit
import MusterNearby

/// Measures friends nearby, and reports how far they are to the team's server, where both agreed.
func reportFriends(keepingIn folder: String, as muster: Muster) async throws {
    let store = try NearbyStore(folder: folder)
    // Each person decides whether to be measured. Without a secret, this device measures others and is not measured.
    let secret = try store.rangeSecret()
    let reporter = try await muster.rangeReporter(secret: secret)
    var options = Nearby.Options(name: "Ana")
    // Peers get the tag: with it they report distances. Only the secret registers it.
    options.rangeTag = secret.tag
    let nearby = try Nearby(
        options: options, source: SimulatedRanging(.wandering(within: 10, speed: 1.4), seed: 1), store: store,
        discovery: [MulticastDiscovery()]
    ) { $0.isKnown || $0.name == "Ben" }
    async let running: Void = nearby.run()
    var tags: [KeyFingerprint: RangeTag] = [:]
    for await event in nearby.events {
        switch event {
        case .rangeTag(let peer, let tag): tags[peer.key] = tag
        case .disconnected(let peer, _): tags[peer.key] = nil
        case .update(let peer, .measured(let measurement)):
            guard let tag = tags[peer.key], let metres = measurement.distance?.value,
                let deviation = measurement.quality.distanceError?.value,
                let range = MeasuredRange(
                    to: tag, time: measurement.time.date, metres: metres, deviationMetres: deviation,
                    source: .simulated)
            else { break }
            // On the disk first. What cannot be sent now waits, and goes with the next.
            if try await reporter.record(range) { _ = try? await reporter.sendAll() }
        default: break
        }
    }
    try await running
}
