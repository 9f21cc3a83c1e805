import MusterGeometry
import Testing

@testable import MusterCore

/// A beacon that stands, and a device that hears it.
@Suite struct BeaconTests {
    private func world(_ policy: CrossingPolicy = .confident) -> World {
        var world = World(policy: policy)
        world.putBeacon(1, .beacons(World.office, major: 1, minor: 2))
        return world
    }

    @Test(arguments: [CrossingPolicy.confident, .raw])
    func `three moments enter, within seconds, whatever the policy of the collection`(policy: CrossingPolicy) {
        var world = world(policy)
        world.hear(World.beacon(2), at: 0)
        world.hear(World.beacon(2), at: 1)
        #expect(world.crossings.isEmpty)
        world.hear(World.beacon(2), at: 2)
        #expect(world.crossings == ["enter 1"])
        #expect(world.standing(1) == .inside)
    }

    @Test func `many sightings of one moment are one, and sightings far apart do not add up`() {
        var world = world()
        for millisecond in 0..<20 { world.hear(World.beacon(2), at: Double(millisecond) / 1000) }
        for minute in 1..<20 { world.hear(World.beacon(2), at: Double(minute) * 60) }
        #expect(world.crossings.isEmpty)
    }

    @Test func `a region of a UUID takes any major and minor number, and one of a major any minor number`() {
        var world = World()
        world.putBeacon(1, .beacons(World.office, major: nil, minor: nil))
        world.putBeacon(2, .beacons(World.office, major: 1, minor: nil))
        world.putBeacon(3, .beacons(World.office, major: 1, minor: 2))
        for second in 0..<4 { world.hear(World.beacon(7), at: Double(second)) }
        #expect(world.crossings == ["enter 1", "enter 2"])
        for second in 4..<8 { world.hear(World.beacon(2, major: 9), at: Double(second)) }
        for second in 8..<12 { world.hear(World.beacon(2), at: Double(second)) }
        #expect(world.crossings == ["enter 1", "enter 2", "enter 3"])
    }

    @Test func `a device that hears only other beacons leaves after tens of seconds`() {
        var world = world()
        for second in 0..<10 { world.hear(World.beacon(2), at: Double(second)) }
        for second in 10..<25 { world.hear(World.beacon(7), at: Double(second)) }
        #expect(world.standing(1) == .inside)
        for second in 25..<45 { world.hear(World.beacon(7), at: Double(second)) }
        #expect(world.crossings == ["enter 1", "exit 1"])
        #expect(world.standing(1) == nil)
    }

    @Test func `a device that hears nothing is unknown after two minutes, and does not leave`() {
        var world = world()
        for second in 0..<10 { world.hear(World.beacon(2), at: Double(second)) }
        for second in stride(from: 12.0, through: 120, by: 6) { world.sweep(at: second) }
        #expect(world.standing(1) == .inside)
        world.sweep(at: 135)
        #expect(world.standing(1) == .unknown)
        #expect(world.reports.last == "unknown 1 stale")
        for hour in 1..<30 { world.sweep(at: Double(hour) * 3600) }
        #expect(world.crossings == ["enter 1"])
        // Heard again, it was there all the time, for all that anyone knows.
        for second in 0..<4 { world.hear(World.beacon(2), at: 108_000 + Double(second)) }
        #expect(world.standing(1) == .inside)
        #expect(world.crossings == ["enter 1"])
    }

    @Test func `listening without hearing anything ends a standing as well`() {
        var world = world()
        for second in 0..<10 { world.hear(World.beacon(2), at: Double(second)) }
        world.listen(at: 60)
        #expect(world.crossings == ["enter 1", "exit 1"])
    }

    @Test func `after a silence a device leaves only after tens of seconds of listening`() {
        var world = world()
        for second in 0..<10 { world.hear(World.beacon(2), at: Double(second)) }
        world.sweep(at: 400)
        #expect(world.standing(1) == .unknown)
        // The device hears another beacon first, and this one a moment later. It has left no region.
        world.hear(World.beacon(7), at: 600)
        for second in 1..<5 { world.hear(World.beacon(2), at: 600 + Double(second)) }
        #expect(world.standing(1) == .inside)
        #expect(world.crossings == ["enter 1"])
        for second in stride(from: 900.0, to: 940, by: 2) { world.listen(at: second) }
        #expect(world.crossings == ["enter 1", "exit 1"])
    }

