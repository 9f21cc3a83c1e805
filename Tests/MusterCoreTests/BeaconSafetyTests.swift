import MusterCore
import MusterGeometry
import Testing

/// What a beacon proves about who is safe, and what it does not.
@Suite struct BeaconSafetyTests {
    private func world() -> World {
        var world = World(policy: .confident)
        world.putBeacon(1, .beacons(World.office, major: 1, minor: 2), at: 45, isMuster: true)
        return world
    }

    @Test func `a person heard at an assembly point is safe there, after one more sighting than elsewhere`() {
        var world = world()
        for second in 0..<3 { world.hear(World.beacon(2), at: Double(second)) }
        #expect(world.engine.safety(of: World.ana).state != .safe)
        for second in 3..<5 { world.hear(World.beacon(2), at: Double(second)) }
        #expect(world.crossings == ["enter 1"])
        #expect(world.engine.safety(of: World.ana).state == .safe)
        #expect(world.engine.safety(of: World.ana).region == RegionNumber(1))
    }

    @Test func `a person heard by a beacon is at its place, and so in the regions around it`() {
        var world = World(policy: .confident)
        world.putSquare(2, at: 45, 9, isMuster: true)
        world.putBeacon(1, .beacons(World.office, major: 1, minor: 2), at: 45)
        for second in 0..<40 { world.hear(World.beacon(2), at: Double(second)) }
        let position = world.engine.latestPosition(of: World.phone)
        #expect(position?.source == .beacon && position?.accuracy == 10)
        #expect(world.standing(2) == .inside)
        #expect(world.engine.safety(of: World.ana).state == .safe)
    }

    @Test func `a beacon heard no more proves nothing after two minutes`() {
        var world = world()
        for second in 0..<10 { world.hear(World.beacon(2), at: Double(second)) }
        #expect(world.engine.safety(of: World.ana).state == .safe)
        world.sweep(at: 140)
        #expect(world.engine.safety(of: World.ana).state == .unknown)
    }

    @Test func `a beacon event of the phone alone makes nobody safe`() {
        var world = world()
        for minute in 0..<5 { world.listen(.entered(RegionNumber(1)), at: Double(minute) * 60) }
        #expect(world.crossings.isEmpty)
        #expect(world.engine.safety(of: World.ana).state != .safe)
    }

    @Test func `a copied beacon does not outweigh a person's own position`() {
        var world = world()
        world.stay(45.01, 9, from: 0, to: 60, accuracy: 8)
        #expect(world.engine.safety(of: World.ana).state == .unsafe)
        for second in 61..<120 {
            world.hear(World.beacon(2), at: Double(second))
            if second % 10 == 0 { world.report(45.01, 9, at: Double(second) + 0.5, accuracy: 8) }
        }
        #expect(world.crossings.isEmpty)
        #expect(world.engine.safety(of: World.ana).state == .unsafe)
        #expect(world.engine.latestPosition(of: World.phone)?.source == .native)
    }

    @Test func `a beacon does not keep a person safe whose good positions lead away`() {
        var world = world()
        world.stay(45, 9, from: 0, to: 20, accuracy: 8)
        for second in 21..<40 { world.hear(World.beacon(2), at: Double(second)) }
        #expect(world.engine.safety(of: World.ana).state == .safe)
        // The scanner of the phone went silent, and its positions go on.
        for second in stride(from: 41.0, to: 110, by: 3) {
            world.report(45 + (second - 40) * 0.0001, 9, at: second, accuracy: 8, speed: 3)
        }
        #expect(world.engine.safety(of: World.ana).state != .safe)
    }

    @Test func `a region without a place makes nobody safe`() {
        var world = World(policy: .confident)
        world.putBeacon(1, .beacons(World.office, major: 1, minor: 2), isMuster: true)
        for second in 0..<20 { world.hear(World.beacon(2), at: Double(second)) }
        #expect(world.crossings == ["enter 1"])
        #expect(world.engine.safety(of: World.ana).state != .safe)
        #expect(world.engine.latestPosition(of: World.phone) == nil)
        world.engine.setMusterByRule([RegionNumber(1)])
        world.edit(.putTeam(Team(number: World.team, name: "crew", tracker: World.tracker)))
        #expect(world.engine.safety(of: World.ana).state != .safe)
    }

