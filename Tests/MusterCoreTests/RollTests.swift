import MusterCore
import MusterGeometry
import Testing

/// Nothing takes anyone off a roll but a person's word.
@Suite struct RollTests {
    /// Ana with a phone, Lea and Ben without a device, in an incident; all are accounted for.
    private func town(_ kind: Incident.Kind = .real) throws -> World {
        var world = World(silenceSeconds: 600)
        world.addTeam()
        world.putSquare(1, at: 45, 14, isMuster: true)
        try world.evacuate(1, kind, at: 10)
        world.stay(45, 14, from: 0, to: 25)
        world.declare(.safe, of: World.lea, at: 21)
        world.declare(.safe, of: World.ben, at: 22)
        #expect(world.turns == [.started, .allAccounted])
        return world
    }

    @Test func `a removed user stays on the roll, unaccounted, with their name and who removed them`() throws {
        var world = try town()
        world.now = 30
        world.carryOut(world.directory.removal(of: World.ana), by: World.lea)
        #expect(world.turns.last == .notAllAccounted)
        let roll = world.engine.roll(of: IncidentNumber(1))
        let member = try #require(roll.members[World.ana])
        #expect(roll.holds(World.ana))
        #expect(member.name == "ana")
        #expect(member.departure?.event == .removed)
        #expect(member.departure?.author == World.lea)
        #expect(member.departure?.at == World.time(30))
        #expect(member.departure?.lastSeen?.coordinate.latitude == 45)
        // A leader found her, and says so; or takes her off.
        try world.mark(World.ana, .safe, at: 40)
        #expect(world.turns.last == .allAccounted)
        try world.mark(World.ana, .unknown, at: 41)
        #expect(world.turns.last == .notAllAccounted)
        try world.takeOff(World.ana, at: 42)
        #expect(world.turns.last == .allAccounted)
        #expect(world.lines.suffix(2) == ["ana takenOff unknown", "allAccounted"])
    }

    @Test func `a crash right after a removal takes nobody off a roll`() throws {
        var world = try town()
        // The line is on disk with the edit; the engine that would have followed it is gone.
        let edits = world.directory.removal(of: World.ana)
        world.record += world.engine.rollEntries(
            following: edits, over: world.directory, by: World.lea, at: World.time(30)
        ).map(\.entry)
        for edit in edits { world.directory.apply(edit) }
        world.restart()
        world.sweep(at: 31)
        #expect(world.turns.last == .notAllAccounted)
        #expect(world.engine.roll(of: IncidentNumber(1)).members[World.ana]?.name == "ana")
    }

    @Test func `a declaration of a removed user does not account for them`() throws {
        var world = try town()
        world.declare(.safe, at: 25)
        let edits = world.directory.removal(of: World.ana)
        world.engine.enter(
            world.engine.rollEntries(following: edits, over: world.directory, by: nil, at: World.time(30)).map(\.entry))
        // Her device is gone, and she is not yet: what she said stands for a moment more.
        for edit in edits.dropLast() { _ = world.engine.apply(edit) }
        world.engine.review(now: World.time(30), into: &world.decision)
        world.settle()
        #expect(world.turns.last == .notAllAccounted)
    }

    @Test func `a user who is moved to another team stays on the roll of the old one, and is followed there`() throws {
        var world = try town()
        let other = TeamNumber(2)
        world.edit(.putTeam(Team(number: other, name: "west", tracker: TrackerNumber(2))))
        let ana = User(number: World.ana, name: "ana", role: .member, team: other)
        world.carryOut([.putUser(ana)], by: World.lea)
        let member = try #require(world.engine.roll(of: IncidentNumber(1)).members[World.ana])
        #expect(member.departure?.event == .moved)
        #expect(member.departure?.note == "west")
        #expect(member.takenOff == nil)
        world.declare(.needsHelp, at: 40)
        #expect(world.turns.last == .notAllAccounted)
        // The other team's tracker knows no muster region.
        #expect(world.lines.suffix(2) == ["notAllAccounted", "ana changed needsHelp"])
        world.edit(.putUser(User(number: World.ana, name: "ana", role: .member, team: World.team)))
        #expect(world.engine.roll(of: IncidentNumber(1)).members[World.ana]?.departure == nil)
        #expect(world.lines.last == "ana returned needsHelp")
    }

    @Test func `a person whose device is removed is asked again, and the roll names who removed it`() throws {
        var world = try town()
        world.now = 30
        world.carryOut([.removeDevice(World.phone)], by: World.lea)
        world.sweep(at: 32)
        #expect(world.engine.safety(of: World.ana).state == .unknown)
        #expect(world.turns.last == .notAllAccounted)
        let departure = world.engine.roll(of: IncidentNumber(1)).members[World.ana]?.departure
        #expect(departure?.event == .deviceRemoved)
        #expect(departure?.note == "phone")
        #expect(departure?.author == World.lea)
    }

    @Test func `a new member is on the roll, and stays off it once taken off`() throws {
        var world = try town()
        let late = UserNumber(4)
        world.edit(.putUser(User(number: late, name: "tim", role: .member, team: World.team)))
        #expect(world.lines.suffix(2) == ["tim joined unknown", "notAllAccounted"])
        try world.takeOff(late, at: 30)
        world.sweep(at: 32)
        #expect(world.lines.suffix(2) == ["tim takenOff unknown", "allAccounted"])
        #expect(throws: IncidentError.isNotOnRoll) { try world.takeOff(late, at: 33) }
        // Put into the team anew, they are asked for anew.
        world.edit(.putUser(User(number: late, name: "tim", role: .member, team: nil)))
        world.edit(.putUser(User(number: late, name: "tim", role: .member, team: World.team)))
        #expect(world.engine.roll(of: IncidentNumber(1)).holds(late))
        #expect(world.turns.last == .notAllAccounted)
    }

