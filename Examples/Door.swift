import MusterKit

/// Opens a door when someone stands before it, without any server.
func watchDoor(_ open: @Sendable () async -> Void, by source: any BeaconSource) async throws {
    guard let uuid = BeaconUUID("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0") else { return }
    let door = BeaconMonitor.Region("door", identity: .init(uuid: uuid, major: 1, minor: 2), proximity: .near)
    let monitor = try await BeaconMonitor(regions: [door], store: try LocalStore(path: "door.sqlite"))
    for await event in monitor.events(from: source) {
        if case .entered = event { await open() }
    }
}
