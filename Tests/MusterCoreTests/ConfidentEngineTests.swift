import MusterCore
import MusterGeometry
import Testing

/// The confident policy as the engine carries it out. The policy itself is tested in `ConfidentPolicyTests`.
@Suite struct ConfidentEngineTests {
    /// A world with a muster region of ±111 m around 45, 14.
    private static func town(isMuster: Bool = true, dwell: Double? = nil, exitDelay: Double = 0) -> World {
        var world = World(policy: .confident)
        world.putSquare(1, at: 45, 14, isMuster: isMuster, dwell: dwell, exitDelay: exitDelay)
        return world
    }

    /// Reports good fixes at a place, a fix every five seconds.
    private static func stay(
        _ world: inout World, at latitude: Double, from start: Double, to end: Double, speed: Double = 0
    ) {
        for second in stride(from: start, through: end, by: 5) {
            world.report(latitude, 14, at: second, accuracy: Metres(5), speed: speed)
        }
    }

    @Test func `the first fix decides nothing, the second finds the device inside, and more make its owner safe`() {
        var world = Self.town()
        world.report(45, 14, at: 0, accuracy: Metres(5))
        #expect(world.safety == [])
        #expect(world.told() == ["unknown unlocated"])
        world.report(45, 14, at: 5, accuracy: Metres(5))
        #expect(world.crossings == [])
        #expect(world.told() == ["unknown unlocated", "unknown unlocated checking"])
        #expect(world.engine.presences(of: World.phone).map(\.region.rawValue) == [1])
        world.stay(45, 14, from: 10, to: 20)
        #expect(world.safety == [])
        world.report(45, 14, at: 25, accuracy: 5)
        #expect(world.safety == [.safe])
    }

    @Test func `walking in is one enter, and walking out one exit`() {
        var world = Self.town()
        for step in 0...160 {
            // 7 m a step, from 560 m south to 560 m north.
            world.report(
                45 + Double(step - 80) * 0.000063, 14, at: Double(step) * 5, accuracy: Metres(5), speed: 1.4)
        }
        #expect(world.crossings == ["enter 1", "exit 1"])
        #expect(world.safety == [.unsafe, .safe, .unsafe])
    }

