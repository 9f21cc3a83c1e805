import MusterCore
import Testing

/// An acknowledgement of an incident's call is a line of the incident's record, and says nothing about how a person is.
@Suite struct CallSeenTests {
    private func town() throws -> World {
        var world = World(silenceSeconds: 600)
        world.addTeam()
        try world.evacuate(1, .real, at: 10)
        return world
    }

    private func seenAt(_ world: World, _ user: UserNumber = World.ana) -> Instant? {
        world.engine.roll(of: IncidentNumber(1)).members[user]?.callSeenAt
    }

    @Test func `a person has seen a call once, and nobody is safer for it`() throws {
        var world = try town()
        func counts() -> RollCounts { world.engine.rollCounts(of: IncidentNumber(1), after: world.decision) }
        let before = (world.engine.safety(of: World.ana), counts())
        #expect(try world.acknowledgeCall(at: 20) == World.time(20))
        #expect(try world.acknowledgeCall(at: 30) == World.time(20))
        #expect(world.lines.filter { $0.contains("callSeen") } == ["ana callSeen unknown"])
        #expect(world.engine.safety(of: World.ana) == before.0)
        #expect(counts() == before.1)
        #expect(seenAt(world) == World.time(20) && seenAt(world, World.ben) == nil)
        let rolls = world.log.filter { change in if case .roll = change { true } else { false } }
        #expect(rolls.count == 1)
    }

    @Test func `an incident that is opened again asks again, and no earlier word answers it`() throws {
        var world = try town()
        _ = try world.acknowledgeCall(at: 20)
        try world.close(at: 100)
        #expect(throws: IncidentError.isNotOpen) { try world.acknowledgeCall(at: 101) }
        try world.reopen(at: 200)
        #expect(seenAt(world) == nil)
        // A phone that had no network sends its acknowledgement of the first call late.
        #expect(try world.acknowledgeCall(saidAt: 150, at: 210) == nil)
        #expect(seenAt(world) == nil)
        // An acknowledgement from 2 s before the reopening counts, because a phone's clock is not exact.
        #expect(try world.acknowledgeCall(saidAt: 198, at: 220) == World.time(220))
        world.restart(at: 230)
        #expect(seenAt(world) == World.time(220))
        #expect(try world.acknowledgeCall(at: 240) == World.time(220))
    }

    @Test func `who was taken off the roll, or never was on it, has no call`() throws {
        var world = try town()
        try world.takeOff(World.ana, at: 20)
        #expect(throws: IncidentError.isNotOnRoll) { try world.acknowledgeCall(at: 21) }
        #expect(throws: IncidentError.isNotOnRoll) { try world.acknowledgeCall(by: UserNumber(77), at: 22) }
        #expect(!world.lines.contains { $0.contains("callSeen") })
    }

    @Test func `a clock that is set back hides no word`() throws {
        var world = World(silenceSeconds: 600)
        world.addTeam()
        try world.evacuate(1, .real, at: 1_000)
        world.now = 0
        #expect(try world.acknowledgeCall(at: 5) == World.time(5))
    }
}

extension World {
    /// Lets a user, Ana by default, say that they have seen the call of the first incident.
    mutating func acknowledgeCall(
        by user: UserNumber = World.ana, saidAt: Double? = nil, at seconds: Double
    ) throws(IncidentError) -> Instant? {
        now = max(now, seconds)
        defer { settle() }
        return try engine.recordCallSeen(
            by: user, saidAt: Self.time(saidAt ?? seconds), on: IncidentNumber(1), of: Self.team,
            now: Self.time(now), into: &decision)
    }
}
