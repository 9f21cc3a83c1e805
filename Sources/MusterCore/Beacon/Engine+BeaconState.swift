/// The state of a device in beacon regions, for a program that keeps and shows it by itself.
extension Engine {
    /// Returns the evidence about a device from sightings of beacons; an empty one for a device that has none.
    public func beaconMemory(of device: DeviceNumber) -> BeaconMemory {
        devices.indices.contains(Int(device.rawValue)) ? devices[Int(device.rawValue)].memory : BeaconMemory()
    }

    /// Returns the newest sample time of a device's sightings; nil before the first.
    public func sightedTime(of device: DeviceNumber) -> Instant? {
        devices.indices.contains(Int(device.rawValue)) ? devices[Int(device.rawValue)].sighted : nil
    }

    /// Returns a device's presences in beacon regions, in region order. It has none in a region where it was not heard.
    public func beaconPresences(of device: DeviceNumber) -> [Presence] {
        guard devices.indices.contains(Int(device.rawValue)) else { return [] }
        return devices[Int(device.rawValue)].presences.filter { isBeaconRegion($0.region) }
    }

    /// Restores what a device heard and where it stands in beacon regions. Its presences in other regions stay, and no
    /// crossing is reported. `review` is due afterwards.
    public mutating func resumeBeacons(
        _ memory: BeaconMemory, sighted: Instant?, presences: [Presence], of device: DeviceNumber
    ) {
        let index = Int(device.rawValue)
        guard devices.indices.contains(index) else { return }
        devices[index].memory = memory
        devices[index].sighted = sighted
        let others = devices[index].presences.filter { !isBeaconRegion($0.region) }
        let restored = presences.filter { isBeaconRegion($0.region) }
        devices[index].presences = (others + restored).sorted { $0.region < $1.region }
        scope.isEveryone = true
    }

    /// Whether a beacon belongs to a beacon region.
    public func hasRegion(of beacon: Beacon) -> Bool { !catalog.beacons.regions(of: beacon).isEmpty }

    /// Whether sightings of beacons decide who is inside a region.
    public func isBeaconRegion(_ region: RegionNumber) -> Bool { catalog.rule(of: region)?.beacon != nil }
}
