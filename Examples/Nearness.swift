import Foundation
import MusterNearby

/// Tells how far a friend on the same network is, and which way.
func followFriend(keepingKeysIn folder: String) async throws {
    // A radio that is not there: on a phone, another source takes its place.
    let source = SimulatedRanging(.wandering(within: 10, speed: 1.4), seed: 1)
    let nearby = try Nearby(
        options: Nearby.Options(name: "Ana"), source: source, store: NearbyStore(folder: folder),
        discovery: [MulticastDiscovery()]
    ) { invitation in
        // Ask the person here. A refused peer has learnt the name "Ana" and nothing else.
        invitation.isKnown || invitation.name == "Ben"
    }
    async let running: Void = nearby.run()
    for await event in nearby.events {
        switch event {
        case .connected(let peer):
            print("\(peer.name) is here")
        case .update(let peer, .measured(let measurement)):
            // Either may be nil, which is no error; `noDistance` and `noDirection` say why.
            let distance = measurement.distance.map { "\(($0.value * 10).rounded() / 10) m" } ?? "somewhere"
            let angle = measurement.horizontalAngle.map { "\(Int($0.value))°" } ?? "no direction"
            print("\(peer.name): \(distance), \(angle)")
        case .update(let peer, .removed(let reason)):
            print("\(peer.name) is no longer measured: \(reason)")
        case .disconnected(let peer, let end):
            print("\(peer.name) \(end)")
        default:
            break
        }
    }
    try await running
}
