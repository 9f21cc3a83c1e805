import MusterCore
import MusterGeometry
import Testing

/// Scanners that stand in rooms, and a tag that a person carries.
@Suite struct RoomTests {
    private func world() -> World {
        var world = World(policy: .confident)
        world.addScanners()
        world.putBeacon(1, .scanner(World.hall), at: 45)
        world.putBeacon(2, .scanner(World.yard), at: 45.0005)
        return world
    }

    @Test func `a tag is in the room that hears it best`() {
        var world = world()
        for second in 0..<10 {
            world.hear(World.carried, at: Double(second), signal: -60, by: World.hall)
            world.hear(World.carried, at: Double(second), signal: -80, by: World.yard)
        }
        #expect(world.crossings == ["enter 1"])
        #expect(world.standing(1, of: World.tag) == .inside)
        #expect(world.engine.latestPosition(of: World.tag)?.coordinate.latitude == 45)
        #expect(world.engine.latestPosition(of: World.tag)?.reporter == World.gates)
    }

    @Test func `moving to another room leaves the first at the instant of entering the second`() {
        var world = world()
        for second in 0..<10 {
            world.hear(World.carried, at: Double(second), signal: -60, by: World.hall)
            world.hear(World.carried, at: Double(second), signal: -80, by: World.yard)
        }
        for second in 10..<40 {
            world.hear(World.carried, at: Double(second), signal: -80, by: World.hall)
            world.hear(World.carried, at: Double(second), signal: -60, by: World.yard)
        }
        #expect(world.crossings == ["enter 1", "exit 1", "enter 2"])
        // As sure as it is that the tag is in the second room, so sure it is that the tag has left the first.
        let percents = world.log.compactMap { change -> UInt8? in
            if case .crossing(let crossing) = change { crossing.insidePercent } else { nil }
        }
        #expect(percents.count == 3 && percents[1] + percents[2] <= 101, "\(percents)")
    }

    @Test func `a tag between two rooms does not bounce`() {
        var world = world()
        var chance = Chance(seed: 5)
        for second in 0..<3600 {
            world.hear(World.carried, at: Double(second), signal: -70 + chance.normal() * 4, by: World.hall)
            world.hear(World.carried, at: Double(second) + 0.3, signal: -70 + chance.normal() * 4, by: World.yard)
            if second % 5 == 0 { world.sweep(at: Double(second) + 0.4) }
        }
        #expect(world.crossings.count <= 3, "\(world.crossings)")
    }

    @Test func `a scanner that is unplugged makes the standing unknown, and another that hears the tag takes over`() {
        var world = world()
        for second in 0..<10 { world.hear(World.carried, at: Double(second), by: World.hall) }
        world.sweep(at: 140)
        #expect(world.standing(1, of: World.tag) == .unknown)
        #expect(world.crossings == ["enter 1"])
        for second in 150..<160 { world.hear(World.carried, at: Double(second), signal: -85, by: World.yard) }
        #expect(world.crossings == ["enter 1", "exit 1", "enter 2"])
    }

    @Test func `a scanner that hears others has lost the tag`() {
        var world = world()
        for second in 0..<10 { world.hear(World.carried, at: Double(second), by: World.hall) }
        world.listen(at: 60, by: World.hall)
        world.sweep(at: 61)
        #expect(world.crossings == ["enter 1", "exit 1"])
    }

    @Test func `two scanners whose clocks differ by most of a minute agree on the room`() {
        var world = world()
        for second in 100..<130 {
            let time = Double(second)
            world.hear(World.carried, at: time - 50, receivedAt: time, signal: -60, by: World.hall)
            world.hear(World.carried, at: time + 50, receivedAt: time + 0.1, signal: -80, by: World.yard)
        }
        #expect(world.crossings == ["enter 1"])
        for second in 130..<170 {
            let time = Double(second)
            world.hear(World.carried, at: time - 50, receivedAt: time, signal: -85, by: World.hall)
            world.hear(World.carried, at: time + 50, receivedAt: time + 0.1, signal: -60, by: World.yard)
        }
        #expect(world.crossings == ["enter 1", "exit 1", "enter 2"])
    }

    @Test func `a sighting by a scanner moves neither the scanner nor unknown tags`() {
        var world = world()
        world.putBeacon(3, .beacons(World.office, major: nil, minor: nil))
        for second in 0..<10 { world.hear(World.beacon(4), at: Double(second), by: World.hall) }
        #expect(world.crossings.isEmpty)
        #expect(world.engine.standings(of: World.hall).isEmpty)
    }

    @Test func `a tag that is taken back is in no room`() {
        var world = world()
        for second in 0..<10 { world.hear(World.carried, at: Double(second), by: World.hall) }
        world.edit(.putDevice(Device(number: World.tag, name: "tag", user: World.ana)))
        #expect(world.standing(1, of: World.tag) == nil)
        for second in 10..<20 { world.hear(World.carried, at: Double(second), by: World.hall) }
        #expect(world.crossings == ["enter 1"])
    }

    @Test func `a gateway that replays an hour causes no crossing`() {
        var world = World()
        world.addScanners()
        world.putBeacon(1, .scanner(World.hall))
        for second in 0..<60 {
            world.hear(World.carried, at: Double(second), receivedAt: 3600 + Double(second), by: World.hall)
        }
        #expect(world.crossings.isEmpty)
        #expect(world.standing(1, of: World.tag) == nil)
    }
}
