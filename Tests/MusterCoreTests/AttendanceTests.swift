import MusterCore
import MusterGeometry
import Testing

/// Too few of a team are known to be in a region.
@Suite struct AttendanceTests {
    private let everyone = [World.phone, World.leasPhone, World.bensPhone]

    @Test func `a lack is reported after its time, and ends when enough are there again`() throws {
        var world = World.crew()
        world.stay(everyone, at: 45, to: 130)
        try world.demand(3)
        world.stay(everyone, at: 45, to: 200)
        #expect(world.attendanceTurns == ["made 130"])
        // Ben walks away; the others stay.
        for second in stride(from: 205.0, through: 400, by: 5) {
            world.report(45.01, 14, at: second, accuracy: 5, by: World.bensPhone)
            for device in [World.phone, World.leasPhone] { world.report(45, 14, at: second, accuracy: 5, by: device) }
            world.sweep(at: second)
        }
        let lack = try #require(world.attendance.last)
        #expect(lack.turn == .lacking)
        let since = try #require(lack.since)
        #expect(lack.at.seconds(since: since) >= 60 && lack.at.seconds(since: since) <= 65)
        #expect((lack.count.present, lack.count.absent, lack.count.unknown) == (2, 1, 0))
        #expect(lack.count.absentPeople == [World.ben])
        #expect(lack.count.isCertainlyBelow(3))
        world.stay(everyone, at: 45, to: 500)
        #expect(world.attendance.map(\.turn) == [.made, .lacking, .enough])
        #expect(world.attendance.last?.count.presentPeople == [World.ana, World.lea, World.ben])
        #expect(world.attendanceRule(World.gate)?.progress == AttendanceRule.Progress())
    }

    @Test func `a lack that ends in time is not reported`() throws {
        var world = World.crew()
        world.stay(everyone, at: 45, to: 130)
        try world.demand(1, of: .person(World.ben), after: 120)
        world.stay([World.bensPhone], at: 45.01, to: 200)
        #expect(world.attendanceRule(World.gate)?.progress.lackingSince != nil)
        world.stay([World.bensPhone], at: 45, to: 400)
        #expect(world.attendance.map(\.turn) == [.made])
        #expect(world.attendanceRule(World.gate)?.progress.lackingSince == nil)
    }

    @Test func `a person who was never located is present nowhere, and is counted as unknown`() throws {
        var world = World.crew()
        world.stay([World.phone], at: 45, to: 130)
        try world.demand(2, after: 0)
        world.pass(to: 140)
        let lack = try #require(world.attendance.last)
        #expect((lack.turn, lack.count.present, lack.count.unknown) == (.lacking, 1, 2))
        #expect(lack.count.unknownPeople == [World.lea, World.ben])
        // They may be there.
        #expect(!lack.count.isCertainlyBelow(2))
    }

    @Test func `silence makes a lack and never ends one`() throws {
        var world = World.crew()
        world.stay([World.phone], at: 45, to: 130)
        try world.demand(1, of: .person(World.ana))
        world.pass(to: 130 + 600)
        #expect(world.attendanceTurns == ["made 130"])
        world.pass(to: 900)
        let lack = try #require(world.attendance.last)
        #expect((lack.turn, lack.count.unknownPeople) == (.lacking, [World.ana]))
        let lackedSince = try #require(lack.since?.seconds(since: World.time(0)))
        #expect((730...745).contains(lackedSince))
        world.pass(to: 5_000, every: 30)
        #expect(world.attendance.map(\.turn) == [.made, .lacking])
        world.stay([World.phone], at: 45, to: 5_100)
        #expect(world.attendance.map(\.turn) == [.made, .lacking, .enough])
    }

