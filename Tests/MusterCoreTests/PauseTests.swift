import MusterCore
import MusterGeometry
import Testing

/// A pause explains a person's silence. It is no evidence of safety, and the engine still uses every report.
@Suite struct PauseTests {
    private func town(allowsPause: Bool = true) -> World {
        var world = World(silenceSeconds: 600)
        world.addTeam()
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.setPauses(allowsPause)
        return world
    }

    private func pause(_ world: World) -> Pause? { world.engine.pause(of: World.ana, now: World.time(world.now)) }

    @Test func `a pause ends by itself at its time, and by its person's word`() throws {
        var world = town()
        try world.beginPause(until: 600, at: 10)
        #expect(pause(world) == Pause(since: World.time(10), until: World.time(600), note: nil))
        world.sweep(at: 599)
        #expect(world.pauseTurns == [.began])
        world.now = 600
        #expect(pause(world) == nil)
        world.sweep(at: 601)
        try world.beginPause(until: 1_000, at: 610)
        world.endPause(at: 620)
        world.endPause(at: 621)
        #expect(world.pauseTurns == [.began, .ranOut, .began, .ended])
    }

    @Test func `a pause that is renewed has lasted since it began, and the same again says nothing`() throws {
        var world = town()
        try world.beginPause(until: 600, at: 10)
        try world.beginPause(until: 900, at: 300)
        try world.beginPause(until: 900, at: 310)
        #expect(pause(world) == Pause(since: World.time(10), until: World.time(900), note: nil))
        #expect(world.pauseTurns == [.began, .began])
    }

    @Test func `a pause makes nobody safe, and what devices report counts as ever`() throws {
        var (world, other) = (town(), town())
        try world.beginPause(until: 3_000, at: 0)
        for town in [0, 1] {
            var ran = town == 0 ? world : other
            ran.stay(45, 14, from: 1, to: 100)
            ran.stay(46, 14, from: 200, to: 400)
            for second in stride(from: 410.0, through: 1_400, by: 10) { ran.sweep(at: second) }
            if town == 0 { world = ran } else { other = ran }
        }
        #expect(world.told() == other.told() && world.stored == other.stored && world.crossings == other.crossings)
        #expect(world.told().contains("safe region") && world.told().last == "unknown silence")
        #expect(pause(world) != nil)
    }

    @Test func `an incident ends every pause, also one that is opened again, and none begins in it`() throws {
        var world = town()
        try world.beginPause(until: 3_000, at: 10)
        try world.beginPause(of: World.ben, until: 3_000, at: 10)
        try world.evacuate(1, .drill, at: 20)
        #expect(world.pauseTurns == [.began, .began, .incident, .incident])
        #expect(throws: PauseError.isInIncident(IncidentNumber(1))) { try world.beginPause(until: 3_000, at: 30) }
        try world.close(at: 40)
        #expect(pause(world) == nil)
        try world.beginPause(until: 3_000, at: 50)
        try world.reopen(at: 60)
        #expect(world.pauseTurns.last == .incident && pause(world) == nil)
    }

    @Test func `a team that does not allow pauses any more ends them, and so does another team`() throws {
        var world = town(allowsPause: false)
        #expect(throws: PauseError.isNotAllowed) { try world.beginPause(until: 100, at: 1) }
        world.setPauses(true)
        try world.beginPause(until: 3_000, at: 10)
        world.setPauses(false)
        #expect(pause(world) == nil)
        world.sweep(at: 20)
        #expect(world.pauseTurns == [.began, .withdrawn])
        world.setPauses(true)
        #expect(pause(world) == nil)
        try world.beginPause(until: 3_000, at: 30)
        world.edit(.putUser(User(number: World.ana, name: "ana", role: .member, team: nil)))
        #expect(pause(world) == nil)
        world.sweep(at: 31)
        #expect(world.pauseTurns.last == .withdrawn)
    }

    @Test func `who calls for help does not pause, and a call is louder than a pause`() throws {
        var world = town()
        world.declare(.sos, at: 1)
        #expect(throws: PauseError.callsForHelp) { try world.beginPause(until: 100, at: 2) }
        world.declare(.clear, by: World.lea, at: 3)
        try world.beginPause(until: 100, at: 4)
        world.declare(.needsHelp, at: 5)
        #expect(world.engine.safety(of: World.ana).state == .needsHelp)
        world.declare(.safe, at: 6)
        #expect(pause(world) != nil)
    }

    @Test func `a pause and a timer outlast a restart, and neither ends the other`() throws {
        var world = town()
        try world.startTimer(at: 0)
        try world.beginPause(until: 3_000, at: 10)
        world.restart(at: 20)
        #expect(pause(world)?.until == World.time(3_000))
        #expect(world.engine.checkInTimer(of: World.ana) != nil)
        for second in stride(from: 21.0, through: 800, by: 10) { world.sweep(at: second) }
        #expect(world.timerTurns.contains { $0.hasPrefix("overdue") })
        try world.endTimer(at: 801)
        #expect(pause(world) != nil)
        // The clock is behind after a restart: the pause still ends within the longest time that one may last.
        world.restart(at: -100_000)
        #expect(pause(world)?.until == World.time(-100_000 + Pause.limitSeconds))
    }
}

extension World {
    mutating func setPauses(_ isAllowed: Bool) {
        guard var team = directory.teams[Self.team] else { return }
        team.incidents.allowsPause = isAllowed
        edit(.putTeam(team))
    }

    /// Begins the pause of a user, Ana by default.
    mutating func beginPause(
        of user: UserNumber = World.ana, until end: Double, at seconds: Double
    ) throws(PauseError) {
        now = max(now, seconds)
        defer { settle() }
        _ = try engine.beginPause(
            of: user, until: Self.time(end), note: nil, now: Self.time(now), into: &decision)
    }

    mutating func endPause(at seconds: Double) {
        now = max(now, seconds)
        engine.endPause(of: Self.ana, into: &decision)
        settle()
    }

    /// The events of all pauses, in order.
    var pauseTurns: [Pause.Turn] {
        log.compactMap { change in
            if case .pause(let pause, _) = change { pause.turn } else { nil }
        }
    }
}
