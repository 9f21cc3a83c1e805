import MusterCore
import MusterGeometry
import Testing

/// What coarse positions show: where somebody cannot be, and not that somebody stayed where better ones found them.
@Suite struct CoarseEvidenceTests {
    private static let half = 0.001
    /// The limit of silence of these teams, seconds.
    private static let silence = 1_200.0

    private func world() -> World {
        var world = World(silenceSeconds: Self.silence, policy: .confident)
        world.putSquare(1, at: 45, 9, half: Self.half, isMuster: true)
        return world
    }

    /// Reports the same place each minute, and looks at the clock.
    private func report(
        _ latitude: Double, accuracy: Metres, from start: Double, to end: Double, in world: inout World
    ) {
        for second in stride(from: start, through: end, by: 60) {
            world.report(latitude, 9, at: second, accuracy: accuracy)
            world.sweep(at: second + 1)
        }
    }

    @Test(arguments: [(50, 40_000), (45.5, 3_000), (-45, 40_000), (45.5, 2_000)] as [(Double, Metres)])
    func `a coarse position certainly outside of every assembly point makes unsafe`(
        latitude: Double, accuracy: Metres
    ) {
        var world = world()
        report(latitude, accuracy: accuracy, from: 0, to: 600, in: &world)
        #expect(world.engine.safety(of: World.ana).state == .unsafe)
        #expect(world.whereabouts(of: World.ana) == .absent)
        world.restart()
        world.sweep(at: 660)
        #expect(world.engine.safety(of: World.ana).state == .unsafe)
        #expect(world.whereabouts(of: World.ana) == .absent)
    }

    @Test func `beyond a thousand assembly points a coarse position proves nothing`() {
        var world = World(silenceSeconds: Self.silence, policy: .confident)
        for number in 1...1_001 {
            world.putSquare(Int32(number), at: 45, 9 + Double(number) * 0.001, half: 0.0004, isMuster: true)
        }
        report(50, accuracy: 40_000, from: 0, to: 120, in: &world)
        #expect(world.engine.safety(of: World.ana).state == .unknown)
        world.edit(.removeRegion(RegionNumber(1_001), from: World.collection))
        world.sweep(at: 130)
        #expect(world.engine.safety(of: World.ana).state == .unsafe)
    }

    @Test(arguments: [(45.2, 40_000), (45.03, 3_000), (44.97, 3_000), (45.05, 3_000)] as [(Double, Metres)])
    func `a coarse position that may be in an assembly point makes neither safe nor unsafe`(
        latitude: Double, accuracy: Metres
    ) {
        var world = world()
        report(latitude, accuracy: accuracy, from: 0, to: 600, in: &world)
        #expect(world.engine.safety(of: World.ana).state == .unknown)
        #expect(world.whereabouts(of: World.ana) == .unknown)
    }

    @Test(arguments: 0..<60)
    func `a person in an assembly point within a coarse cell is never unsafe`(seed: Int) {
        var chance = Chance(seed: UInt64(seed))
        let bits = 10 + Int(chance.number(0...7.99))
        let half = Double(UInt32(1) << UInt32(31 - bits)) / 1e7
        let middle = Coordinate(validLatitude: 45, longitude: 9)
        let corner = Coordinate(validLatitude: 45 - half, longitude: 9 + half)
        var world = World(silenceSeconds: Self.silence, policy: .confident)
        world.putSquare(
            1, at: 45 + chance.number(-half...half), 9 + chance.number(-half...half),
            half: chance.number(0.0002...0.002), isMuster: true)
        for minute in 0..<60 {
            world.report(45, 9, at: Double(minute) * 60, accuracy: middle.distance(to: corner) + 10)
            world.sweep(at: Double(minute) * 60 + 1)
            #expect(world.engine.safety(of: World.ana).state != .unsafe, "\(bits) bits, minute \(minute)")
        }
    }

