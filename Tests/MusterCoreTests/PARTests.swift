import MusterCore
import Testing

/// Personnel accountability reports, and who leads an incident.
@Suite struct PARTests {
    private static let engine3 = CrewNumber(3), ladder = CrewNumber(5)

    /// Ana and Ben in Engine 3, Lea in no crew, an open incident since second 0; Ladder 5 has nobody.
    private func scene(everySeconds: Double? = nil) throws -> World {
        var world = World(silenceSeconds: 600)
        world.addTeam()
        world.edit(.putCrew(Crew(number: Self.engine3, team: World.team, name: "Engine 3")))
        world.edit(.putCrew(Crew(number: Self.ladder, team: World.team, name: "Ladder 5")))
        for user in [World.ana, World.ben] { world.put(user, in: Self.engine3) }
        if everySeconds != nil { world.edit(.putTeam(world.team(IncidentSettings(parEverySeconds: everySeconds)))) }
        try world.evacuate(1, .real, at: 0)
        return world
    }

    @Test func `a round asks for the crews of the moment, and is complete once each has reported`() throws {
        var world = try scene()
        #expect(world.par.isEmpty)
        try world.requestPAR(at: 10, note: "roof came down")
        #expect(world.crews == ["Engine 3 -/2", "- -/1"])
        let round = try #require(world.par.newest)
        #expect((round.number, round.requestedBy, round.note) == (1, World.lea, "roof came down"))
        #expect(round.dueAt == World.time(310))
        try world.reportPAR("Engine 3", present: 1, at: 20)
        #expect(world.crews == ["Engine 3 1/2 short", "- -/1"])
        #expect(world.par.newest?.completeAt == nil)
        try world.reportPAR(nil, present: 1, at: 30)
        #expect(world.par.newest?.completeAt == World.time(30))
        #expect(world.turns == [.started, .parRequested, .parReported, .parReported, .parComplete])
        // A correction counts, and the round is not complete a second time.
        try world.reportPAR("Engine 3", present: 2, at: 40)
        #expect(world.crews == ["Engine 3 2/2", "- 1/1"])
        #expect(world.turns.last == .parReported)
        world.sweep(at: 1_000)
        #expect(!world.turns.contains(.parOverdue))
    }

    @Test func `a closed incident keeps the sizes that its PAR asked for, and no crew is overdue`() throws {
        var world = try scene()
        try world.requestPAR(at: 10)
        try world.reportPAR(nil, present: 1, at: 20)
        world.sweep(at: 310)
        #expect(world.crews == ["Engine 3 -/2 overdue", "- 1/1"])
        world.put(World.ben, in: Self.ladder)
        try world.takeOff(World.lea, at: 320)
        try world.close(at: 330)
        let round = try #require(PARRound.rounds(of: world.record).last)
        #expect(round.crews.map(\.count.people) == [2, 1])
        #expect(round.crews.map(\.count.present) == [nil, 1])
        #expect(round.crews.allSatisfy { !round.isOverdue($0) })
        #expect(round.overdueAt == World.time(310))
    }

    @Test func `overdue crews are reported once a round, and may still report`() throws {
        var world = try scene()
        try world.requestPAR(at: 10)
        try world.reportPAR(nil, present: 1, at: 20)
        world.sweep(at: 309)
        #expect(!world.turns.contains(.parOverdue))
        world.sweep(at: 310)
        world.sweep(at: 400)
        #expect(world.turns.filter { $0 == .parOverdue }.count == 1)
        #expect(world.overdue == ["Engine 3"])
        #expect(world.crews == ["Engine 3 -/2 overdue", "- 1/1"])
        try world.reportPAR("Engine 3", present: 2, at: 500)
        #expect(world.crews == ["Engine 3 2/2", "- 1/1"])
        #expect(world.turns.last == .parComplete)
    }