    @Test func `sightings with gaps of ten seconds keep a standing`() {
        var world = world()
        for second in stride(from: 0.0, to: 600, by: 10) {
            world.hear(World.beacon(2), at: second)
            world.hear(World.beacon(7), at: second + 5)
            world.sweep(at: second + 6)
        }
        #expect(world.crossings == ["enter 1"])
    }

    @Test func `beacon events of the device's system enter and leave, too`() {
        var world = world()
        world.listen(.entered(RegionNumber(1)), at: 0)
        #expect(world.crossings == ["enter 1"])
        world.listen(.left(RegionNumber(1)), at: 40)
        #expect(world.crossings == ["enter 1", "exit 1"])
        // The same again, and what is older, changes nothing.
        #expect(world.listen(.entered(RegionNumber(1)), at: 0, receivedAt: 41) == .late)
        #expect(world.listen(.left(RegionNumber(1)), at: 40, receivedAt: 41) == .late)
        #expect(world.crossings == ["enter 1", "exit 1"])
    }

    @Test func `a beacon exit reported late counts, and a beacon enter does not`() {
        var world = world()
        #expect(world.listen(.entered(RegionNumber(1)), at: 0, receivedAt: 600) == .late)
        for second in 0..<4 { world.hear(World.beacon(2), at: 700 + Double(second)) }
        world.listen(.left(RegionNumber(1)), at: 720, receivedAt: 2000)
        #expect(world.crossings == ["enter 1", "exit 1"])
    }

    @Test func `an hour without a network is reported late, with its times, and is unknown now`() {
        var (late, prompt) = (world(), world())
        for second in 0..<60 {
            late.hear(World.beacon(second < 20 ? 2 : 7), at: Double(second), receivedAt: 7200)
            prompt.hear(World.beacon(second < 20 ? 2 : 7), at: Double(second))
        }
        #expect(late.crossings == ["enter 1", "exit 1"])
        #expect(late.crossings == prompt.crossings && late.crossingTimes == prompt.crossingTimes)
        for second in 0..<10 { late.hear(World.beacon(2), at: 3500 + Double(second), receivedAt: 7201) }
        #expect(late.standing(1) == .inside)
        late.sweep(at: 7202)
        #expect(late.standing(1) == .unknown)
        #expect(late.hear(World.beacon(2), at: 10, receivedAt: 7400) == .late)
        #expect(late.crossings == ["enter 1", "exit 1", "enter 1"])
        // The device left meanwhile, as its late report of listening shows.
        late.listen(at: 3600, receivedAt: 7500)
        #expect(late.crossings == ["enter 1", "exit 1", "enter 1", "exit 1"])
    }

    @Test func `sightings reported late make nobody safe`() {
        var world = World(policy: .confident)
        world.putBeacon(1, .beacons(World.office, major: nil, minor: nil), at: 48, isMuster: true)
        for second in 0..<30 {
            world.hear(World.beacon(2), at: Double(second), receivedAt: 7200)
            #expect(world.engine.safety(of: World.ana).state != .safe)
        }
        #expect(world.crossings == ["enter 1"])
        world.sweep(at: 7201)
        #expect(world.engine.safety(of: World.ana).state != .safe)
    }

    @Test func `a clock that is ahead enters nothing`() {
        var world = world()
        for second in 0..<10 {
            let verdict = world.hear(World.beacon(2), at: 3600 + Double(second), receivedAt: Double(second))
            #expect(verdict == .late)
        }
        #expect(world.crossings.isEmpty)
    }

