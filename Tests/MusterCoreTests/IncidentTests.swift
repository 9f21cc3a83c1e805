import MusterCore
import MusterGeometry
import Testing

@Suite struct IncidentTests {
    /// Ana with a phone outside, Lea and Ben without a device; one muster region.
    private func town() -> World {
        var world = World(silenceSeconds: 600)
        world.addTeam()
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.report(46, 14, at: -300)
        return world
    }

    @Test func `accounting for everyone is reported with its time, and closes nothing`() throws {
        var world = town()
        try world.evacuate(at: 10)
        world.stay(45, 14, from: 15, to: 35)
        world.declare(.safe, of: World.lea, at: 36)
        #expect(world.turns == [.started])
        world.declare(.offSite, of: World.ben, by: World.lea, at: 40)
        #expect(world.turns == [.started, .allAccounted])
        #expect(world.engine.openIncident(of: World.team)?.allAccountedAt == World.time(40))
        #expect(
            world.lines == [
                "ana present unsafe", "lea present unknown", "ben present unknown", "ana changed unknown",
                "ana changed safe", "lea changed safe", "ben changed offSite", "allAccounted", "ben declared offSite",
            ])
        world.report(45, 14, at: 500)
        world.sweep(at: 1_000)
        #expect(world.closings.isEmpty)
        try world.close(at: 1_001)
        #expect(world.closings == [.byHand(by: World.lea, reason: "enough")])
        // What was declared safe in it ends with it; who is off site stays so.
        #expect(world.engine.safety(of: World.lea).state == .unknown)
        #expect(world.engine.safety(of: World.ben).state == .offSite)
        #expect(world.record[0].lastSeen?.coordinate.latitude == 46)
    }

    @Test func `when one person is no longer accounted for, the incident reports it`() throws {
        var world = town()
        try world.evacuate(at: 10)
        world.declare(.safe, of: World.lea, at: 20)
        world.declare(.safe, of: World.ben, at: 20)
        world.stay(45, 14, from: 30, to: 50)
        world.stay(46, 14, from: 400, to: 405)
        #expect(world.turns == [.started, .allAccounted, .notAllAccounted])
        #expect(world.engine.openIncident(of: World.team)?.allAccountedAt == nil)
        #expect(world.lines.suffix(4) == ["ana changed safe", "allAccounted", "ana changed unsafe", "notAllAccounted"])
        world.stay(45, 14, from: 700, to: 720)
        #expect(world.engine.openIncident(of: World.team)?.allAccountedAt == World.time(720))
    }

    @Test func `one edit of many people is reported by its final result alone`() throws {
        var world = town()
        world.edit(.removeUser(World.ben))
        let tablet = DeviceNumber(2)
        world.edit(.putDevice(Device(number: tablet, name: "tablet", user: World.lea)))
        world.putSquare(2, at: 47, 14)
        try world.evacuate(at: 10)
        world.stay(47, 14, from: 20, to: 25)
        world.stay(45, 14, from: 20, to: 25, by: tablet)
        #expect(world.turns == [.started])
        // The new muster region holds Ana, and Lea's is none any more: at no moment were both safe.
        world.carryOut([
            .putRegion(world.square(2, at: 47, 14, isMuster: true)),
            .putRegion(world.square(1, at: 45, 14, isMuster: false)),
        ])
        #expect(!world.turns.contains(.allAccounted))
    }

    @Test func `a declaration from before an incident is unconfirmed in it, and being inside counts`() throws {
        var world = town()
        world.stay(45, 14, from: -20, to: 0)
        world.declare(.safe, of: World.lea, at: 2)
        world.declare(.offSite, of: World.ben, at: 3)
        try world.evacuate(at: 10)
        #expect(world.lines == ["ana present safe", "lea present unknown", "ben present offSite"])
        #expect(
            world.engine.declared(of: World.lea).unconfirmed
                == .init(status: .safe, at: World.time(2), source: .ownDeclaration))
        // Said before it, and late: it counts no more than if it had come in time.
        #expect(world.declare(.safe, of: World.lea, at: 9, receivedAt: 20) == .late)
        #expect(world.engine.declared(of: World.lea).unconfirmed?.at == World.time(9))
        #expect(world.turns == [.started])
        world.declare(.safe, of: World.lea, at: 21)
        #expect(world.turns == [.started, .allAccounted])
        #expect(world.engine.declared(of: World.lea).unconfirmed == nil)
    }

    @Test func `an off-site declaration two days old accounts for nobody, and one an hour old does`() throws {
        var world = town()
        world.declare(.offSite, of: World.ben, by: World.lea, at: 100)
        world.declare(.offSite, of: World.lea, at: 2 * 86_400 - 3_600)
        try world.evacuate(at: 2 * 86_400)
        #expect(world.engine.safety(of: World.ben).state == .unknown)
        #expect(
            world.engine.declared(of: World.ben).unconfirmed
                == .init(status: .offSite, at: World.time(100), source: .marked(by: World.lea)))
        #expect(world.engine.safety(of: World.lea).state == .offSite)
        // Words age in an incident too.
        world.sweep(at: 2 * 86_400 + 43_200)
        #expect(world.engine.safety(of: World.lea).state == .unknown)
    }

    @Test func `a team sets how long its declarations hold`() {
        var world = town()
        world.edit(.putTeam(world.team(IncidentSettings(declaredHoldsSeconds: 60))))
        world.declare(.offSite, of: World.ben, at: 10)
        world.sweep(at: 70)
        #expect(world.engine.safety(of: World.ben).state == .offSite)
        world.sweep(at: 71)
        #expect(world.engine.safety(of: World.ben).state == .unknown)
        world.declare(.needsHelp, of: World.ben, at: 80)
        world.sweep(at: 90_000)
        #expect(world.engine.safety(of: World.ben).state == .needsHelp)
    }

    @Test func `a team has one open incident at most, and somebody to account for`() throws {
        var world = town()
        try world.evacuate(1, at: 10)
        #expect(throws: IncidentError.isOpen(IncidentNumber(1))) { try world.evacuate(2, at: 11) }
        try world.close(1, at: 12)
        #expect(throws: IncidentError.isNotOpen) { try world.close(1, at: 13) }
        #expect(world.closings == [.byHand(by: World.lea, reason: "enough")])
        for user in [World.ana, World.lea, World.ben] { world.remove(user) }
        #expect(throws: IncidentError.nobodyToAccountFor) { try world.evacuate(3, at: 16) }
    }

    @Test func `a real incident takes over from a drill, and nothing takes over from a real one`() throws {
        var world = town()
        try world.evacuate(1, .drill, at: 10)
        world.declare(.safe, of: World.lea, at: 15)
        try world.evacuate(2, .real, at: 20)
        #expect(world.closings == [.takenOver(by: IncidentNumber(2))])
        #expect(world.engine.openIncident(of: World.team)?.number == IncidentNumber(2))
        // Said in the drill: it tells nothing of what is real now.
        #expect(world.engine.safety(of: World.lea).state == .unknown)
        #expect(throws: IncidentError.isOpen(IncidentNumber(2))) { try world.evacuate(3, .real, at: 30) }
        #expect(throws: IncidentError.isOpen(IncidentNumber(2))) { try world.evacuate(3, .drill, at: 30) }
    }

    @Test func `a person who calls for help is not accounted for, though inside`() throws {
        var world = World()
        world.putSquare(1, at: 45, 14, isMuster: true)
        try world.evacuate(at: 0)
        world.declare(.needsHelp, at: 5)
        world.stay(45, 14, from: 10, to: 35)
        #expect(world.turns == [.started])
        world.declare(.clear, at: 40)
        #expect(world.turns == [.started, .allAccounted])
    }

    @Test func `a person who falls silent during an incident is asked again`() throws {
        var world = town()
        try world.evacuate(at: 10)
        world.stay(45, 14, from: 20, to: 25)
        world.sweep(at: 700)
        #expect(world.lines.last == "ana changed unknown")
        // What was declared in it holds longer than a device may be silent.
        world.declare(.safe, at: 800)
        world.sweep(at: 40_000)
        #expect(world.engine.safety(of: World.ana).state == .safe)
    }

    @Test func `a restart in the middle changes nothing`() throws {
        var plain = town()
        var restarted = town()
        for step in 0..<9 {
            try plain.play(step)
            try restarted.play(step)
            restarted.restart()
            restarted.sweep(at: restarted.now)
        }
        #expect(plain.log == restarted.log)
        #expect(plain.record == restarted.record)
        #expect(plain.turns.last == .allAccounted)
    }
}

extension World {
    /// Ana's team with these choices.
    func team(_ settings: IncidentSettings) -> Team {
        Team(number: Self.team, name: "crew", tracker: Self.tracker, silenceSeconds: 600, incidents: settings)
    }

    /// One step of a drill.
    fileprivate mutating func play(_ step: Int) throws {
        switch step {
        case 0: try evacuate(at: 10)
        case 1: declare(.sos, of: Self.ben, at: 20)
        case 2: declare(.safe, of: Self.lea, at: 30)
        case 3: stay(45, 14, from: 40, to: 60)
        case 4: declare(.acknowledge, of: Self.ben, by: Self.lea, at: 65)
        case 5: try addVisitor("Zoe", at: 70)
        case 6: remove(Self.ben)
        case 7: try takeOff(Self.ben, at: 75)
        default: try mark(UserNumber(-1), .safe, at: 76)
        }
    }
}
