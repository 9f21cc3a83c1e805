import MusterKit

/// Tells when Ann enters and leaves the beacon regions of her team, with or without a network; the server learns it as
/// soon as there is one.
///
/// - Parameter source: `CoreLocationBeacons()` on an Apple device, `BluetoothBeacons()` on Linux.
func followBeacons(of muster: Muster, by source: any BeaconSource) async throws {
    let monitor = try await muster.beaconMonitor()
    for await event in monitor.events(from: source) {
        switch event {
        case .entered(let state): print("Entered \(state.title), \(state.proximity)")
        case .left(let state): print("Left \(state.title)")
        case .unknown(let state): print("\(state.title): nothing was heard for two minutes")
        case .failed(let error): print("Everything is kept on this device: \(error)")
        default: break
        }
    }
}
