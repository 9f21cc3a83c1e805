import MusterCore
import Testing

/// Somebody should be in a region during a window, and is not known to be there.
@Suite struct ExpectedPresenceTests {

    /// The world begins on Tuesday 2023-11-14 at 22:13:20 UTC.
    ///
    /// Everyone of the subject is expected from 22:36 to 23:36 UTC on Tuesdays, ten minutes late at most.
    private func expect(
        _ subject: AttendanceRule.Subject = .everyone, in world: inout World, grace: Double = 600,
        opensIncident: Bool = false
    ) throws {
        let schedule = WeeklySchedule(
            zone: "UTC", windows: [.init(weekday: 2, startMinute: 22 * 60 + 36, endMinute: 23 * 60 + 36)])
        let rule = AttendanceRule(
            number: World.gate, team: World.team, name: "shift", region: RegionNumber(1), subject: subject,
            demand: .during(schedule, graceSeconds: grace), opensIncident: opensIncident, setBy: World.lea,
            setAt: World.time(world.now))
        try world.engine.putAttendanceRule(rule, now: World.time(world.now), into: &world.decision)
        world.settle()
    }

    /// The window, in the world's seconds.
    private let start = 1_360.0
    private let due = 1_960.0
    private let end = 4_960.0
    private let week = 7 * 86_400.0

    @Test func `a person who is there in time is not reported`() throws {
        var world = World.crew(silenceSeconds: 100_000)
        try expect(.person(World.ana), in: &world)
        world.stay([World.phone], at: 45.01, to: start + 300, every: 20)
        world.stay([World.phone], at: 45, to: due + 600, every: 20)
        #expect(world.attendance.map(\.turn) == [.made])
    }

    @Test func `absent and unknown people are reported apart and once, and an arrival is reported`() throws {
        var world = World.crew(silenceSeconds: 100_000)
        try expect(in: &world)
        world.stay([World.phone], at: 45, to: due - 40, every: 20)
        world.stay([World.leasPhone], at: 45.01, to: due + 10)
        #expect(world.attendance.map(\.turn) == [.made, .notThere, .noWord])
        let missing = try #require(world.attendance.last)
        #expect(missing.count.presentPeople == [World.ana])
        #expect(missing.count.absentPeople == [World.lea])
        #expect(missing.count.unknownPeople == [World.ben])
        #expect(missing.window?.start == World.time(start))
        #expect(missing.window?.end == World.time(end))
        #expect((0...5).contains(missing.at.seconds(since: World.time(due))))
        world.stay([World.leasPhone], at: 45, to: due + 200)
        #expect(world.attendance.map(\.turn) == [.made, .notThere, .noWord, .arrived])
        #expect(world.attendance.last?.who == World.lea)
        // A person who leaves and comes again is not reported again, and Ben comes after the window.
        world.stay([World.leasPhone], at: 45.01, to: due + 400)
        world.stay([World.leasPhone], at: 45, to: end + 10)
        world.stay([World.bensPhone], at: 45, to: end + 200)
        #expect(world.attendance.count == 4)
        #expect(world.attendanceRule(World.gate)?.progress.awaited == [])
    }

    @Test func `each week is evaluated once, across restarts too`() throws {
        var world = World.crew(silenceSeconds: 1e6)
        try expect(.person(World.ben), in: &world)
        world.pass(to: due - 20, every: 20)
        world.restart(rules: world.engine.attendanceRules(of: World.team))
        world.pass(to: due + 30)
        // The first minute after a start is quiet.
        #expect(world.attendance.map(\.turn) == [.made])
        world.pass(to: due + 60)
        #expect(world.attendance.map(\.turn) == [.made, .noWord])
        world.restart(rules: world.engine.attendanceRules(of: World.team))
        world.pass(to: due + 300)
        #expect(world.attendance.count == 2)
        world.stay([World.bensPhone], at: 45, to: due + 400)
        #expect(world.attendance.last?.turn == .arrived)
        world.stay([World.bensPhone], at: 45.01, to: due + 500)
        world.pass(to: week + due - 10, every: 59)
        #expect(world.attendance.count == 3)
        world.pass(to: week + due + 70)
        #expect(world.attendance.map(\.turn) == [.made, .noWord, .arrived, .notThere])
    }

    @Test func `windows during which the server was off are reported as unwatched, the last one alone`() throws {
        var world = World.crew()
        try expect(.person(World.ben), in: &world)
        world.pass(to: start)
        world.restart(rules: world.engine.attendanceRules(of: World.team), silentFor: week + 20_000)
        world.pass(to: world.now + 100)
        #expect(world.attendance.map(\.turn) == [.made, .unwatched])
        #expect(world.attendance.last?.window?.start == World.time(week + start))
        world.restart(rules: world.engine.attendanceRules(of: World.team))
        world.pass(to: world.now + 100)
        #expect(world.attendance.count == 2)
    }

    @Test func `a rule that comes after the grace period waits for the next window`() throws {
        var world = World.crew()
        world.pass(to: due + 10, every: 50)
        try expect(in: &world)
        world.pass(to: end + 100, every: 50)
        #expect(world.attendance.map(\.turn) == [.made])
        world.pass(to: week + due + 100, every: 59)
        #expect(world.attendance.map(\.turn) == [.made, .noWord])
    }

    @Test func `a clock that was a year ahead for a moment silences no later window`() throws {
        var world = World.crew()
        try expect(.person(World.ben), in: &world)
        world.sweep(at: 52 * week)
        world.sweep(at: start - 200)
        world.pass(to: due + 100, every: 20)
        #expect(world.attendance.last?.turn == .noWord)
        #expect(world.attendance.last?.window?.start == World.time(start))
    }

    @Test func `a rule that counts nobody reports unknown, and opens no incident`() throws {
        var world = World.crew()
        try expect(.ownRole("nurses"), in: &world, opensIncident: true)
        world.pass(to: due + 100, every: 20)
        #expect(world.attendance.map(\.turn) == [.made, .noWord])
        #expect(world.decision.attendanceToOpenIncidentsFor.isEmpty)
    }
}
