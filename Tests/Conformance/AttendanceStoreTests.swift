import MusterCore
import MusterStore
import Testing

/// Attendance rules in every store.
@Suite struct AttendanceStoreTests {
    @Test(arguments: StoreKind.allCases)
    func `rules and how far they have come outlive a crash, and go by hand or with their team`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        var rules: [AttendanceRule] = [
            .test(1, team: 1), .test(2, team: 2, .role(.leader)), .test(3, team: 1, .ownRole("medic")),
            .test(4, team: 2, .person(UserNumber(4))),
        ]
        rules[1].progress.lackingSince = .test(4)
        rules[1].progress.isTold = true
        rules[0].demand = .during(
            WeeklySchedule(
                zone: "Europe/Vienna",
                windows: [
                    .init(weekday: 7, startMinute: 1_320, endMinute: 360),
                    .init(weekday: 1, startMinute: 0, endMinute: 1_440),
                ]), graceSeconds: 900.5)
        rules[0].progress.window = .init(
            occurrence: .init(day: 20_541, window: 1), start: .test(2), end: .test(3))
        rules[0].progress.awaited = [UserNumber(3), UserNumber(.max)]
        try bench.store.write(at: .test(0)) { transaction in
            for rule in rules {
                #expect(try transaction.nextAttendanceNumber() == rule.number)
                var first = rule
                first.progress = AttendanceRule.Progress()
                try transaction.put(first)
                try transaction.put(rule)
            }
        }
        try bench.crash()
        #expect(try bench.store.attendanceRules() == rules)
        try bench.store.write(at: .test(1)) { try $0.remove(rules[2].number) }
        try bench.store.write(at: .test(2)) { try $0.remove(TeamNumber(2)) }
        try bench.crash()
        #expect(try bench.store.attendanceRules() == [rules[0]])
        #expect(try bench.store.write(at: .test(3)) { try $0.nextAttendanceNumber() } == AttendanceNumber(5))
    }
}
