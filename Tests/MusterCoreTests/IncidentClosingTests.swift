import MusterCore
import MusterGeometry
import Testing

/// Incidents that close by themselves, because their team chose so, and those that are opened again.
@Suite struct IncidentClosingTests {
    /// Ana alone, with a phone outside of the muster region, in a team with choices.
    private func crew(_ settings: IncidentSettings) -> World {
        var world = World(silenceSeconds: 600)
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.edit(.putTeam(world.team(settings)))
        world.report(46, 14, at: -300, accuracy: 5)
        return world
    }

    @Test func `a drill that closes by itself does so once all stayed accounted for`() throws {
        var world = crew(IncidentSettings(closesDrills: true))
        try world.evacuate(at: 10)
        world.stay(45, 14, from: 20, to: 25)
        // Believed outside 45 s after the first fix there, and inside again at 205 s.
        world.stay(46, 14, from: 100, to: 150)
        world.stay(45, 14, from: 160, to: 210)
        // 300 s after the first time; they did not stay.
        world.report(45, 14, at: 330, accuracy: 5)
        world.sweep(at: 331)
        #expect(world.closings.isEmpty)
        world.report(45, 14, at: 500, accuracy: 5)
        world.sweep(at: 504)
        #expect(world.closings.isEmpty)
        world.sweep(at: 505)
        #expect(world.closings == [.automatic])
        #expect(world.lines.last == "closed")
    }

    @Test(arguments: [
        (Incident.Kind.drill, IncidentSettings(), false),
        (.drill, IncidentSettings(closesRealIncidents: true), false),
        (.real, IncidentSettings(closesDrills: true), false),
        (.drill, IncidentSettings(closesDrills: true), true),
        (.real, IncidentSettings(closesRealIncidents: true), true),
    ])
    func `only what the team chose closes by itself`(
        kind: Incident.Kind, settings: IncidentSettings, closes: Bool
    ) throws {
        var world = crew(settings)
        try world.evacuate(1, kind, at: 10)
        world.stay(45, 14, from: 20, to: 40)
        world.sweep(at: 400)
        #expect(world.closings == (closes ? [.automatic] : []))
    }

    @Test func `after a restart a drill waits again before it closes`() throws {
        var world = crew(IncidentSettings(closesDrills: true))
        try world.evacuate(at: 10)
        world.stay(45, 14, from: 20, to: 25)
        world.report(45, 14, at: 300, accuracy: 5)
        world.restart()
        world.sweep(at: 310)
        world.sweep(at: 330)
        #expect(world.closings.isEmpty)
        world.sweep(at: 610)
        #expect(world.closings == [.automatic])
    }

    @Test func `a reopened incident has its number and its roll, and asks everyone again`() throws {
        var world = crew(IncidentSettings())
        world.addTeam()
        try world.evacuate(at: 10)
        let zoe = try world.addVisitor("Zoe", .safe, at: 11)
        world.declare(.safe, of: World.lea, at: 20)
        try world.takeOff(World.ben, at: 21)
        world.stay(45, 14, from: 30, to: 35)
        try world.close(at: 40)
        world.stay(46, 14, from: 290, to: 295)
        try world.reopen(at: 300)
        let incident = try #require(world.engine.openIncident(of: World.team))
        #expect(incident.number == IncidentNumber(1))
        #expect(incident.reopening == .init(at: World.time(300), by: World.lea, reason: "too soon"))
        #expect(world.engine.roll(of: incident.number).present == [zoe, World.ana, World.lea])
        #expect(world.turns.suffix(2) == [.closed, .reopened])
        #expect(world.lines.suffix(3) == ["reopened", "ana changed unsafe", "lea changed unknown"])
        #expect(throws: IncidentError.isNotClosed) { try world.reopen(at: 301) }
        world.stay(45, 14, from: 550, to: 570)
        world.declare(.safe, of: World.lea, at: 571)
        #expect(world.turns.last == .allAccounted)
    }

    @Test func `an incident is not opened again beside another one`() throws {
        var world = crew(IncidentSettings())
        try world.evacuate(1, at: 10)
        try world.close(1, at: 20)
        try world.evacuate(2, at: 30)
        #expect(throws: IncidentError.isOpen(IncidentNumber(2))) { try world.reopen(1, at: 40) }
    }

    @Test func `a user removed while an incident was closed is on its roll when it is reopened`() throws {
        var world = crew(IncidentSettings())
        world.addTeam()
        try world.evacuate(at: 10)
        try world.close(at: 20)
        world.now = 25
        world.carryOut([.removeUser(World.ben)], by: World.lea)
        try world.reopen(at: 30)
        let member = try #require(world.engine.roll(of: IncidentNumber(1)).members[World.ben])
        #expect(member.isWithoutUser && member.takenOff == nil)
        #expect(member.departure?.event == .removed)
        #expect(world.lines.contains { $0.hasSuffix("removed unknown") })
        world.declare(.safe, of: World.lea, at: 31)
        world.stay(45, 14, from: 32, to: 52)
        #expect(world.turns.last != .allAccounted)
        try world.takeOff(World.ben, at: 60)
        #expect(world.turns.last == .allAccounted)
    }

    @Test func `a user who joined the team while an incident was closed is asked when it is reopened`() throws {
        var world = crew(IncidentSettings())
        try world.evacuate(at: 10)
        try world.close(at: 20)
        world.addTeam()
        try world.reopen(at: 30)
        #expect(world.lines.suffix(3) == ["reopened", "lea joined unknown", "ben joined unknown"])
    }
}
