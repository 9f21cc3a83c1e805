import MusterCore
import MusterGeometry
import Testing

/// Someone who works alone promises a word every so often.
@Suite struct CheckInTests {
    private func town() -> World {
        var world = World(silenceSeconds: 600)
        world.addTeam()
        world.putSquare(1, at: 45, 14, isMuster: true)
        return world
    }

    private func sweep(_ world: inout World, from start: Double, to end: Double, every step: Double = 1) {
        for second in stride(from: start, through: end, by: step) { world.sweep(at: second) }
    }

    @Test func `without a check-in the person is reminded, then the leader notified, then an SOS raised`() throws {
        var world = town()
        try world.startTimer(at: 0)
        sweep(&world, from: 1, to: 2_000)
        #expect(world.timerTurns == ["started 0", "reminded 600", "overdue 720", "sos 1020"])
        let safety = world.engine.safety(of: World.ana)
        #expect((safety.state, safety.source, safety.since) == (.sos, .checkInTimer, World.time(1_020)))
        #expect(world.told().last == "sos checkInTimer")
        // From then on it is a call for help like any other: it is told each minute until someone has heard it.
        #expect(world.reminders.count == 16)
        world.declare(.acknowledge, by: World.lea, at: 2_001)
        sweep(&world, from: 2_002, to: 2_200)
        #expect(world.reminders.count == 16)
    }

