import MusterGeometry

// Which beacon regions belong to a beacon or a scanner, and which device a tag belongs to.

/// The properties of a beacon region that decide who is inside.
struct BeaconRule: Hashable, Sendable {
    /// The radio that must be heard, and how well.
    var area: BeaconArea
    /// The place of the radio, and the distance from it at which a device may be; nil for a virtual region.
    var place: Circle?

    /// Creates the rule of a region; nil for a region that positions decide.
    init?(_ region: Region) {
        guard let area = region.beacon else { return nil }
        self.area = area
        if case .circle(let circle) = region.shape { place = circle }
    }
}

/// Looks up the regions of a beacon, the rooms of a scanner and the device of a tag.
struct BeaconCatalog: Sendable {
    private var areas: [RegionNumber: BeaconArea] = [:]
    /// The regions by the beacon numbers that they require, in region order.
    private var regionsOfNumbers: [Numbers: [RegionNumber]] = [:]
    /// The regions of each scanner, in region order.
    private var regionsOfScanner: [DeviceNumber: [RegionNumber]] = [:]

    /// The beacon numbers that a region requires; nil stands for any.
    private struct Numbers: Hashable {
        var uuid: BeaconUUID
        var major: UInt16?
        var minor: UInt16?
    }

    private var devicesOfTag: [Beacon: DeviceNumber] = [:]
    private var tagsOfDevice: [DeviceNumber: Beacon] = [:]

    /// Returns the regions of a beacon, in region order.
    func regions(of beacon: Beacon) -> [RegionNumber] {
        var regions: [RegionNumber] = []
        for major in [nil, beacon.major] {
            for minor in [nil, beacon.minor] {
                regions += regionsOfNumbers[Numbers(uuid: beacon.uuid, major: major, minor: minor)] ?? []
            }
        }
        return regions.sorted()
    }

    /// Returns the regions in which a scanner stands, in region order.
    func regions(of scanner: DeviceNumber) -> [RegionNumber] { regionsOfScanner[scanner] ?? [] }

    /// Returns the device that sends this beacon's frames; nil when the beacon is no device's tag.
    func tag(_ beacon: Beacon) -> DeviceNumber? { devicesOfTag[beacon] }

    /// Whether a device is a tag, which scanners may hear.
    func isTag(_ device: DeviceNumber) -> Bool { tagsOfDevice[device] != nil }

    mutating func put(_ region: Region) {
        remove(region.number)
        guard let area = region.beacon else { return }
        areas[region.number] = area
        switch area.source {
        case .beacons(let uuid, let major, let minor):
            regionsOfNumbers[Numbers(uuid: uuid, major: major, minor: minor), default: []].insertInOrder(region.number)
        case .scanner(let scanner): regionsOfScanner[scanner, default: []].insertInOrder(region.number)
        }
    }

    mutating func remove(_ region: RegionNumber) {
        guard let area = areas.removeValue(forKey: region) else { return }
        switch area.source {
        case .beacons(let uuid, let major, let minor):
            regionsOfNumbers[Numbers(uuid: uuid, major: major, minor: minor)]?.removeAll { $0 == region }
        case .scanner(let scanner): regionsOfScanner[scanner]?.removeAll { $0 == region }
        }
    }

    /// - Returns: whether the device's beacon changed.
    @discardableResult
    mutating func setTag(_ device: DeviceNumber, to beacon: Beacon?) -> Bool {
        guard tagsOfDevice[device] != beacon else { return false }
        if let former = tagsOfDevice[device], devicesOfTag[former] == device { devicesOfTag[former] = nil }
        tagsOfDevice[device] = beacon
        if let beacon { devicesOfTag[beacon] = device }
        return true
    }
}

extension [RegionNumber] {
    fileprivate mutating func insertInOrder(_ region: RegionNumber) {
        insert(region, at: firstIndex { $0 > region } ?? endIndex)
    }
}