    @Test func `a phone outside makes a person unsafe whose tag is heard at the assembly point`() {
        var world = World(policy: .confident)
        world.addScanners()
        world.putBeacon(1, .scanner(World.hall), at: 45, isMuster: true)
        for second in 0..<20 { world.hear(World.carried, at: Double(second), by: World.hall) }
        #expect(world.engine.safety(of: World.ana).state == .safe)
        world.stay(45.02, 9, from: 20, to: 60)
        #expect(world.engine.safety(of: World.ana).state == .unsafe)
    }

    @Test func `a fix on the spot changes no presence in a beacon region, and a beacon region is in no index`() {
        var world = world()
        world.stay(45, 9, from: 0, to: 120)
        #expect(world.standing(1) == nil)
        var found: [Int32] = []
        world.engine.regionIndex(of: World.collection)
            .regions(containing: Coordinate(validLatitude: 45, longitude: 9), into: &found)
        #expect(found.isEmpty)
    }

    @Test func `positions made of sightings make nobody safe once the beacon is heard no more`() {
        var world = World(policy: .confident)
        world.putSquare(2, at: 45, 9, isMuster: true)
        world.putBeacon(1, .beacons(World.office, major: 1, minor: 2), at: 45)
        for second in 0..<40 { world.hear(World.beacon(2), at: Double(second)) }
        #expect(world.engine.safety(of: World.ana).state == .safe)
        world.sweep(at: 170)
        #expect(world.engine.safety(of: World.ana).state == .unknown)
    }

    @Test func `a beacon that fell silent hides no position of the device's own`() {
        var world = World(policy: .confident)
        world.addScanners()
        world.putBeacon(1, .beacons(World.office, major: 1, minor: 2), at: 45, isMuster: true)
        world.putBeacon(3, .scanner(World.hall), at: 45, isMuster: true)
        for second in 0..<10 { world.hear(World.beacon(2), at: Double(second)) }
        world.sweep(at: 140)
        #expect(world.standing(1) == .unknown)
        world.stay(45.05, 9, from: 141, to: 200, accuracy: 5)
        for second in 380..<400 { world.hear(World.carried, at: Double(second), by: World.hall) }
        #expect(world.standing(3, of: World.tag) == .inside)
        #expect(world.engine.safety(of: World.ana).state == .unsafe)
    }

    @Test func `a region that becomes a muster region, or gets a place, needs new evidence`() {
        var world = World(policy: .confident)
        world.putBeacon(1, .beacons(World.office, major: 1, minor: 2), at: 45)
        world.listen(.entered(RegionNumber(1)), at: 0)
        #expect(world.standing(1) == .inside)
        world.putBeacon(1, .beacons(World.office, major: 1, minor: 2), at: 45, isMuster: true)
        #expect(world.engine.safety(of: World.ana).state != .safe)
        world.putBeacon(3, .beacons(World.office, major: 1, minor: 3))
        for second in 10..<20 { world.hear(World.beacon(3), at: Double(second)) }
        #expect(world.standing(3) == .inside)
        world.putBeacon(3, .beacons(World.office, major: 1, minor: 3), at: 45, isMuster: true)
        #expect(world.engine.safety(of: World.ana).state != .safe)
        for second in 20..<24 { world.hear(World.beacon(3), at: Double(second)) }
        #expect(world.engine.safety(of: World.ana).state == .safe)
    }

    @Test func `repeated beacon events of the phone count once`() {
        var world = world()
        for second in [0.0, 2, 4] { world.listen(.entered(RegionNumber(1)), at: second) }
        #expect(world.crossings.isEmpty)
        #expect(world.engine.safety(of: World.ana).state != .safe)
    }

    @Test func `sightings of many other beacons neither end nor keep a standing`() {
        var world = world()
        for number in 10..<90 {
            world.putBeacon(Int32(number), .beacons(World.office, major: 9, minor: UInt16(number)))
        }
        for second in 0..<5 { world.hear(World.beacon(2), at: Double(second)) }
        for number in 10..<90 {
            world.hear(Beacon(uuid: World.office, major: 9, minor: UInt16(number)), at: 5 + Double(number) / 10)
        }
        #expect(world.standing(1) == .inside)
        world.sweep(at: 200)
        #expect(world.standing(1) == .unknown)
    }
}
