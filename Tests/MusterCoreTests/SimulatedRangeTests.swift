import MusterCore
import Testing

/// What a distance that a program invented may decide.
@Suite struct SimulatedRangeTests {
    /// Ana, Lea and Ben, each with a phone; Ben agreed to be measured.
    private func world() -> World {
        var world = World.crew(silenceSeconds: 600)
        world.agree(World.bensPhone)
        return world
    }

    @Test func `a simulated distance ends no alarm that a measured one began`() throws {
        var world = world()
        try world.measure(.person(World.ben), within: 3)
        world.range(2, at: 71)
        world.range(20, at: 72, source: .simulated)
        #expect(world.reading(of: World.ana)?.source == .ultraWideband)
        #expect(world.range(2, at: 71.5) == .accepted)
        #expect(world.reading(of: World.ana)?.source == .ultraWideband)
        // What was measured is too old to say anything, and the alarm stands.
        world.range(20, at: 110, source: .simulated)
        let reading = try #require(world.reading(of: World.ana))
        #expect(reading.standing == .beyond && reading.source == .simulated)
        #expect(world.proximityTurns == ["made", "near 1"])
        world.range(20, at: 111)
        #expect(world.proximityTurns == ["made", "near 1", "left 1"])
    }

    @Test func `a simulated distance may end what one began, and a measured one is reported again`() throws {
        var world = world()
        try world.measure(.person(World.ben), within: 3)
        world.range(2, at: 71, source: .simulated)
        world.range(20, at: 72, source: .simulated)
        world.range(2, at: 73, source: .simulated)
        #expect(world.engine.proximityAlarms(of: World.closeness).map(\.isSimulated) == [true])
        #expect(world.proximity.dropFirst().allSatisfy { $0.source == .simulated })
        world.restartWithRanges()
        world.range(2, at: 110)
        #expect(world.proximity.last?.source == .ultraWideband)
        #expect(world.engine.proximityAlarms(of: World.closeness).map(\.isSimulated) == [false])
        world.range(20, at: 150, source: .simulated)
        #expect(world.proximityTurns == ["made", "near 1", "left 1", "near 1", "near 1"])
    }

    @Test func `a simulated distance neither hides nor ends a report that two are apart`() throws {
        var world = world()
        try world.measure(.person(World.ben), within: 50, .together(afterSeconds: 100))
        world.range(3, at: 71, source: .simulated)
        world.stand([World.phone: 400, World.bensPhone: 0], to: 140)
        world.range(3, at: 141, source: .simulated)
        #expect(world.reading(of: World.ana)?.standing == .beyond)
        world.stand([World.phone: 400, World.bensPhone: 0], to: 300)
        #expect(world.proximityTurns == ["made", "apart 1"])
        // Where both are is not known any more, and what is invented counts for no evidence that they met.
        world.range(3, at: 700, source: .simulated)
        #expect(world.reading(of: World.ana)?.source == .simulated)
        #expect(world.proximityTurns == ["made", "apart 1"])
    }

    @Test func `two are not reported apart once the simulated distance is too old`() throws {
        var world = world()
        try world.measure(.person(World.ben), within: 50, .together(afterSeconds: 60))
        world.range(200, at: 71, source: .simulated)
        #expect(world.engine.proximityAlarms(of: World.closeness).map(\.isSimulated) == [true])
        world.sweep(at: 200)
        #expect(world.proximityTurns == ["made"])
        #expect(world.engine.proximityAlarms(of: World.closeness).isEmpty)
    }

    @Test func `a simulated contact is listed apart from measured ones`() {
        let ranges = [
            (0.0, 2.0, PeerRange.Source.ultraWideband), (10, 1, .simulated), (15, 90, .simulated),
            (20, 3, .ultraWideband),
        ]
        .map { second, metres, source in
            PeerRange(
                to: World.bensPhone, sampleTime: World.time(second), receivedTime: World.time(second),
                metres: metres, deviationMetres: 0.1, source: source)
        }
        let found = ContactSearch(radiusMetres: 5).contacts(between: [], and: [], ranges: ranges)
        #expect(found.map(\.source) == [.ultraWideband, .simulated])
        #expect(found.map(\.from) == [World.time(0), World.time(10)])
        #expect(found.map(\.to) == [World.time(20), World.time(10)])
        #expect(found.map(\.closestMetres) == [2, 1])
    }
}
