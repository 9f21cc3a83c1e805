import MusterCore
import MusterGeometry
import Testing

/// The server's clock is set back while people are inside. The engine discards what it followed at later times, and
/// goes on with the reports that follow.
@Suite struct ClockSetBackTests {
    /// Ana in a muster region, three hours ahead of the time at which the world goes on.
    private static func inside(_ policy: CrossingPolicy) -> World {
        var world = World(policy: policy)
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.stay(45, 14, from: 10_000, to: 10_600)
        world.now = 0
        return world
    }

    @Test(arguments: [CrossingPolicy.confident, .raw], [false, true])
    func `an edit of a person's region decides nothing before their next fixes`(
        policy: CrossingPolicy, wasOff: Bool
    ) {
        var world = Self.inside(policy)
        world.engine.adjustTimes(to: World.time(0), wasOff: wasOff)
        world.putSquare(1, at: 45, 14, half: 0.0012, isMuster: true)
        #expect(world.ana.state == .unknown)
        world.stay(45, 14, from: 5, to: 60)
        #expect(world.ana.state == .safe)
        world.putSquare(1, at: 47, 14, isMuster: true)
        #expect(world.ana.state == .unsafe)
    }

    @Test func `a standing without any estimate is unknown after an edit`() {
        var world = World(policy: .confident)
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.engine.setPresences([Presence(region: RegionNumber(1), since: World.time(0))], of: World.phone)
        world.putSquare(1, at: 45, 14, half: 0.0012, isMuster: true)
        #expect(world.engine.standings(of: World.phone).map(\.standing) == [.unknown])
    }

    @Test(arguments: [true, false])
    func `a person who leaves after it is not safe, whether or not the phone's clock was ahead too`(wasAhead: Bool) {
        var world = Self.inside(.confident)
        world.engine.adjustTimes(to: World.time(0), wasOff: false)
        // Where the server's clock alone is wrong now, the phone is three hours ahead of it.
        let ahead = wasAhead ? 0.0 : 10_600
        for second in stride(from: 10.0, through: 600, by: 10) { world.walk(45.1, at: second, ahead: ahead) }
        #expect(world.ana.state == .unsafe)
    }

    @Test(arguments: [false, true])
    func `tags are heard on, and a person no longer heard is not safe after two minutes`(goesOn: Bool) {
        var world = World(policy: .confident)
        world.addScanners()
        world.putBeacon(1, .scanner(World.hall), at: 45, isMuster: true)
        // The gateway has no clock, so that its sightings are of the server's time.
        for second in 0..<20 { world.hear(World.carried, at: 10_000 + Double(second), by: World.hall) }
        #expect(world.ana.state == .safe)
        world.now = 0
        world.engine.adjustTimes(to: World.time(0), wasOff: false)
        for second in stride(from: 1.0, through: 180, by: 1) {
            if goesOn { #expect(world.hear(World.carried, at: second, by: World.hall) == .accepted) }
            world.sweep(at: second + 0.5)
            if second < 110 || goesOn { #expect(world.ana.state == .safe, "\(second)") }
        }
        #expect(world.ana.state == (goesOn ? .safe : .unknown))
        guard goesOn else { return }
        for second in stride(from: 181.0, through: 240, by: 1) {
            world.listen(at: second, by: World.hall)
            world.sweep(at: second + 0.5)
        }
        #expect(world.ana.state != .safe)
    }

    @Test func `after the clock was set back older ranges do not count, and the next one does`() throws {
        var world = World.crew(silenceSeconds: 600)
        world.agree(World.bensPhone)
        try world.measure(.person(World.ben), within: 3)
        world.range(2, at: 10_000)
        #expect(world.proximityTurns == ["made", "near 1"])
        world.now = 0
        world.engine.adjustTimes(to: World.time(0), wasOff: false)
        #expect(world.reading(of: World.ana)?.standing == .unknown)
        #expect(world.range(200, at: 10) == .accepted)
        #expect(world.proximityTurns == ["made", "near 1", "left 1"])
    }

    @Test func `a declaration made during an incident counts, and one from long before does not`() throws {
        var world = World(policy: .confident)
        world.addTeam()
        world.now = 10_000
        try world.evacuate(at: 10_000)
        world.now = 0
        world.engine.adjustTimes(to: World.time(0), wasOff: false)
        #expect(world.declare(.safe, of: World.ben, at: -300, receivedAt: 5) == .late)
        #expect(world.declare(.safe, at: 10) == .accepted)
        #expect(world.ana.state == .safe)
        #expect(world.engine.safety(of: World.ben).state == .unknown)
    }

    @Test func `a stored track that is ahead of what was evaluated keeps nobody inside`() {
        var world = Self.inside(.confident)
        var record = world.engine.record(of: World.phone, after: world.decision)
        record.evaluated = World.time(0)
        world.engine.resume([(World.phone, record)])
        for second in stride(from: 10.0, through: 600, by: 10) { world.walk(45.1, at: second, ahead: 0) }
        #expect(world.ana.state == .unsafe)
    }
}

extension World {
    /// Reports a fix as the server has it decided: the engine asks for what it lacks. No trail is stored.
    fileprivate mutating func walk(_ latitude: Double, at seconds: Double, ahead: Double) {
        now = seconds
        let position = Position(
            coordinate: Coordinate(validLatitude: latitude, longitude: 14), sampleTime: Self.time(seconds + ahead),
            receivedTime: Self.time(seconds), accuracy: 5)
        let observation = Observation.position(position, of: Self.phone)
        while case .trail(let device, _) = engine.question(
            about: observation, now: Self.time(now), after: decision)
        { engine.restore([], of: device, into: &decision) }
        _ = engine.decide(observation, now: Self.time(now), into: &decision)
        settle()
    }
}
