import MusterCore
import MusterTestSupport
import Testing

/// A scanner that hears nothing for a while, or tells late what it heard: what it knew of a tag before is no evidence
/// of what the tag did meanwhile.
@Suite struct ScannerGapTests {
    /// A second tag, which the scanner hears all the time that it works.
    private static let other = Beacon(uuid: World.carried.uuid, major: 9, minor: 9)

    /// The tag has been inside the scanner's room for ten seconds.
    private func world() -> World {
        var world = World(policy: .confident)
        world.addScanners()
        world.putBeacon(1, .scanner(World.hall), at: 45, isMuster: true)
        world.edit(.putDevice(Device(number: DeviceNumber(14), name: "other", user: World.ana, beacon: Self.other)))
        hear(World.carried, 0..<10, in: &world)
        return world
    }

    /// The scanner reports as a gateway does: a sighting each second, and that it listened so far.
    private func hear(
        _ beacon: Beacon, _ seconds: Range<Int>, receivedAt: Double? = nil, listens: Bool = true, in world: inout World
    ) {
        for second in seconds {
            world.hear(beacon, at: Double(second), receivedAt: receivedAt, by: World.hall)
            if listens { world.listen(at: Double(second), receivedAt: receivedAt, by: World.hall) }
            world.sweep(at: world.now)
        }
    }

    @Test(arguments: [true, false])
    func `a tag that is not heard after the silence has left once the scanner listened long enough`(listens: Bool) {
        var world = world()
        world.sweep(at: 1_800)
        #expect(world.standing(1, of: World.tag) == .unknown)
        #expect(world.crossings == ["enter 1"])
        hear(Self.other, 3_600..<3_615, listens: listens, in: &world)
        #expect(world.standing(1, of: World.tag) == .unknown)
        #expect(world.crossings.filter { $0 == "exit 1" }.isEmpty)
        hear(Self.other, 3_615..<3_640, listens: listens, in: &world)
        #expect(world.standing(1, of: World.tag) == nil)
        #expect(world.crossings.filter { $0 == "exit 1" } == ["exit 1"])
        // The exit has the time at which the scanner's listening made it sure, and not that of the silence.
        let exit = world.crossingTimes.last
        #expect(exit.map { $0 > World.time(3_615) && $0 < World.time(3_640) } == true)
    }

    @Test(arguments: [true, false])
    func `the silence of a scanner that reports sightings alone is not an exit either`(isFollowedByOther: Bool) {
        var world = World(policy: .confident)
        world.addScanners()
        // Ana's own phone stands in the room, and reports sightings alone.
        world.putBeacon(1, .scanner(World.phone), at: 45)
        for second in 0..<10 { world.hear(World.carried, at: Double(second)) }
        #expect(world.crossings == ["enter 1"])
        world.sweep(at: 1_800)
        world.hear(isFollowedByOther ? World.beacon(7) : World.carried, at: 3_600)
        world.sweep(at: 3_601)
        #expect(world.crossings == ["enter 1"])
        #expect(world.standing(1, of: World.tag) == .unknown)
    }

    @Test func `a tag heard again did not leave, and one sighting does not prove that it stayed`() {
        var world = world()
        world.sweep(at: 1_800)
        hear(World.carried, 3_600..<3_602, in: &world)
        #expect(world.standing(1, of: World.tag) == .unknown)
        #expect(world.engine.safety(of: World.ana).state != .safe)
        hear(World.carried, 3_602..<3_606, in: &world)
        #expect(world.standing(1, of: World.tag) == .inside)
        #expect(world.engine.safety(of: World.ana).state == .safe)
        #expect(world.crossings == ["enter 1"])
    }

    @Test func `sightings from before and after a silence do not add up to an enter`() {
        var world = World(policy: .confident)
        world.addScanners()
        world.putBeacon(1, .scanner(World.hall), at: 45)
        hear(World.carried, 0..<2, in: &world)
        hear(World.carried, 3_600..<3_602, in: &world)
        #expect(world.crossings.isEmpty)
        hear(World.carried, 3_602..<3_603, in: &world)
        #expect(world.crossings == ["enter 1"])
    }

