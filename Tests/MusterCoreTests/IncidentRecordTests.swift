import MusterCore
import MusterGeometry
import Testing

/// What the record of an incident keeps about each person on its roll.
@Suite struct IncidentRecordTests {
    /// Ana with a phone outside, Lea and Ben without a device, in an incident that began at 10.
    private func town() throws -> World {
        var world = World(silenceSeconds: 600)
        world.addTeam()
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.report(46, 14, at: -300)
        try world.evacuate(1, .real, at: 10)
        return world
    }

    private func member(_ world: World, _ person: UserNumber = World.ana) throws -> Roll.Member {
        try #require(world.engine.roll(of: IncidentNumber(1)).members[person])
    }

    private func roll(_ world: World) -> Roll { world.engine.roll(of: IncidentNumber(1)) }

    @Test func `the text of a call stays on the roll, and each later text beside it`() throws {
        var world = try town()
        world.declare(.sos, at: 20, note: "behind the fuel shed")
        world.declare(.sos, at: 30, note: "ankle")
        world.restart()
        let words = try member(world).words
        #expect(words.map(\.note) == ["behind the fuel shed", "ankle"])
        #expect(words.map(\.author) == [World.ana, World.ana])
        let told = world.log.compactMap { change in
            if case .declaration(let declaration, _) = change { declaration.repeatsCall } else { nil }
        }
        #expect(told == [false, true])
    }

    @Test func `a roll keeps the newest words about a person, and the record has all`() throws {
        var world = try town()
        for index in 0...Roll.wordLimit { world.declare(.sos, at: 20 + Double(index), note: "\(index)") }
        #expect(try member(world).words.map(\.note) == (1...Roll.wordLimit).map { "\($0)" })
        #expect(world.record.filter { $0.event == .declared }.count == Roll.wordLimit + 1)
    }

    @Test func `a mark by hand stays on the roll when the phone says the same, each with its own time`() throws {
        var world = try town()
        world.declare(.safe, of: World.ana, by: World.lea, at: 20, note: "seen at the gate")
        world.stay(45, 14, from: 40, to: 60)
        #expect(world.engine.safety(of: World.ana).source == .region)
        #expect(world.engine.safety(of: World.ana).since > World.time(20))
        world.restart()
        let mark = try #require(try member(world).mark)
        #expect(mark.author == World.lea && mark.note == "seen at the gate")
        #expect(mark.detail == .declared(.init(at: World.time(20), kind: .safe, isCurrent: true)))
        world.declare(.clear, of: World.ana, by: World.lea, at: 70)
        #expect(try member(world).mark == nil)
    }

    @Test func `a mark after the phone's evidence does not take the evidence's time`() throws {
        var world = try town()
        world.stay(45, 14, from: 15, to: 35)
        let since = world.engine.safety(of: World.ana).since
        world.declare(.offSite, of: World.ana, by: World.lea, at: 40)
        #expect(world.engine.safety(of: World.ana).since == World.time(40))
        #expect(since < World.time(40))
    }

    @Test func `when a person was first accounted for outlives doubts and a restart`() throws {
        var world = try town()
        #expect(roll(world).firstAccounted[World.ana] == nil)
        world.declare(.safe, of: World.ben, at: 20)
        world.declare(.clear, of: World.ben, at: 30)
        world.declare(.safe, of: World.ben, at: 40)
        #expect(roll(world).firstAccounted[World.ben] == World.time(20))
        let visitor = try world.addVisitor("Zoe", at: 50)
        try world.mark(visitor, .safe, at: 60)
        try world.mark(visitor, .unknown, at: 70)
        try world.mark(visitor, .safe, at: 80)
        world.restart()
        #expect(roll(world).firstAccounted[World.ben] == World.time(20))
        #expect(roll(world).firstAccounted[visitor] == World.time(60))
    }

    @Test func `a reopened incident asks for everyone anew, and not after a day`() throws {
        var world = try town()
        world.stay(45, 14, from: 15, to: 35)
        world.declare(.safe, of: World.ben, by: World.lea, at: 36)
        try world.close(at: 40)
        try world.reopen(at: 50)
        #expect(roll(world).firstAccounted[World.ana] == World.time(50))
        #expect(roll(world).firstAccounted[World.ben] == nil)
        #expect(try member(world, World.ben).mark == nil)
        world.restart()
        #expect(roll(world).firstAccounted[World.ana] == World.time(50))
        try world.close(at: 60)
        #expect(throws: IncidentError.wasClosedLongAgo) {
            try world.reopen(at: 61 + Incident.reopenLimitSeconds)
        }
    }

    @Test func `a closing names everyone who is missing, with a visitor's note, and counts the others`() throws {
        var world = try town()
        let visitor = try world.addVisitor("Zoe", at: 20)
        try world.mark(visitor, .needsHelp, at: 21)
        world.declare(.safe, of: World.ben, at: 30)
        try world.close(at: 40)
        let missing = world.record.filter { $0.event == .atClosing }
        #expect(Set(missing.map(\.person)) == [World.ana, World.lea, visitor])
        #expect(missing.first { $0.person == visitor }?.note == "seen")
        #expect(missing.first { $0.person == visitor }?.name == "Zoe")
        let closed = world.record.last { $0.event == .closed }
        #expect(closed?.detail == .counts(RollCounts(people: 4, accounted: 1, checking: 0)))
    }
}
