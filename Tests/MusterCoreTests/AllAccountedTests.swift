import MusterGeometry
import Testing

@testable import MusterCore

/// What counts as accounted for, and how "all accounted" begins and ends with doubts.
@Suite struct AllAccountedTests {
    /// Ana alone, safe in the middle of the muster region, in an incident since second 61.
    private static func evacuated(_ settings: IncidentSettings = IncidentSettings()) throws -> World {
        var world = World(silenceSeconds: 3_600, policy: .confident)
        world.edit(.putTeam(world.team(settings)))
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.stay(45, 14, from: 0, to: 60)
        try world.evacuate(at: 61)
        return world
    }

    /// Reports one fix that does not fit the others.
    private static func doubt(_ world: inout World, at seconds: Double) {
        world.report(45.004, 14, at: seconds, accuracy: 5, speed: 0)
        #expect(world.ana.state == .safe && world.ana.doubt == .checking, "at \(seconds)")
    }

    private static func counts(_ world: World) -> [Int] {
        let counts = world.engine.rollCounts(of: IncidentNumber(1), after: world.decision)
        #expect(counts.accounted + counts.checking + counts.unaccounted == counts.people)
        return [counts.accounted, counts.checking, counts.unaccounted]
    }

    @Test func `each person of a roll is accounted for, checking or unaccounted`() throws {
        var world = try Self.evacuated()
        #expect(Self.counts(world) == [1, 0, 0])
        world.addTeam()
        world.now = 62
        world.declare(.offSite, of: World.ben, by: World.lea, at: 62)
        #expect(Self.counts(world) == [2, 0, 1])
        Self.doubt(&world, at: 65)
        #expect(Self.counts(world) == [1, 1, 1])
        world.report(45.004, 14, at: 70, accuracy: 5)
        #expect(world.ana.source == .seemsToHaveLeft)
        #expect(Self.counts(world) == [1, 0, 2])
        try world.takeOff(World.lea, at: 71)
        #expect(Self.counts(world) == [1, 0, 1])
        #expect(RollCounts(of: []).unaccounted == 0)
    }

    @Test func `a doubt ends all accounted, which begins again after a pause`() throws {
        var world = try Self.evacuated()
        #expect(world.turns == [.started, .allAccounted])
        Self.doubt(&world, at: 65)
        #expect(world.turns.last == .notAllAccounted)
        world.stay(45, 14, from: 70, to: 90)
        #expect(world.ana.doubt == nil && Self.counts(world) == [1, 0, 0])
        world.sweep(at: 94)
        #expect(world.turns.last == .notAllAccounted)
        world.sweep(at: 95)
        #expect(world.turns == [.started, .allAccounted, .notAllAccounted, .allAccounted])
        #expect(world.engine.openIncident(of: World.team)?.allAccountedAt == World.time(95))
    }

    @Test func `doubts that come and go are not reported each time`() throws {
        var world = try Self.evacuated()
        var doubts = 0
        for step in 1...60 {
            let second = 60 + Double(step) * 10
            world.report(45.004, 14, at: second, accuracy: 5, speed: 0)
            if world.ana.isChecking { doubts += 1 }
            world.report(45, 14, at: second + 4, accuracy: 5)
            world.report(45, 14, at: second + 8, accuracy: 5)
            world.sweep(at: second + 8)
        }
        #expect(doubts > 20)
        // In 600 s, with a pause of 30 s after each.
        #expect(world.turns.count { $0 == .notAllAccounted } <= 20)
        #expect(world.turns.contains(.notAllAccounted))
    }

    @Test func `without a doubt all accounted ends and begins at once`() throws {
        var world = try Self.evacuated()
        let zoe = try world.addVisitor("Zoe", at: 62)
        #expect(world.turns.last == .notAllAccounted)
        try world.takeOff(zoe, at: 63)
        #expect(world.turns.last == .allAccounted)
    }

    @Test func `a clock that is set back ends the pause`() throws {
        var world = try Self.evacuated()
        Self.doubt(&world, at: 65)
        world.stay(45, 14, from: 70, to: 75)
        world.now = -1_000
        world.engine.adjustTimes(to: World.time(-1_000), wasOff: false)
        world.stay(45, 14, from: -999, to: -900)
        world.sweep(at: -899)
        #expect(world.ana.isAccounted)
        #expect(world.turns.last == .allAccounted)
    }

    @Test func `an incident that closes by itself counts from the time when no doubt was left`() throws {
        var world = try Self.evacuated(IncidentSettings(closesDrills: true, closesAfterSeconds: 300))
        world.stay(45, 14, from: 100, to: 110)
        Self.doubt(&world, at: 115)
        world.stay(45, 14, from: 120, to: 140)
        world.sweep(at: 150)
        #expect(world.turns.last == .allAccounted)
        world.sweep(at: 449)
        #expect(world.closings.isEmpty)
        world.sweep(at: 450)
        #expect(world.closings == [.automatic])
    }

    @Test func `a leader's mark settles a doubt about a person inside`() throws {
        var world = try Self.evacuated()
        world.addTeam()
        Self.doubt(&world, at: 65)
        world.declare(.safe, by: World.lea, at: 66)
        #expect(world.ana.source == .marked(by: World.lea) && world.ana.isAccounted)
        // Once the device is inside without a doubt, that is the better evidence.
        world.stay(45, 14, from: 70, to: 80)
        #expect(world.ana.source == .region && world.ana.isAccounted)
        world.report(45.004, 14, at: 100, accuracy: 5, speed: 0)
        #expect(world.ana.source == .marked(by: World.lea))
        world.report(45.004, 14, at: 105, accuracy: 5)
        #expect(world.ana.source == .seemsToHaveLeft && !world.ana.isAccounted)
        world.stay(45, 14, from: 110, to: 160)
        #expect(world.ana.source == .region)
    }
}