    @Test func `a crossing says how probable it was`() throws {
        var world = Self.town(isMuster: false)
        Self.stay(&world, at: 44.99, from: 0, to: 20)
        Self.stay(&world, at: 45, from: 400, to: 420)
        let crossing = try #require(
            world.log.compactMap { change in
                if case .crossing(let crossing) = change { crossing } else { nil }
            }.first)
        #expect(crossing.kind == .enter)
        #expect((86...100).contains(try #require(crossing.insidePercent)))
    }

    @Test func `a fix from a cell tower changes no standing, and marks the safety as checking`() {
        var world = Self.town()
        Self.stay(&world, at: 45, from: 0, to: 60)
        let safety = world.safety
        world.report(45.5, 14, at: 65, accuracy: Metres(17_000))
        world.report(45.004, 14, at: 70, accuracy: Metres(5), speed: 0)
        #expect(world.crossings == [])
        #expect(world.safety == safety)
        #expect(world.engine.safety(of: World.ana).doubt == .checking)
        #expect(world.reports.last == "inside 1 checking")
        #expect(world.engine.reports(of: World.phone).map(\.insidePercent) == [nil])
        Self.stay(&world, at: 45, from: 75, to: 80)
        #expect(world.reports.last == "inside 1 certain")
        #expect(world.crossings == [])
    }

    @Test func `silence makes a standing the last one known, without an exit`() {
        var world = Self.town()
        Self.stay(&world, at: 45, from: 0, to: 60)
        world.sweep(at: 1_200)
        #expect(world.reports.last == "inside 1 certain")
        world.sweep(at: 1_300)
        #expect(world.reports.last == "inside 1 stale")
        let told = world.reports.count
        world.sweep(at: 1_400)
        #expect(world.reports.count == told)
        #expect(world.crossings == [])
        Self.stay(&world, at: 45, from: 2_000, to: 2_005)
        #expect(world.reports.last == "inside 1 certain")
    }

    @Test func `a region too small for the accuracy is reported as such, not as outside`() {
        var world = World(policy: .confident)
        world.putSquare(1, at: 45, 14, half: 0.0001)
        for second in stride(from: 0.0, through: 300, by: 5) {
            world.report(45, 14, at: second, accuracy: Metres(60), speed: 0)
        }
        #expect(world.crossings == [])
        #expect(world.engine.reports(of: World.phone).map(\.doubt) == [.poorAccuracy])
    }

    @Test func `fixes too coarse to tell enter nobody into a large region`() {
        var world = World(policy: .confident)
        // 3.9 km from the boundary, farther than regions are looked for, with fixes of 5 km.
        world.putSquare(1, at: 45, 14, half: 0.05, isMuster: true)
        for second in stride(from: 0.0, through: 60, by: 5) {
            world.report(45, 14, at: second, accuracy: Metres(5_000))
        }
        #expect(world.engine.presences(of: World.phone) == [])
        #expect(world.engine.safety(of: World.ana).state == .unknown)
    }

    @Test func `a dwell fires on a fix inside, never from a clock alone`() {
        var world = Self.town(isMuster: false, dwell: 60)
        Self.stay(&world, at: 45, from: 0, to: 50)
        world.sweep(at: 500)
        #expect(world.crossings == [])
        Self.stay(&world, at: 45, from: 505, to: 505)
        #expect(world.crossings == ["dwell 1"])
    }

    @Test func `a late fix moves neither the track nor a standing`() {
        var world = Self.town()
        Self.stay(&world, at: 45, from: 100, to: 160)
        let before = world.engine.reports(of: World.phone)
        #expect(world.report(44.9, 14, at: 130.5, receivedAt: 161, accuracy: Metres(5)) == .late)
        #expect(world.engine.reports(of: World.phone) == before)
    }

    @Test func `an engine that was restarted asks for the trail and goes on where it was`() throws {
        var world = Self.town()
        Self.stay(&world, at: 45, from: 0, to: 300)
        let uninterrupted = world.engine.reports(of: World.phone)
        let trail: [Position] = world.log.compactMap { change in
            if case .position(let position, _, _) = change { position } else { nil }
        }
        world.engine = Engine(
            directory: world.directory, positions: [(World.phone, try #require(trail.last))],
            presences: [(World.phone, world.engine.standings(of: World.phone))],
            safety: [(World.ana, world.engine.safety(of: World.ana))])
        let next = Observation.position(
            Position(
                coordinate: Coordinate(validLatitude: 45, longitude: 14), sampleTime: World.time(305),
                receivedTime: World.time(305), accuracy: Metres(5), speed: 0),
            of: World.phone)
        #expect(
            world.engine.question(about: next, now: World.time(305), after: world.decision)
                == .trail(of: World.phone, until: World.time(300)))
        world.engine.restore(trail, of: World.phone, into: &world.decision)
        world.engine.adopt(&world.decision)
        #expect(world.engine.question(about: next, now: World.time(305), after: world.decision) == nil)
        #expect(world.engine.reports(of: World.phone) == uninterrupted)
    }

    @Test func `raw and confident collections of one tracker are crossed each by its own rule`() {
        var world = Self.town(isMuster: false)
        let raw = CollectionNumber(2)
        world.edit(.putCollection(RegionCollection(number: raw, name: "raw", policy: .raw)))
        world.edit(
            .putTracker(
                Tracker(
                    number: World.tracker, name: "crew", filter: .none, collections: [World.collection, raw])))
        let circle = Circle(centre: Coordinate(validLatitude: 45, longitude: 14), radius: Metres(100))
        world.edit(
            .putRegion(
                Region(number: RegionNumber(2), collection: raw, id: "r2", name: "r2", shape: .circle(circle))))
        Self.stay(&world, at: 45, from: 0, to: 10)
        #expect(world.crossings == ["enter 2"])
        world.report(45.01, 14, at: 15, accuracy: Metres(5), speed: 0)
        #expect(world.crossings == ["enter 2", "exit 2"])
        #expect(world.engine.presences(of: World.phone).map(\.region.rawValue) == [1])
    }
}

@Suite struct PassageTests {
    /// A device that drives north through 45, 14, a fix every `interval` seconds, 20 m/s.
    private static func drive(intervalSeconds: Double) -> World {
        var world = World(policy: .confident)
        world.putSquare(1, at: 45, 14)
        let step = intervalSeconds * 20 / 111_130
        for index in 0..<20 {
            world.report(
                45 + (Double(index) - 9.5) * step, 14, at: Double(index) * intervalSeconds, accuracy: Metres(5),
                speed: 20)
        }
        return world
    }

    @Test func `a region between two fixes is reported as passed, and changes no standing`() throws {
        let world = Self.drive(intervalSeconds: 30)
        #expect(world.crossings == ["passed 1"])
        #expect(world.engine.presences(of: World.phone) == [])
        #expect(world.engine.safety(of: World.ana).state == .unsafe)
    }

    @Test func `a region entered by a fix is not reported as passed as well`() {
        #expect(Self.drive(intervalSeconds: 2).crossings == ["enter 1", "exit 1"])
    }
}