    @Test func `an assembly point across the antimeridian is not missed, and a far one is`() {
        for (longitude, state) in [(-179.99, Safety.State.unknown), (-175, .unsafe), (179, .unsafe)] {
            var world = World(silenceSeconds: Self.silence, policy: .confident)
            world.putSquare(1, at: 45, longitude, half: Self.half, isMuster: true)
            for minute in 0..<10 { world.report(45, 179.96, at: Double(minute) * 60, accuracy: 3_000) }
            #expect(world.engine.safety(of: World.ana).state == state, "\(longitude)")
        }
    }

    @Test func `an assembly point that is removed or moved away is not waited for`() {
        var world = world()
        report(45.03, accuracy: 3_000, from: 0, to: 600, in: &world)
        #expect(world.engine.safety(of: World.ana).state == .unknown)
        world.putSquare(1, at: 47, 9, half: Self.half, isMuster: true)
        world.sweep(at: 610)
        #expect(world.engine.safety(of: World.ana).state == .unsafe)
        world.putSquare(1, at: 45, 9, half: Self.half, isMuster: true)
        world.sweep(at: 620)
        #expect(world.engine.safety(of: World.ana).state == .unknown)
        world.edit(.removeRegion(RegionNumber(1), from: World.collection))
        world.putSquare(2, at: 47, 9, half: Self.half, isMuster: true)
        world.sweep(at: 630)
        #expect(world.engine.safety(of: World.ana).state == .unsafe)
    }

    @Test(
        arguments: [(45.018, 3_000), (45.045, 3_000), (45.18, 40_000), (45.54, 40_000), (45, 3_000)]
            as [(Double, Metres)])
    func `coarse positions do not keep a person safe beyond the limit of silence`(
        latitude: Double, accuracy: Metres
    ) {
        var world = world()
        world.stay(45, 9, from: 0, to: 60)
        #expect(world.engine.safety(of: World.ana).state == .safe)
        report(latitude, accuracy: accuracy, from: 120, to: 60 + Self.silence - 60, in: &world)
        #expect(world.engine.safety(of: World.ana).state == .safe)
        #expect(world.whereabouts(of: World.ana) == .present)
        report(latitude, accuracy: accuracy, from: 60 + Self.silence, to: 7_200, in: &world)
        #expect(world.engine.safety(of: World.ana).state == .unknown)
        #expect(world.engine.safety(of: World.ana).source == .unlocated)
        #expect(world.whereabouts(of: World.ana) == .unknown)
        world.restart()
        world.sweep(at: 7_230)
        #expect(world.engine.safety(of: World.ana).state == .unknown)
        // Good positions tell again.
        world.stay(45, 9, from: 7_260, to: 7_320)
        #expect(world.engine.safety(of: World.ana).state == .safe)
        #expect(world.crossings.filter { $0 == "exit 1" }.isEmpty)
    }

    @Test func `coarse positions within an assembly point that is large enough for them keep somebody safe`() {
        var world = World(silenceSeconds: Self.silence, policy: .confident)
        world.putSquare(1, at: 45, 9, half: 0.025, isMuster: true)
        world.stay(45, 9, from: 0, to: 60)
        report(45.005, accuracy: 1_000, from: 120, to: 7_200, in: &world)
        #expect(world.engine.safety(of: World.ana).state == .safe)
        // None of these is a surprise, each lies 1.8 km outside, and all lie on one side.
        report(45.0414, accuracy: 1_000, from: 7_260, to: 7_800, in: &world)
        #expect(world.engine.safety(of: World.ana).state == .unsafe)
    }

    @Test func `an attendance ends with the good position that it was seen by`() throws {
        var world = World.crew(silenceSeconds: 600)
        world.stay([World.leasPhone], at: 45, to: 200)
        try world.demand(1, after: 60)
        world.pass(to: 210)
        for second in stride(from: 220.0, through: 1_800, by: 30) {
            world.report(45.03, 14, at: second, accuracy: 3_000, by: World.leasPhone)
            world.sweep(at: second + 1)
        }
        #expect(world.whereabouts(of: World.lea) == .unknown)
        #expect(world.attendance.contains { $0.turn == .lacking && $0.at <= World.time(920) })
        world.report(45, 14, at: 1_810, accuracy: 5, by: World.leasPhone)
        #expect(world.whereabouts(of: World.lea) == .present)
        #expect(world.attendanceTurns.last == "enough 1810")
    }
}