    @Test func `roles are Muster's or the organization's own, and follow edits`() throws {
        var world = World.crew()
        world.stay(everyone, at: 45, to: 130)
        try world.demand(1, of: .role(.leader))
        try world.demand(1, of: .ownRole("medic"), after: 0, number: AttendanceNumber(2))
        world.stay(everyone, at: 45, to: 150)
        #expect(world.attendance.map(\.turn) == [.made, .made, .lacking])
        #expect(world.attendance.last?.rule == AttendanceNumber(2))
        world.edit(
            .putUser(User(number: World.ben, name: "ben", role: .member, team: World.team, databaseRoles: ["medic"])))
        world.stay(everyone, at: 45, to: 160)
        #expect(world.attendance.last?.turn == .enough)
        #expect(world.attendance.last?.count.presentPeople == [World.ben])
        world.edit(.putUser(User(number: World.lea, name: "lea", role: .member, team: World.team)))
        world.stay(everyone, at: 45, to: 240)
        #expect(world.attendance.last?.turn == .lacking)
        #expect(world.attendance.last?.rule == World.gate)
    }

    @Test func `devices that contradict each other prove nothing`() {
        var world = World.crew()
        let tablet = DeviceNumber(4)
        world.edit(.putDevice(Device(number: tablet, name: "tablet", user: World.ana)))
        for second in stride(from: 75.0, through: 150, by: 5) {
            world.report(45, 14, at: second, accuracy: 5, by: tablet)
            world.report(45.01, 14, at: second, accuracy: 5)
        }
        #expect(world.whereabouts(of: World.ana) == .unknown)
        // The tablet that was left there falls silent: the phone alone speaks.
        world.stay([World.phone], at: 45.01, to: 800)
        #expect(world.whereabouts(of: World.ana) == .absent)
        world.stay([World.phone, tablet], at: 45, to: 900)
        #expect(world.whereabouts(of: World.ana) == .present)
    }

    @Test func `an inaccurate fix, and one that does not fit, prove nothing`() {
        var world = World.crew()
        for second in stride(from: 75.0, through: 150, by: 5) {
            world.report(45, 14, at: second, accuracy: 3_000)
        }
        #expect(world.whereabouts(of: World.ana) == .unknown)
        world.stay([World.phone], at: 45, to: 300)
        #expect(world.whereabouts(of: World.ana) == .present)
        world.report(46, 14, at: 305, accuracy: 5)
        #expect(world.whereabouts(of: World.ana) == .unknown)
    }

    @Test func `presence is unknown in a raw fence, and known in its muster region`() {
        var world = World.crew(policy: .raw)
        world.putSquare(2, at: 45, 14, isMuster: true)
        world.stay([World.phone], at: 45, to: 130)
        #expect(world.whereabouts(of: World.ana) == .unknown)
        #expect(world.whereabouts(of: World.ana, in: 2) == .present)
    }

    @Test func `in a removed or unlinked region everyone is unknown`() throws {
        var world = World.crew()
        world.stay(everyone, at: 45, to: 130)
        try world.demand(3, after: 0)
        world.link([])
        world.stay(everyone, at: 45, to: 140)
        #expect(world.attendance.last?.turn == .lacking)
        #expect(world.attendance.last?.count.unknown == 3)
        world.link([World.collection])
        world.stay(everyone, at: 45, to: 160)
        #expect(world.attendance.last?.turn == .enough)
        world.edit(.removeRegion(RegionNumber(1), from: World.collection))
        world.stay(everyone, at: 45, to: 170)
        #expect(world.attendance.last?.turn == .lacking)
        #expect(world.attendance.last?.count.unknown == 3)
    }

    @Test func `a person heard is present in a beacon region, and a silent scanner makes nobody absent`() {
        var world = World.crew()
        world.addScanners()
        world.putBeacon(7, .scanner(World.hall))
        #expect(world.whereabouts(of: World.ana, in: 7) == .unknown)
        for second in 71..<90 { world.hear(World.carried, at: Double(second), by: World.hall) }
        #expect(world.whereabouts(of: World.ana, in: 7) == .present)
        // The scanner hears other things, and no longer her tag.
        for second in 90..<200 {
            world.hear(World.beacon(9), at: Double(second), by: World.hall)
            world.sweep(at: Double(second))
        }
        #expect(world.whereabouts(of: World.ana, in: 7) == .absent)
        // Ben carries no tag, so scanners say nothing about him.
        #expect(world.whereabouts(of: World.ben, in: 7) == .unknown)
        world.pass(to: 400)
        #expect(world.whereabouts(of: World.ana, in: 7) == .unknown)
    }