    @Test(arguments: [true, false], [false, true])
    func `a listener whose clock is ahead holds a standing no longer than one whose clock is right`(
        isScanner: Bool, listens: Bool
    ) {
        let ends = [0.0, 30, 60].map { lead in
            var world = world()
            let (listener, beacon) = isScanner ? (World.hall, World.carried) : (World.phone, World.beacon(2))
            if isScanner {
                world.addScanners()
                world.putBeacon(3, .scanner(World.hall))
            }
            let (region, carrier) = isScanner ? (Int32(3), World.tag) : (1, World.phone)
            for second in 0..<10 {
                let moment = Double(second)
                world.hear(beacon, at: moment + lead, receivedAt: moment, by: listener)
                if listens { world.listen(at: moment + lead, receivedAt: moment, by: listener) }
            }
            #expect(world.standing(region, of: carrier) == .inside)
            let seconds = Array(10..<300)
            let end = seconds.first { second in
                world.sweep(at: Double(second))
                return world.standing(region, of: carrier) == .unknown
            }
            // The silence is no exit, and a sighting afterwards shows that the device was there all the time.
            #expect(world.crossings == ["enter \(region)"])
            for second in 0..<5 {
                let moment = 400 + Double(second)
                world.hear(beacon, at: moment + lead, receivedAt: moment, by: listener)
            }
            #expect(world.standing(region, of: carrier) == .inside)
            return end
        }
        #expect(ends == [130, 130, 130])
    }

    @Test(arguments: [
        (BeaconArea.Reach.immediate, 0.3, true), (.immediate, 2, false), (.near, 2, true), (.near, 9, false),
        (.far, 9, true),
    ])
    func `a region with a reach admits nobody from farther away`(
        reach: BeaconArea.Reach, metres: Double, isInside: Bool
    ) {
        var world = World()
        world.putBeacon(1, .beacons(World.office, major: nil, minor: nil), reach: reach)
        for second in 0..<10 {
            world.hear(World.beacon(2), at: Double(second), signal: nil, distance: Metres(metres))
        }
        #expect(world.crossings == (isInside ? ["enter 1"] : []))
    }

    @Test func `standing at the limit of a reach does not flap`() {
        var world = World()
        world.putBeacon(1, .beacons(World.office, major: nil, minor: nil), reach: .near)
        var chance = Chance(seed: 3)
        for second in 0..<3600 {
            world.hear(World.beacon(2), at: Double(second), signal: -72 + chance.normal() * 4)
            if second % 5 == 0 { world.sweep(at: Double(second)) }
        }
        #expect(world.crossings == ["enter 1"])
    }

    @Test func `the proximity follows the signal, and the distance its logarithm`() {
        for (signal, proximity) in [
            (-45.0, Sighting.Proximity.immediate), (-60, .near), (-80, .far),
        ] {
            #expect(
                BeaconTrack(region: RegionNumber(1), listener: World.phone, signal: Float(signal)).proximity
                    == proximity)
        }
        for metres in [0.1, 0.5, 1, 2, 3.7, 10, 99] {
            let signal = BeaconPolicy.signal(atMetres: metres)
            #expect(abs(BeaconPolicy.distance(signal: signal).value / metres - 1) < 0.001, "\(metres)")
        }
    }

    @Test func `an edit of the beacon ends a presence without a crossing, and one of the name does not`() {
        var world = world()
        for second in 0..<10 { world.hear(World.beacon(2), at: Double(second)) }
        world.putBeacon(1, .beacons(World.office, major: 1, minor: 2), exitDelay: 5)
        #expect(world.standing(1) == .inside)
        world.putBeacon(1, .beacons(World.office, major: 1, minor: 3))
        #expect(world.standing(1) == nil)
        #expect(world.crossings == ["enter 1"])
    }

    @Test func `a device remembers a bounded number of regions`() {
        var world = World()
        for number in 1...200 {
            world.putBeacon(Int32(number), .beacons(World.office, major: 1, minor: UInt16(number)))
        }
        for number in 1...200 { world.hear(World.beacon(UInt16(number)), at: Double(number)) }
        #expect(world.engine.record(of: World.phone, after: Decision()).memory.tracks.count == BeaconMemory.trackLimit)
    }

    @Test func `a restart goes on where it was`() {
        var whole = world()
        whole.hear(World.beacon(2), at: 0)
        whole.hear(World.beacon(2), at: 1)
        var resumed = world()
        resumed.engine.resume([(World.phone, whole.engine.record(of: World.phone, after: Decision()))])
        resumed.hear(World.beacon(2), at: 2)
        #expect(resumed.crossings == ["enter 1"])
    }
}