    @Test func `a request ends the round before it as it is, and the record names who is missing`() throws {
        var world = try scene()
        try world.requestPAR(at: 10)
        try world.reportPAR("Engine 3", present: 2, at: 20)
        try world.requestPAR(at: 30)
        let rounds = PARRound.rounds(of: world.record)
        #expect(rounds.map(\.number) == [1, 2])
        #expect(rounds[0].endedAt == World.time(30) && rounds[0].completeAt == nil)
        #expect(rounds[0].crews.map(\.count.present) == [2, nil])
        #expect(world.crews == ["Engine 3 -/2", "- -/1"])
        #expect(throws: IncidentError.isNotNewestPAR(2)) {
            try world.reportPAR("Engine 3", present: 2, number: 1, at: 31)
        }
        try world.close(at: 40)
        #expect(PARRound.rounds(of: world.record).map(\.endedAt) == [World.time(30), World.time(40)])
        #expect(throws: IncidentError.isNotOpen) { try world.reportPAR("Engine 3", present: 2, at: 41) }
        #expect(throws: IncidentError.isNotOpen) { try world.requestPAR(at: 41) }
    }

    @Test func `two reports about one crew are both in the record, and the later one counts`() throws {
        var world = try scene()
        try world.requestPAR(at: 10)
        try world.reportPAR("Engine 3", present: 2, note: "all", at: 20)
        let count = world.record.count
        try world.reportPAR("Engine 3", present: 2, note: "all", at: 21)
        #expect(world.record.count == count)
        try world.reportPAR("Engine 3", present: 1, by: World.ana, at: 22)
        #expect(world.crews[0] == "Engine 3 1/2 short")
        #expect(world.par.newest?.crews[0].reportedBy == World.ana)
        #expect(world.record.filter { $0.event == .parReported }.map(\.author) == [World.lea, World.ana])
    }

    @Test func `a report is refused without a round, for a crew that is not in it, and beyond the limit`() throws {
        var world = try scene()
        #expect(throws: IncidentError.hasNoPAR) { try world.reportPAR("Engine 3", present: 2, at: 1) }
        try world.requestPAR(at: 10)
        #expect(throws: IncidentError.isNotInPAR) { try world.reportPAR("Ladder 5", present: 2, at: 11) }
        for report in 1...PARRound.reportLimit {
            try world.reportPAR("Engine 3", present: report % 2, at: 20)
        }
        #expect(throws: IncidentError.tooManyReports) { try world.reportPAR("Engine 3", present: 7, at: 21) }
    }

    @Test func `the number of rounds of one incident is bounded`() throws {
        var world = try scene()
        for _ in 1...PARRound.limit { try world.requestPAR(at: 10) }
        #expect(throws: IncidentError.tooManyPARs) { try world.requestPAR(at: 11) }
        #expect(world.par.newest?.number == PARRound.limit)
    }

    @Test func `who joins or leaves a crew, or the roll, changes how many are asked for`() throws {
        var world = try scene()
        try world.requestPAR(at: 10)
        try world.reportPAR("Engine 3", present: 2, at: 20)
        world.put(World.lea, in: Self.engine3)
        #expect(world.crews == ["Engine 3 2/3 short", "- -/0"])
        // Nobody is left in no crew: the round does not wait for them any more.
        world.sweep(at: 30)
        #expect(world.turns.last == .parComplete)
        try world.takeOff(World.ben, at: 40)
        #expect(world.crews == ["Engine 3 2/2", "- -/0"])
        // It is complete without visitors: those who come now are asked for by the next round.
        let visitor = try world.addVisitor("Zoe", at: 50)
        #expect(world.crews == ["Engine 3 2/2", "- -/0"])
        #expect(world.par.newest?.isComplete == true)
        world.sweep(at: 55)
        try world.takeOff(visitor, at: 60)
        try world.requestPAR(at: 70)
        #expect(world.crews == ["Engine 3 -/2"])
    }

    @Test func `a crew that is removed stays in the round, and one that is renamed has its new name`() throws {
        var world = try scene()
        try world.requestPAR(at: 10)
        world.edit(.putCrew(Crew(number: Self.engine3, team: World.team, name: "Engine 33")))
        #expect(world.crews[0] == "Engine 33 -/2")
        world.carryOut(world.directory.removal(of: Self.engine3))
        #expect(world.crews == ["Engine 3 -/2", "- -/3"])
        world.sweep(at: 310)
        #expect(world.overdue == ["Engine 3", "-"])
        try world.reportPAR("Engine 3", present: 2, at: 320)
        #expect(world.crews == ["Engine 3 2/2", "- -/3 overdue"])
    }

    @Test func `a team's timer requests PAR in every incident, until it closes`() throws {
        var world = try scene(everySeconds: 900)
        #expect(world.par.nextAt == World.time(900) && world.par.newest == nil)
        world.sweep(at: 899)
        #expect(world.par.newest == nil)
        world.sweep(at: 901)
        #expect(world.par.newest?.requestedBy == nil && world.par.newest?.requestedAt == World.time(901))
        // One requested by hand counts for the timer, too.
        try world.requestPAR(at: 1_000)
        #expect(world.par.nextAt == World.time(1_900))
        try world.close(at: 1_100)
        world.sweep(at: 5_000)
        #expect(PARRound.rounds(of: world.record).count == 2)
        try world.reopen(at: 6_000)
        #expect(world.par.nextAt == World.time(6_900))
        #expect(world.par.newest?.endedAt == World.time(1_100))
        #expect(throws: IncidentError.hasNoPAR) { try world.reportPAR("Engine 3", present: 2, at: 6_001) }
    }

    @Test func `a timer set by hand counts from the newest request, and crews have until the next at most`() throws {
        var world = try scene()
        try world.requestPAR(at: 100)
        try world.setPARTimer(everySeconds: 120, at: 150)
        #expect(world.par.nextAt == World.time(220))
        world.sweep(at: 221)
        #expect(world.par.newest?.number == 2 && world.par.newest?.dueAt == World.time(341))
        // The overdue crews are reported before the next request replaces the round.
        world.sweep(at: 341)
        #expect(world.turns.suffix(2) == [.parOverdue, .parRequested])
        try world.setPARTimer(everySeconds: nil, at: 342)
        world.sweep(at: 9_000)
        #expect(world.par.newest?.number == 3)
        #expect(world.par.nextAt == nil)
    }

    @Test func `after the server was off, PAR is requested once, and nobody is overdue at once`() throws {
        var world = try scene(everySeconds: 900)
        world.sweep(at: 900)
        world.restart(at: 20_000)
        world.sweep(at: 20_000)
        #expect(PARRound.rounds(of: world.record).map(\.number) == [1, 2])
        #expect(!world.turns.contains(.parOverdue))
        #expect(PARRound.rounds(of: world.record)[0].endedAt == World.time(20_000))
        world.restart(at: 20_290)
        world.sweep(at: 20_301)
        #expect(!world.turns.contains(.parOverdue))
        world.sweep(at: 20_350)
        #expect(world.turns.last == .parOverdue)
    }

    @Test func `a clock that was set back puts off neither the next request nor what is overdue`() throws {
        var world = try scene(everySeconds: 900)
        try world.requestPAR(at: 10_000)
        world.now = 100
        world.engine.adjustTimes(to: World.time(100), wasOff: false)
        world.sweep(at: 401)
        #expect(world.turns.last == .parOverdue)
        world.sweep(at: 1_001)
        #expect(world.par.newest?.number == 2)
    }

    @Test func `the lead is handed over, and to the same user once`() throws {
        var world = try scene()
        #expect(world.engine.openIncident(of: World.team)?.leader == World.lea)
        try world.handOver(to: World.ana, at: 10)
        try world.handOver(to: World.ana, at: 11)
        #expect(world.engine.openIncident(of: World.team)?.leader == World.ana)
        #expect(world.turns == [.started, .handedOver])
        let line = try #require(world.record.last)
        #expect((line.event, line.author, line.name, line.note) == (.handedOver, World.lea, "ana", "relief"))
        // Later events keep the leader and say nothing of the handover any more.
        try world.close(at: 20)
        guard case .incident(let closed)? = world.log.last(where: { if case .incident = $0 { true } else { false } })
        else {
            Issue.record("no incident in the log")
            return
        }
        #expect(closed.leader == World.ana && closed.news == nil)
        #expect(throws: IncidentError.isNotOpen) { try world.handOver(to: World.ben, at: 21) }
    }

    @Test func `a restart between any two steps changes nothing`() throws {
        var plain = try scene(everySeconds: 900)
        var restarted = try scene(everySeconds: 900)
        for step in 0..<12 {
            try plain.playPAR(step)
            restarted.restart()
            try restarted.playPAR(step)
            #expect(plain.par == restarted.par, "step \(step)")
        }
        #expect(plain.log == restarted.log)
        #expect(plain.record == restarted.record)
        #expect(PARRound.rounds(of: plain.record).count == 3)
        #expect(plain.turns.contains(.parOverdue) && plain.turns.contains(.parComplete))
    }
}
