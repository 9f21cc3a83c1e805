import MusterCore
import Testing

/// Visitors in personnel accountability reports.
@Suite struct PARVisitorTests {
    /// Ana and Ben in Engine 3, Lea in no crew, an open incident since second 0.
    private func scene() throws -> World {
        var world = World(silenceSeconds: 600)
        world.addTeam()
        world.edit(.putCrew(Crew(number: CrewNumber(3), team: World.team, name: "Engine 3")))
        for user in [World.ana, World.ben] { world.put(user, in: CrewNumber(3)) }
        try world.evacuate(1, .real, at: 0)
        return world
    }

    @Test func `visitors are asked for by themselves, also those who come after the request`() throws {
        var world = try scene()
        _ = try world.addVisitor("Zoe", at: 5)
        try world.requestPAR(at: 10)
        #expect(world.crews == ["Engine 3 -/2", "- -/1", "visitors -/1"])
        _ = try world.addVisitor("Yan", at: 15)
        try world.reportPAR(nil, present: 1, at: 20)
        #expect(world.crews == ["Engine 3 -/2", "- 1/1", "visitors -/2"])
        try world.reportPAR(nil, isOfVisitors: true, present: 1, at: 30)
        #expect(world.crews == ["Engine 3 -/2", "- 1/1", "visitors 1/2 short"])
        try world.reportPAR("Engine 3", present: 2, at: 40)
        #expect(world.turns.last == .parComplete)
        #expect(PARRound.rounds(of: world.record).last?.crews.map(\.count.present) == [2, 1, 1])
    }

    @Test func `a round keeps the visitors who came after its request, whether or not they were reported`() throws {
        var world = try scene()
        try world.requestPAR(at: 10)
        _ = try world.addVisitor("Zoe", at: 15)
        #expect(world.crews == ["Engine 3 -/2", "- -/1", "visitors -/1"])
        try world.reportPAR(nil, isOfVisitors: true, present: 1, at: 320)
        #expect(world.crews.last == "visitors 1/1")
        try world.requestPAR(at: 330)
        _ = try world.addVisitor("Yan", at: 335)
        try world.addVisitor("Xia", at: 336)
        try world.close(at: 340)
        let rounds = PARRound.rounds(of: world.record)
        #expect(rounds.map { $0.crews.last?.count.isVisitors } == [true, true])
        #expect(rounds.map { $0.crews.last?.count.present } == [1, nil])
        #expect(rounds.map { $0.crews.last?.count.people } == [1, 3])
    }

    @Test func `a round that nobody reported keeps all the visitors who came`() throws {
        var world = try scene()
        try world.requestPAR(at: 10)
        try world.addVisitor("Zoe", at: 15)
        try world.addVisitor("Yan", at: 16)
        try world.requestPAR(at: 20)
        try world.reportPAR(nil, isOfVisitors: true, present: 2, at: 25)
        try world.addVisitor("Xia", at: 30)
        try world.close(at: 40)
        let visitors = PARRound.rounds(of: world.record).map { $0.crews.last?.count }
        #expect(visitors.map { $0?.people } == [2, 3])
        #expect(visitors.map { $0?.present } == [nil, 2])
    }

    @Test func `visitors who come after the request have the whole time, and are overdue by themselves`() throws {
        var world = try scene()
        try world.requestPAR(at: 10)
        try world.addVisitor("Zoe", at: 250)
        let round = try #require(world.par.newest)
        #expect(round.crews.map { round.dueAt(of: $0) } == [World.time(310), World.time(310), World.time(550)])
        world.sweep(at: 310)
        #expect(world.overdue == ["Engine 3", "-"])
        #expect(world.crews == ["Engine 3 -/2 overdue", "- -/1 overdue", "visitors -/1"])
        world.sweep(at: 549)
        #expect(world.turns.filter { $0 == .parOverdue }.count == 1)
        world.sweep(at: 550)
        world.restart()
        world.sweep(at: 700)
        #expect(world.turns.filter { $0 == .parOverdue }.count == 2)
        #expect(world.overdue == ["visitors"])
        #expect(world.crews.last == "visitors -/1 overdue")
        #expect(world.par.newest?.overdueAt == World.time(310))
    }

    @Test func `a round that asked for visitors is open again while one is there whom nobody reported`() throws {
        var world = try scene()
        let visitor = try world.addVisitor("Zoe", at: 5)
        try world.requestPAR(at: 10)
        try world.takeOff(visitor, at: 15)
        try world.reportPAR("Engine 3", present: 2, at: 20)
        try world.reportPAR(nil, present: 1, at: 30)
        #expect(world.par.newest?.isComplete == true)
        try world.addVisitor("Yan", at: 1_000)
        #expect(world.par.newest?.isComplete == false)
        #expect(world.crews.last == "visitors -/1")
        world.sweep(at: 1_299)
        #expect(!world.turns.contains(.parOverdue))
        world.sweep(at: 1_300)
        #expect(world.overdue == ["visitors"])
        try world.reportPAR(nil, isOfVisitors: true, present: 1, at: 1_310)
        #expect(world.par.newest?.completeAt == World.time(1_310) && world.par.newest?.isComplete == true)
        #expect(world.turns.filter { $0 == .parComplete }.count == 2)
        world.sweep(at: 2_000)
        #expect(world.turns.last == .parComplete)
    }

    @Test func `a round of an earlier version counts visitors with the people in no crew, as it did`() throws {
        var world = try scene()
        for name in ["Zoe", "Yan"] { try world.addVisitor(name, at: 5) }
        try world.requestPAR(at: 10)
        world.makeRequestEarlier()
        #expect(world.crews == ["Engine 3 -/2", "- -/3"])
        try world.reportPAR(nil, present: 3, at: 20)
        #expect(throws: IncidentError.isNotInPAR) {
            try world.reportPAR(nil, isOfVisitors: true, present: 2, at: 21)
        }
        try world.reportPAR("Engine 3", present: 2, at: 22)
        #expect(world.par.newest?.isComplete == true)
        try world.addVisitor("Xia", at: 30)
        #expect(world.crews == ["Engine 3 2/2", "- 3/4 short"])
        try world.close(at: 40)
        let round = try #require(PARRound.rounds(of: world.record).last)
        #expect(round.crews.map(\.count.people) == [2, 3])
    }
}
