import MusterCore
import MusterGeometry
import Testing

@Suite struct IncidentTests {
    /// Ana with a phone outside, Lea and Ben without a device; one muster region.
    private func town() -> World {
        var world = World(silenceSeconds: 600)
        world.addTeam()
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.report(46, 14, at: 0)
        return world
    }

    @Test func `an incident closes at the moment when everyone is accounted for`() throws {
        var world = town()
        try world.evacuate(at: 10)
        world.report(45, 14, at: 20)
        world.declare(.safe, of: World.lea, at: 30)
        #expect(world.closings.isEmpty)
        world.declare(.offSite, of: World.ben, by: World.lea, at: 40)
        #expect(world.closings == [.allAccounted])
        #expect(
            world.lines == [
                "ana present unsafe", "lea present unknown", "ben present unknown", "ana changed safe",
                "lea changed safe", "ben changed offSite",
            ])
        #expect(world.engine.openIncident(of: World.team) == nil)
        // What was declared safe in it ends with it; who is off site stays so.
        #expect(world.engine.safety(of: World.lea).state == .unknown)
        #expect(world.engine.safety(of: World.ben).state == .offSite)
        #expect(world.record.last?.lastSeen == nil)
        #expect(world.record[0].lastSeen?.coordinate.latitude == 46)
    }

    @Test func `what was declared safe before an incident does not count in it, and inside counts at once`() throws {
        var world = town()
        world.report(45, 14, at: 1)
        world.declare(.safe, of: World.lea, at: 2)
        world.declare(.offSite, of: World.ben, at: 3)
        try world.evacuate(at: 10)
        #expect(world.lines == ["ana present safe", "lea present unknown", "ben present offSite"])
        // Said before it, and late: it counts no more than if it had come in time.
        #expect(world.declare(.safe, of: World.lea, at: 9, receivedAt: 20) == .late)
        #expect(world.closings.isEmpty)
        world.declare(.safe, of: World.lea, at: 21)
        #expect(world.closings == [.allAccounted])
    }

    @Test func `when everyone is accounted for an incident closes as it starts`() throws {
        var world = World()
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.report(45, 14, at: 1)
        try world.evacuate(at: 10)
        #expect(world.closings == [.allAccounted])
        #expect(world.lines == ["ana present safe"])
    }

    @Test func `a team has one open incident at most, and somebody to account for`() throws {
        var world = town()
        try world.evacuate(1, at: 10)
        #expect(throws: IncidentFault.isOpen(IncidentNumber(1))) { try world.evacuate(2, at: 11) }
        try world.close(1, at: 12)
        #expect(throws: IncidentFault.isNotOpen) { try world.close(1, at: 13) }
        #expect(world.closings == [.byHand(by: World.lea, reason: "enough")])
        try world.evacuate(2, at: 14)
        try world.close(2, at: 15)
        for user in [World.ana, World.lea, World.ben] { world.edit(.removeUser(user)) }
        #expect(throws: IncidentFault.nobodyToAccountFor) { try world.evacuate(3, at: 16) }
    }

    @Test func `a call for help keeps an incident open, though its caller is inside`() throws {
        var world = World()
        world.addTeam()
        world.edit(.removeUser(World.ben))
        world.edit(.removeUser(World.lea))
        world.putSquare(1, at: 45, 14, isMuster: true)
        try world.evacuate(at: 0)
        world.declare(.needsHelp, at: 5)
        world.report(45, 14, at: 10)
        #expect(world.closings.isEmpty)
        world.declare(.clear, at: 20)
        #expect(world.closings == [.allAccounted])
    }

    @Test func `who falls silent during an incident is asked again`() throws {
        var world = town()
        try world.evacuate(at: 10)
        world.report(45, 14, at: 20)
        world.sweep(at: 700)
        #expect(world.lines.last == "ana changed unknown")
        // What was declared in it holds as long as it is open.
        world.declare(.safe, at: 800)
        world.sweep(at: 90_000)
        #expect(world.engine.safety(of: World.ana).state == .safe)
    }

    @Test func `who joins is waited for, and who leaves is not`() throws {
        var world = town()
        try world.evacuate(at: 10)
        let late = UserNumber(4)
        world.edit(.putUser(User(number: late, name: "tim", role: .member, team: World.team)))
        world.declare(.safe, at: 20)
        world.declare(.safe, of: World.lea, at: 21)
        world.declare(.safe, of: World.ben, at: 22)
        #expect(world.closings.isEmpty)
        world.edit(.putUser(User(number: late, name: "tim", role: .member, team: nil)))
        #expect(world.closings == [.allAccounted])
        #expect(world.lines.filter { $0.hasPrefix("tim") } == ["tim joined unknown", "tim left unknown"])
    }

    @Test func `a machine is on no roll`() throws {
        var world = town()
        world.edit(.putUser(User(number: UserNumber(4), name: "relay", role: .gateway, team: World.team)))
        try world.evacuate(at: 10)
        #expect(world.lines.count == 3)
    }

    @Test func `an incident whose team is removed is over`() throws {
        var world = town()
        try world.evacuate(at: 10)
        for edit in world.directory.removal(of: World.team) { world.edit(edit) }
        #expect(world.closings == [.teamGone])
        #expect(world.lines.suffix(3) == ["ana left unsafe", "lea left unknown", "ben left unknown"])
    }

    @Test func `a restart in the middle changes nothing`() throws {
        var plain = town()
        var restarted = town()
        for step in 0..<6 {
            try plain.play(step)
            try restarted.play(step)
            restarted.restart()
            restarted.sweep(at: restarted.now)
        }
        #expect(plain.log == restarted.log)
        #expect(plain.record == restarted.record)
        #expect(plain.closings == [.allAccounted])
    }
}

extension World {
    /// One step of a drill.
    fileprivate mutating func play(_ step: Int) throws {
        switch step {
        case 0: try evacuate(at: 10)
        case 1: declare(.sos, of: Self.ben, at: 20)
        case 2: declare(.safe, of: Self.lea, at: 30)
        case 3: report(45, 14, at: 40)
        case 4: declare(.acknowledge, of: Self.ben, by: Self.lea, at: 50)
        default:
            declare(.clear, of: Self.ben, by: Self.lea, at: 60)
            declare(.safe, of: Self.ben, by: Self.lea, at: 61)
        }
    }
}
