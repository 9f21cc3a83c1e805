import MusterCore
import MusterGeometry

/// Beacons, tags and scanners.
extension World {
    static let office = BeaconUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0)
    /// Two scanners of a machine's user, and a tag of Ana's.
    static let gates = UserNumber(8)
    static let hall = DeviceNumber(11)
    static let yard = DeviceNumber(12)
    static let tag = DeviceNumber(13)
    static let carried = Beacon(uuid: BeaconUUID(high: 0, low: 0xAABB_CCDD_EEFF), major: 0, minor: 0)

    static func beacon(_ minor: UInt16, major: UInt16 = 1) -> Beacon {
        Beacon(uuid: office, major: major, minor: minor)
    }

    /// Puts a beacon region; with a place at a latitude, a circle of 10 m around it.
    mutating func putBeacon(
        _ number: Int32, _ source: BeaconArea.Source, at latitude: Double? = nil, reach: BeaconArea.Reach = .far,
        isRoom: Bool? = nil, isMuster: Bool = false, exitDelay: Double = 0
    ) {
        let place = latitude.map {
            Shape.circle(Circle(centre: Coordinate(validLatitude: $0, longitude: 9), radius: 10))
        }
        edit(
            .putRegion(
                Region(
                    number: RegionNumber(number), collection: Self.collection, id: "b\(number)", name: "b\(number)",
                    shape: place, beacon: BeaconArea(source, reach: reach, isRoom: isRoom), isMuster: isMuster,
                    exitDelaySeconds: exitDelay)))
    }

    mutating func addScanners() {
        edit(.putUser(User(number: Self.gates, name: "gates", role: .gateway, team: nil)))
        edit(.putDevice(Device(number: Self.hall, name: "hall", user: Self.gates)))
        edit(.putDevice(Device(number: Self.yard, name: "yard", user: Self.gates)))
        edit(.putDevice(Device(number: Self.tag, name: "tag", user: Self.ana, beacon: Self.carried)))
    }

    /// A device hears a beacon at a time of the world.
    @discardableResult
    mutating func hear(
        _ beacon: Beacon, at seconds: Double, receivedAt: Double? = nil, signal: Double? = -60,
        distance: Metres? = nil, by device: DeviceNumber = World.phone
    ) -> Verdict {
        now = max(now, receivedAt ?? seconds)
        let sighting = Sighting(
            of: beacon, sampleTime: Self.time(seconds), receivedTime: Self.time(now), distance: distance,
            signalStrength: signal)
        let verdict = engine.decide(.sighting(sighting, of: device), now: Self.time(now), into: &decision)
        settle()
        return verdict
    }

    /// A device listens, and says what came of it.
    @discardableResult
    mutating func listen(
        _ outcome: Listening.Outcome = .heardNothingElse, at seconds: Double, receivedAt: Double? = nil,
        by device: DeviceNumber = World.phone
    ) -> Verdict {
        now = max(now, receivedAt ?? seconds)
        let listening = Listening(
            sampleTime: Self.time(seconds), receivedTime: Self.time(now), outcome: outcome)
        let verdict = engine.decide(.listening(listening, of: device), now: Self.time(now), into: &decision)
        settle()
        return verdict
    }

    /// The sample times of the crossings so far.
    var crossingTimes: [Instant] {
        log.compactMap { if case .crossing(let crossing) = $0 { crossing.sampleTime } else { nil } }
    }

    /// Where a device stands in a region: nil where it has no presence.
    func standing(_ region: Int32, of device: DeviceNumber = World.phone) -> Standing? {
        engine.standings(of: device).first { $0.region == RegionNumber(region) }?.standing
    }
}

extension Chance {
    /// A normally distributed number, as nearly as the sum of twelve even ones is.
    mutating func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + number(0...1) } }
}
