import Foundation
import MusterNearby
import SwiftUI

/// Shows how far a friend is, and an arrow towards them, by the fixes of both phones.
struct NearbyArrow: View {
    let address: NearbyAddress
    let receiver: FixReceiver
    @Environment(\.scenePhase) private var phase
    @State private var nearby: Nearby?
    @State private var friend: NearbyPeer?
    @State private var measurement: RangeMeasurement?
    @State private var message = "Looking for your friend"

    var body: some View {
        List {
            Text(friend?.name ?? message)
            if let distance = measurement?.distance { Text("\(Int(distance.value)) m") }
            if let angle = measurement?.horizontalAngle {
                Image(systemName: "location.north.fill").rotationEffect(.degrees(angle.value))
            } else if let reason = measurement?.noDirection {
                Text("no direction: \(reason.rawValue)")
            }
            if let error = measurement?.quality.distanceError { Text("± \(Int(error.value)) m") }
        }
        .task { await run() }
        .onChange(of: phase) {
            // In the background nothing is measured; a session never goes on by itself.
            if phase == .background { nearby?.suspend() }
            if phase == .active {
                nearby?.endSuspension()
                nearby?.runAgain()
            }
        }
    }

    private func run() async {
        do {
            let support = try FileManager.default.url(
                for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
            let folder = support.appendingPathComponent("nearby").path
            let receiver = receiver
            let nearby = try Nearby(
                options: Nearby.Options(name: "Ana"), source: GPSRanging { receiver.fix },
                store: NearbyStore(folder: folder), discovery: [StaticDiscovery([address])]
            ) { $0.isKnown || $0.name == "Ben" }
            self.nearby = nearby
            async let running: Void = nearby.run()
            for await event in nearby.events { show(event) }
            try await running
        } catch {
            message = "\(error)"
        }
    }

    private func show(_ event: NearbyEvent) {
        switch event {
        case .connected(let peer): friend = peer
        case .update(_, .measured(let new)): measurement = new
        case .update(_, .removed): measurement = nil
        case .disconnected(let peer, let end):
            (friend, measurement, message) = (nil, nil, "\(peer.name) \(end)")
        default: break
        }
    }
}

/// The last fix of this phone, which its owner's location manager writes.
final class FixReceiver: @unchecked Sendable {
    private let lock = NSLock()
    private var last: GPSRanging.Fix?

    /// The fix that `GPSRanging` reads. The lock protects it.
    var fix: GPSRanging.Fix? {
        get { lock.withLock { last } }
        set { lock.withLock { last = newValue } }
    }
}
