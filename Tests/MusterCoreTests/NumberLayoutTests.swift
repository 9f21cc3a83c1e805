import MusterCore
import MusterGeometry
import Testing

/// A release build confuses a device's number with others where a byte lies before it in the same 8 bytes; see "A
/// number begins its word" in ARCHITECTURE.md. The last test needs a release build to find that (`swift test -c
/// release`).
@Suite struct NumberLayoutTests {
    @Test func `what a device reports ends with a word, so that its number begins one`() {
        #expect(MemoryLayout<Position>.size % 8 == 0)
        #expect(MemoryLayout<Sighting>.size % 8 == 0)
        #expect(MemoryLayout<PeerRange>.size % 8 == 0)
        #expect(MemoryLayout<DeviceNote>.size % 8 == 0)
        #expect(MemoryLayout<Signal>.size % 8 == 0)
        #expect(MemoryLayout<Belief>.size % 8 == 0)
        // The last word of a listening has five bytes, and the number begins the next.
        #expect(MemoryLayout<Listening>.size > 20)
    }

    @Test func `no byte lies before a number in its word`() {
        #expect(MemoryLayout<Crossing>.offset(of: \.device) == 0)
        #expect(MemoryLayout<Crossing>.offset(of: \.region) == 4)
        #expect(MemoryLayout<PresenceReport>.offset(of: \.device) == 0)
        #expect(MemoryLayout<PresenceReport>.offset(of: \.region) == 4)
        #expect(MemoryLayout<PeerRange>.offset(of: \.peer) == 0)
        #expect(MemoryLayout<Safety>.offset(of: \.region).map { $0 % 8 } == 0)
        #expect(MemoryLayout<Safety>.offset(of: \.source).map { $0 % 8 } == 0)
        #expect(MemoryLayout<Safety>.offset(of: \.acknowledgedBy).map { $0 % 8 } == 0)
    }

    @Test func `each kind of observation is logged under the device that reported it`() {
        var world = World(policy: .confident)
        world.addTeam()
        world.edit(.putDevice(Device(number: World.leasPhone, name: "phone", user: World.lea)))
        world.edit(.putDevice(Device(number: World.bensPhone, name: "phone", user: World.ben)))
        world.putBeacon(1, .beacons(World.office, major: nil, minor: nil), at: 45, isMuster: true)
        let devices = [World.phone, World.leasPhone, World.bensPhone]
        for device in devices { world.agree(device) }
        var reports: [DeviceNumber: Int] = [:]
        for round in 0..<40 {
            for (index, device) in devices.enumerated() {
                world.now = Double(round * 10 + index)
                let peer = devices[(index + 1) % devices.count]
                for observation in Self.observations(by: device, of: peer, at: world.now, round: round) {
                    let before = world.log.count
                    _ = world.engine.decide(observation, now: World.time(world.now), into: &world.decision)
                    world.settle()
                    let logged = world.log[before...].compactMap(Self.reporter)
                    #expect(logged.allSatisfy { $0 == device }, "\(observation) was logged under \(logged)")
                    reports[device, default: 0] += logged.count
                }
            }
        }
        #expect(devices.allSatisfy { reports[$0, default: 0] >= 40 * 5 })
    }

    /// What a device reports, one of each kind. Odd rounds have other fields than even ones.
    private static func observations(
        by device: DeviceNumber, of peer: DeviceNumber, at second: Double, round: Int
    ) -> [Observation] {
        let now = World.time(second)
        let isOdd = round % 2 == 1
        let coordinate = Coordinate(validLatitude: 45 + Double(round) / 1e5, longitude: 9)
        return [
            .position(
                Position(coordinate: coordinate, sampleTime: now, receivedTime: now, accuracy: isOdd ? 8 : nil),
                of: device),
            .sighting(
                Sighting(
                    of: World.beacon(2), sampleTime: now, receivedTime: now, distance: isOdd ? 3 : nil,
                    signalStrength: isOdd ? nil : -60, proximity: isOdd ? .near : .unknown), of: device),
            .listening(Listening(sampleTime: now, receivedTime: now), of: device),
            .note(DeviceNote(DeviceNote.Name(.card), receivedTime: now, body: "{}"), of: device),
            .signal(Signal(id: "s\(round)", name: "n", sampleTime: now, receivedTime: now), of: device),
            .range(
                PeerRange(
                    to: peer, sampleTime: now, receivedTime: now, metres: 3, deviationMetres: 1,
                    source: isOdd ? .bluetooth : .fused), of: device),
        ]
    }

    private static func reporter(of change: Change) -> DeviceNumber? {
        switch change {
        case .position(_, let device, _), .sighting(_, let device, _), .note(_, let device), .signal(_, let device),
            .range(_, let device, _), .belief(_, let device):
            device
        case .crossing(let crossing): crossing.device
        case .presence(let report): report.device
        default: nil
        }
    }
}