    @Test func `an hour reported late by a scanner is not an hour without the tag`() {
        var world = world()
        world.sweep(at: 1_800)
        #expect(world.standing(1, of: World.tag) == .unknown)
        // The network is back: the scanner tells that it heard the tag all the time.
        for second in stride(from: 10, to: 3_500, by: 10) {
            world.hear(World.carried, at: Double(second), receivedAt: 3_660, by: World.hall)
            world.listen(at: Double(second), receivedAt: 3_660, by: World.hall)
        }
        world.sweep(at: 3_661)
        #expect(world.standing(1, of: World.tag) == .unknown)
        hear(World.carried, 3_655..<3_665, receivedAt: 3_665, in: &world)
        #expect(world.standing(1, of: World.tag) == .inside)
        #expect(world.crossings == ["enter 1"])
    }

    @Test func `after an hour reported late a tag leaves once the scanner does not hear it`() {
        var world = world()
        world.sweep(at: 1_800)
        for second in stride(from: 10, to: 3_530, by: 10) {
            world.listen(at: Double(second), receivedAt: 3_660, by: World.hall)
        }
        world.sweep(at: 3_661)
        #expect(world.standing(1, of: World.tag) == .unknown)
        #expect(world.crossings == ["enter 1"])
        world.listen(at: 3_560, receivedAt: 3_662, by: World.hall)
        world.sweep(at: 3_662)
        #expect(world.crossings == ["enter 1", "exit 1"])
    }

    @Test func `a scanner whose clock is minutes behind causes no exit`() {
        var world = world()
        for second in 20..<400 {
            world.hear(Self.other, at: Double(second), receivedAt: Double(second) + 300, by: World.hall)
            world.listen(at: Double(second), receivedAt: Double(second) + 300, by: World.hall)
            world.sweep(at: world.now)
        }
        #expect(world.standing(1, of: World.tag) == .unknown)
        #expect(world.crossings == ["enter 1"])
    }

    @Test(arguments: [true, false])
    func `a silence during which the server was off counts too`(isOfOther: Bool) {
        var world = World(policy: .confident)
        world.addScanners()
        world.putBeacon(1, .scanner(World.hall), at: 45, isMuster: true)
        world.edit(.putDevice(Device(number: DeviceNumber(14), name: "other", user: World.ana, beacon: Self.other)))
        for second in 0..<10 { world.hear(World.carried, at: Double(second), by: World.hall) }
        #expect(world.engine.safety(of: World.ana).state == .safe)
        // The server was off, or its machine slept: the scanner's report comes before the clock is looked at.
        world.hear(isOfOther ? Self.other : World.carried, at: 3_600, by: World.hall)
        world.sweep(at: 3_600.1)
        #expect(world.standing(1, of: World.tag) == .unknown)
        #expect(world.engine.safety(of: World.ana).state != .safe)
        for second in 3_601..<3_605 { world.hear(World.carried, at: Double(second), by: World.hall) }
        #expect(world.standing(1, of: World.tag) == .inside)
        #expect(world.engine.safety(of: World.ana).state == .safe)
        #expect(world.crossings == ["enter 1"])
    }

    @Test(arguments: 0..<SoakSeeds.rounds(12, inSoak: 40))
    func `the moments of the sweeps do not change where a tag is reported`(seed: Int) {
        var chance = Chance(seed: UInt64(seed))
        var often = World(policy: .confident)
        often.addScanners()
        often.putBeacon(1, .scanner(World.hall), at: 45, isMuster: true)
        often.edit(.putDevice(Device(number: DeviceNumber(14), name: "other", user: World.ana, beacon: Self.other)))
        var seldom = often
        var second = 0.0
        for _ in 0..<300 {
            second += chance.happens(0.05) ? chance.number(100...400) : chance.number(0.3...3)
            let beacon = chance.happens(0.5) ? World.carried : Self.other
            if second > often.now + 1 { often.sweep(at: second - 0.1) }
            often.hear(beacon, at: second, by: World.hall)
            seldom.hear(beacon, at: second, by: World.hall)
            often.sweep(at: second + 0.01)
            seldom.sweep(at: second + 0.01)
            let standings = [often, seldom].map { $0.standing(1, of: World.tag) }
            #expect(standings[0] == standings[1], "second \(second)")
            #expect(often.engine.safety(of: World.ana).state == seldom.engine.safety(of: World.ana).state)
        }
    }

    @Test func `a restart of the server changes nothing of it`() {
        var world = world()
        world.sweep(at: 1_800)
        world.hear(Self.other, at: 3_600, by: World.hall)
        world.restart(at: 3_601)
        world.engine.resume(sightings: [(World.hall, World.time(3_600))])
        world.sweep(at: 3_602)
        #expect(world.standing(1, of: World.tag) == .unknown)
        hear(World.carried, 3_603..<3_608, in: &world)
        #expect(world.crossings == ["enter 1"])
    }
}