    @Test func `an edit of a rule ends its report, and starts it again`() throws {
        var world = World.crew()
        try world.demand(1, after: 0)
        world.pass(to: 80)
        #expect(world.attendance.map(\.turn) == [.made, .lacking])
        try world.demand(2, after: 30)
        #expect(world.attendance.last?.turn == .changed)
        world.pass(to: 130)
        #expect(world.attendance.map(\.turn) == [.made, .lacking, .changed, .lacking])
        try world.engine.removeAttendanceRule(
            World.gate, by: World.lea, now: World.time(131), into: &world.decision)
        world.settle()
        #expect(world.attendance.last?.turn == .removed)
        #expect(world.attendance.last?.by == World.lea)
        world.pass(to: 300)
        #expect(world.attendance.count == 5)
        #expect(throws: AttendanceError.hasNoRule) {
            try world.engine.removeAttendanceRule(
                World.gate, by: World.lea, now: World.time(300), into: &world.decision)
        }
    }

    @Test func `a team has a limit of rules, and its rules go with it`() throws {
        var world = World.crew()
        for number in 1...Int32(AttendanceRule.teamLimit) { try world.demand(1, number: AttendanceNumber(number)) }
        #expect(throws: AttendanceError.tooMany(limit: AttendanceRule.teamLimit)) {
            try world.demand(1, number: AttendanceNumber(1_000))
        }
        // An existing rule may be replaced even at the limit.
        try world.demand(2)
        world.edit(.removeTeam(World.team))
        #expect(world.engine.attendanceRules(of: World.team).isEmpty)
    }
}

/// Attendance rules across restarts and jumps of the clock.
@Suite struct AttendanceClockTests {
    @Test func `after a restart everyone has a minute to be heard before a lack is reported`() throws {
        var world = World.crew()
        world.stay([World.phone], at: 45, to: 130)
        try world.demand(1, of: .person(World.ana), after: 10)
        let rules = world.engine.attendanceRules(of: World.team)
        // Off for an hour: her phone kept its fixes, and sends them soon.
        world.restart(rules: rules, silentFor: 3_600)
        world.pass(to: world.now + 20)
        #expect(world.whereabouts(of: World.ana) == .unknown)
        world.stay([World.phone], at: 45, to: world.now + 100)
        #expect(world.attendance.map(\.turn) == [.made])
    }

    @Test func `an attendance report is neither lost nor repeated across a restart`() throws {
        var world = World.crew()
        try world.demand(1)
        world.pass(to: 200)
        #expect(world.attendance.map(\.turn) == [.made, .lacking])
        world.restart(rules: world.engine.attendanceRules(of: World.team))
        world.pass(to: 600)
        #expect(world.attendance.map(\.turn) == [.made, .lacking])
        world.stay([World.phone], at: 45, to: 700)
        #expect(world.attendance.map(\.turn) == [.made, .lacking, .enough])
        // A lack that has begun goes on counting from when it began.
        world.stay([World.phone], at: 45.01, to: 760)
        let since = try #require(world.attendanceRule(World.gate)?.progress.lackingSince)
        world.restart(rules: world.engine.attendanceRules(of: World.team))
        world.pass(to: 900)
        #expect(world.attendance.last?.turn == .lacking)
        #expect(world.attendance.last?.since == since)
    }

    @Test func `a clock that jumps ahead reports nothing at once, and one set back restarts the time`() throws {
        var world = World.crew()
        try world.demand(1, after: 300)
        world.sweep(at: 100)
        world.sweep(at: 5_000)
        #expect(world.attendance.map(\.turn) == [.made])
        world.pass(to: 5_055)
        #expect(world.attendance.map(\.turn) == [.made])
        world.pass(to: 5_065)
        #expect(world.attendance.map(\.turn) == [.made, .lacking])
        try world.demand(1, after: 300)
        world.sweep(at: 1_000)
        #expect(world.attendanceRule(World.gate)?.progress.lackingSince == World.time(1_000))
        world.pass(to: 1_290)
        #expect(world.attendance.last?.turn == .changed)
        world.pass(to: 1_370)
        #expect(world.attendance.last?.turn == .lacking)
    }
}