    @Test func `a machine is on no roll`() throws {
        var world = World()
        world.edit(.putUser(User(number: UserNumber(4), name: "relay", role: .gateway, team: World.team)))
        try world.evacuate(at: 10)
        #expect(world.lines == ["ana present unknown"])
    }

    @Test func `a visitor without a phone is awaited until a leader marks them`() throws {
        var world = try town()
        let zoe = try world.addVisitor("Zoe", at: 30)
        #expect(world.turns.last == .notAllAccounted)
        #expect(zoe < IncidentEntry.nobody)
        try world.mark(zoe, .safe, at: 31)
        #expect(world.engine.openIncident(of: World.team)?.allAccountedAt == World.time(31))
        let yan = try world.addVisitor("Yan", .needsHelp, at: 32)
        #expect(yan != zoe)
        #expect(world.turns.last == .notAllAccounted)
        try world.takeOff(yan, at: 33)
        #expect(world.turns.last == .allAccounted)
        #expect(world.engine.roll(of: IncidentNumber(1)).members[zoe]?.marked?.source == .marked(by: World.lea))
        #expect(throws: IncidentError.isUser) { try world.mark(World.ana, .safe, at: 34) }
        #expect(throws: IncidentError.isNotOnRoll) { try world.mark(UserNumber(-9), .safe, at: 34) }
        try world.close(at: 40)
        #expect(throws: IncidentError.isNotOpen) { try world.addVisitor("Xi", at: 41) }
    }

    @Test func `a real incident that takes over from a drill awaits the drill's visitors anew`() throws {
        var world = try town(.drill)
        let zoe = try world.addVisitor("Zoe", .safe, at: 30)
        let yan = try world.addVisitor("Yan", .needsHelp, at: 31)
        let xi = try world.addVisitor("Xi", at: 32)
        try world.takeOff(xi, at: 33)
        world.remove(World.ben)
        try world.evacuate(2, .real, at: 40)
        let roll = world.engine.roll(of: IncidentNumber(2))
        #expect(roll.members[zoe]?.marked == Safety(state: .unknown, since: World.time(40)))
        #expect(roll.members[zoe]?.name == "Zoe")
        #expect(roll.members[yan]?.marked?.state == .needsHelp)
        #expect(!roll.holds(xi))
        #expect(roll.holds(World.ben) && roll.members[World.ben]?.name == "ben")
        #expect(roll == Roll(world.record.filter { $0.incident == IncidentNumber(2) }))
        #expect(world.engine.rollCounts(of: IncidentNumber(2), after: Decision()).people == roll.present.count)
    }

    @Test func `visitors are limited in number, those taken off included`() throws {
        var world = try town()
        for index in 1...Roll.visitorLimit {
            let visitor = try world.addVisitor("v\(index)", .safe, at: 30)
            if index == 1 { try world.takeOff(visitor, at: 30) }
        }
        #expect(throws: IncidentError.tooManyVisitors) { try world.addVisitor("one more", at: 31) }
    }

    @Test func `a roll from which everyone was taken off has nobody accounted for`() throws {
        var world = try town()
        for user in [World.ana, World.lea, World.ben] { try world.takeOff(user, at: 30) }
        #expect(world.turns.last == .notAllAccounted)
    }

    @Test func `a visitor's declaration expires as others do, and holds when it is repeated`() throws {
        var world = try town()
        let visitor = try world.addVisitor("Vic", .safe, at: 30)
        let holds = IncidentSettings.usualDeclaredHoldsSeconds
        world.stay(45, 14, from: holds - 20, to: holds - 10)
        for person in [World.lea, World.ben] { world.declare(.safe, of: person, at: holds - 5) }
        #expect(world.turns.last == .allAccounted)
        world.sweep(at: holds + 29)
        #expect(world.turns.last == .allAccounted)
        world.sweep(at: holds + 31)
        #expect(world.turns.last == .notAllAccounted)
        #expect(world.lines.contains("Vic changed unknown"))
        try world.mark(visitor, .safe, at: holds + 40)
        try world.mark(visitor, .safe, at: holds + 60)
        #expect(world.turns.last == .allAccounted)
        world.stay(45, 14, from: 2 * holds + 20, to: 2 * holds + 45)
        for person in [World.lea, World.ben] { world.declare(.safe, of: person, at: 2 * holds + 46) }
        world.sweep(at: 2 * holds + 50)
        #expect(world.turns.last == .allAccounted)
    }

    @Test func `a declaration that ends with another team's incident ends at once on every roll`() throws {
        var world = World(silenceSeconds: 600)
        world.addTeam()
        let other = World.otherTeam
        world.edit(.putTracker(Tracker(number: World.otherTracker, name: "other", filter: .none, collections: [])))
        world.edit(.putTeam(Team(number: other, name: "other", tracker: World.otherTracker)))
        try world.evacuate(1, .real, at: 10)
        for person in [World.ana, World.lea, World.ben] { world.declare(.safe, of: person, at: 20) }
        #expect(world.turns.last == .allAccounted)
        world.now = 30
        world.edit(.putUser(User(number: World.ben, name: "ben", role: .member, team: other)))
        world.now = 40
        let second = Incident(
            number: IncidentNumber(2), team: other, kind: .drill, startedAt: World.time(40), startedBy: World.lea)
        try world.engine.start(second, now: World.time(40), into: &world.decision)
        world.settle()
        #expect(world.engine.openIncident(of: World.team)?.allAccountedAt == nil)
        let line = world.record.last { $0.incident.rawValue == 1 && $0.person == World.ben }
        #expect(line?.at == World.time(40))
    }

}