    @Test func `the leader is notified again while the SOS is far off`() throws {
        var world = town()
        try world.startTimer(every: 60, leaderAfter: 0, sosAfter: 1_000, at: 0)
        sweep(&world, from: 1, to: 1_000)
        #expect(
            world.timerTurns == ["started 0", "reminded 60", "overdue 61", "overdue 361", "overdue 661", "overdue 961"])
        #expect(world.engine.checkInTimer(of: World.ana)?.noticeCount == 4)
    }

    @Test func `a check-in restarts the timer, and ends an alarm but not an SOS`() throws {
        var world = town()
        try world.startTimer(at: 0)
        for second in stride(from: 500.0, through: 2_000, by: 500) {
            try world.checkIn(at: second)
            world.sweep(at: second + 499)
        }
        #expect(!world.timerTurns.contains { $0.hasPrefix("reminded") })
        sweep(&world, from: 2_500, to: 2_725)
        #expect(world.timerTurns.last == "overdue 2720")
        try world.checkIn(by: World.lea, at: 2_730)
        #expect(world.timerTurns.last == "checkedIn 2730")
        #expect(world.engine.safety(of: World.ana).state != .sos)
        sweep(&world, from: 2_731, to: 3_751)
        #expect(world.engine.safety(of: World.ana).state == .sos)
        try world.checkIn(at: 3_760)
        #expect(world.engine.safety(of: World.ana).state == .sos)
        world.declare(.clear, by: World.lea, at: 3_770)
        #expect(world.engine.safety(of: World.ana).state != .sos)
        #expect(world.engine.checkInTimer(of: World.ana)?.isRunning == true)
    }

    @Test func `a position does not check in, and a person's own declaration does`() throws {
        var world = town()
        try world.startTimer(at: 0)
        world.stay(45, 14, from: 5, to: 595)
        world.declare(.safe, by: World.lea, at: 596)
        world.sweep(at: 601)
        #expect(world.timerTurns.last == "reminded 601")
        world.declare(.safe, at: 610)
        #expect(world.timerTurns.last == "checkedIn 610")
        #expect(world.engine.checkInTimer(of: World.ana)?.lastWord == World.time(610))
        // A call for help is a word as well: whoever calls is heard of.
        world.declare(.needsHelp, at: 1_000)
        #expect(world.engine.checkInTimer(of: World.ana)?.lastWord == World.time(1_000))
    }

    @Test func `a check-in that arrives late counts from when it was made`() throws {
        var world = town()
        try world.startTimer(at: 0)
        sweep(&world, from: 1, to: 725)
        try world.checkIn(at: 100, receivedAt: 726)
        #expect(world.engine.checkInTimer(of: World.ana)?.turn == .overdue)
        try world.checkIn(at: 300, receivedAt: 728)
        #expect(world.engine.checkInTimer(of: World.ana)?.dueAt == World.time(900))
        #expect(world.timerTurns.last == "checkedIn 728")
        // Words in the wrong order: the newest one counts.
        try world.checkIn(at: 250, receivedAt: 729)
        #expect(world.engine.checkInTimer(of: World.ana)?.dueAt == World.time(900))
        // A clock that is ahead buys no time.
        try world.checkIn(at: 9_000, receivedAt: 730)
        #expect(world.engine.checkInTimer(of: World.ana)?.dueAt.seconds(since: World.time(0)) ?? 0 <= 9_600)
    }

    @Test func `a server that was off for hours asks the person first, and goes on where it was`() throws {
        var world = town()
        try world.startTimer(at: 0)
        world.restart(at: 10_000)
        sweep(&world, from: 10_000, to: 10_010)
        #expect(world.timerTurns == ["started 0", "reminded 10000"])
        world.restart(at: 10_011)
        sweep(&world, from: 10_011, to: 10_125)
        #expect(world.timerTurns.last == "overdue 10120")
        // A person who checked in while the server was off has a minute for the check-in to arrive.
        world.restart(at: 20_000)
        sweep(&world, from: 20_000, to: 20_100)
        #expect(world.timerTurns.suffix(2) == ["overdue 20000", "sos 20060"])
        world.restart(at: 20_101)
        sweep(&world, from: 20_101, to: 20_200)
        #expect(world.timerTurns.count == 5)
        #expect(world.engine.safety(of: World.ana).state == .sos)
    }

    @Test func `an acknowledged SOS is raised again when the timer runs out again`() throws {
        var world = town()
        try world.startTimer(at: 0)
        sweep(&world, from: 1, to: 1_100)
        world.declare(.acknowledge, by: World.lea, at: 1_101)
        // She answers, nobody clears the SOS, and she falls silent again.
        try world.checkIn(at: 1_200)
        let reminders = world.reminders.count
        sweep(&world, from: 1_201, to: 2_400)
        #expect(world.timerTurns.suffix(3) == ["reminded 1800", "overdue 1920", "sos 2220"])
        #expect(world.engine.safety(of: World.ana).acknowledgedBy == nil)
        #expect(world.reminders.count == reminders + 3)
    }

    @Test func `a clear that arrives after the next check-in was due reminds the person again`() throws {
        var world = town()
        try world.startTimer(every: 60, at: 0)
        sweep(&world, from: 1, to: 600)
        #expect(world.engine.safety(of: World.ana).state == .sos)
        world.declare(.clear, at: 500, receivedAt: 700)
        #expect(world.engine.safety(of: World.ana).state != .sos)
        sweep(&world, from: 701, to: 705)
        #expect(world.timerTurns.last == "reminded 701")
        try world.checkIn(at: 706)
        #expect(world.engine.checkInTimer(of: World.ana)?.isRunning == true)
    }

    @Test func `a server whose clock is set back goes on listening and alarming`() throws {
        var world = town()
        world.stay(45, 14, from: 10_000, to: 10_060)
        try world.startTimer(at: 10_050)
        world.declare(.sos, at: 10_055)
        world.declare(.clear, at: 10_056)
        // The clock is set back by two hours and a half.
        world.now = 1_000
        world.engine.adjustTimes(to: World.time(1_000), wasOff: false)
        world.declare(.sos, at: 1_010)
        #expect(world.engine.safety(of: World.ana).state == .sos)
        world.declare(.clear, at: 1_020)
        world.stay(45.1, 14, from: 1_030, to: 1_090)
        #expect(world.engine.safety(of: World.ana).state == .unsafe)
        sweep(&world, from: 1_091, to: 1_700)
        #expect(world.timerTurns.last?.hasPrefix("reminded 16") == true)
        #expect(world.engine.safety(of: World.ana).state == .unknown)
    }

    @Test func `a phone whose clock is a little ahead is where it was after a restart`() throws {
        var world = town()
        for second in stride(from: 0.0, through: 60, by: 5) {
            world.report(45, 14, at: second + 30, receivedAt: second, accuracy: 5)
        }
        let evaluated = world.engine.evaluatedTime(of: World.phone)
        #expect(evaluated == World.time(90))
        world.restart(at: 65)
        #expect(world.engine.evaluatedTime(of: World.phone) == evaluated)
        // A fix that waited in the phone since before the last one moves nothing.
        world.report(45.1, 14, at: 88, receivedAt: 66, accuracy: 5)
        #expect(world.engine.evaluatedTime(of: World.phone) == evaluated)
    }

    @Test func `a person cannot weaken a leader's timer, and ending it is reported`() throws {
        var world = town()
        try world.startTimer(opensIncident: true, by: World.lea, at: 0)
        #expect(throws: CheckInError.isSetByAnother) { try world.startTimer(every: 86_400, at: 10) }
        try world.endTimer(at: 20)
        #expect(world.timerTurns == ["started 0", "ended 20"])
        #expect(throws: CheckInError.hasNoTimer) { try world.endTimer(at: 21) }
        #expect(throws: CheckInError.hasNoTimer) { try world.checkIn(at: 21) }
        sweep(&world, from: 22, to: 3_000, every: 10)
        #expect(world.timerTurns.count == 2)
    }

    @Test func `a timer outlives declarations about the person, and ends with the person`() throws {
        var world = town()
        try world.startTimer(at: 0)
        for kind in [Declaration.Kind.offSite, .clear, .sos, .clear, .safe] { world.declare(kind, at: 100) }
        #expect(world.engine.checkInTimer(of: World.ana)?.intervalSeconds == 600)
        world.remove(World.ana)
        sweep(&world, from: 101, to: 3_000, every: 50)
        #expect(!world.timerTurns.contains { $0.hasPrefix("reminded") })
    }

    @Test func `repeated check-ins within five seconds count once`() throws {
        var world = town()
        try world.startTimer(at: 0)
        for tenth in 0..<100 { try world.checkIn(at: 100 + Double(tenth) / 10) }
        #expect(world.timerTurns == ["started 0", "checkedIn 100", "checkedIn 105"])
    }

    /// Random words, sweeps and restarts, against what the log says the person was promised.
    @Test(arguments: UInt64(1)...40)
    func `each timer raises its alarms, and none before its time`(seed: UInt64) throws {
        var chance = Chance(seed: seed)
        var world = town()
        let interval = chance.number(60...400)
        let leaderAfter = chance.number(0...100)
        let sosAfter = chance.number(0...100)
        try world.startTimer(every: interval, leaderAfter: leaderAfter, sosAfter: sosAfter, at: 0)
        var lastWord = 0.0
        var former: (turn: CheckInTimer.Turn, at: Double) = (.started, 0)
        var sweptAt = 0.0
        var second = 0.0
        for _ in 0..<600 {
            second += chance.number(0.5...20).rounded(.up)
            let seen = world.log.count
            switch Int(chance.number(0...19.99)) {
            case 0:
                let said = max(0, second - chance.number(0...300).rounded(.down))
                try world.checkIn(at: said, receivedAt: second)
                if said - lastWord >= CheckInTimer.wordSpacingSeconds || !isRunning(former.turn) {
                    lastWord = max(lastWord, said)
                }
            case 1: world.restart()
            default:
                world.sweep(at: second)
                sweptAt = second
            }
            for case .checkInTimer(let timer, _) in world.log[seen...] {
                switch timer.turn {
                case .reminded: #expect(second - lastWord >= interval)
                case .overdue where former.turn != .overdue:
                    #expect(former.turn == .reminded && second - former.at >= leaderAfter)
                case .sos: #expect(former.turn == .overdue && second - former.at >= sosAfter)
                case .checkedIn: #expect(second - lastWord < interval)
                default: break
                }
                if timer.turn != former.turn || timer.turn == .checkedIn { former = (timer.turn, second) }
            }
            guard sweptAt == second else { continue }
            // What is due is taken at the very sweep.
            switch former.turn {
            case .started, .checkedIn: #expect(second - lastWord < interval)
            case .reminded where former.at < second: #expect(second - former.at < leaderAfter)
            case .overdue where former.at < second: #expect(second - former.at < sosAfter)
            default: break
            }
            #expect(world.engine.checkInTimer(of: World.ana)?.turn == former.turn)
        }
    }

    private func isRunning(_ turn: CheckInTimer.Turn) -> Bool { turn == .started || turn == .checkedIn }
}
