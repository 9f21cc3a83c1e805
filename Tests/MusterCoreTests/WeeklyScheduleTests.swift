import MusterCore
import Testing

extension ZoneOffsets {
    /// Central Europe in 2026: summer time from 29 March to 25 October, each change at 01:00 UTC.
    static let vienna = ZoneOffsets { zone, moment in
        guard zone == "Europe/Vienna" else { return nil }
        let summer = Instant(seconds: 1_774_746_000)..<Instant(seconds: 1_792_890_000)
        return summer.contains(moment) ? 7_200 : 3_600
    }
}

/// Windows of a week, also where the clocks are changed.
@Suite struct WeeklyScheduleTests {
    /// 29 March and 25 October 2026 are Sundays.
    private static let spring: Int32 = 20_541
    private static let autumn: Int32 = 20_751

    /// The minutes after 00:00 UTC of the day at which a window of that Sunday begins and ends.
    ///
    /// - Parameter from: the start in hundredths of an hour, so that 250 is half past two.
    private func times(_ from: Int16, _ to: Int16, on day: Int32) -> [Int]? {
        let schedule = WeeklySchedule(
            zone: "Europe/Vienna", windows: [.init(weekday: 7, startMinute: minute(from), endMinute: minute(to))])
        guard let times = schedule.times(of: .init(day: day, window: 0), .vienna) else { return nil }
        return [times.start, times.end].map { Int(($0.milliseconds - Int64(day) * 86_400_000) / 60_000) }
    }

    private func minute(_ hundredths: Int16) -> Int16 { Int16(Int(hundredths) * 60 / 100) }

    @Test func `a window is where the zone's clocks show it`() {
        #expect(times(700, 1_500, on: Self.spring - 7) == [6 * 60, 14 * 60])
        #expect(times(700, 1_500, on: Self.spring) == [5 * 60, 13 * 60])
        #expect(times(700, 1_500, on: Self.autumn) == [6 * 60, 14 * 60])
        // Over midnight, and a whole day.
        #expect(times(2_200, 600, on: Self.spring - 7) == [21 * 60, 29 * 60])
        #expect(times(0, 2_400, on: Self.spring) == [-60, 22 * 60])
        #expect(times(0, 2_400, on: Self.autumn) == [-120, 23 * 60])
    }

    @Test func `a time that the clocks skip is the moment of the change`() {
        // From 02:00 to 03:00 there is no time.
        #expect(times(250, 500, on: Self.spring) == [60, 180])
        #expect(times(100, 250, on: Self.spring) == [0, 60])
        #expect(times(200, 300, on: Self.spring) == nil)
        #expect(times(225, 275, on: Self.spring) == nil)
    }

    @Test func `for a repeated local time a window begins at the first and ends at the second`() {
        // From 02:00 to 03:00 comes twice: from 00:00 UTC and from 01:00 UTC.
        #expect(times(250, 500, on: Self.autumn) == [30, 240])
        #expect(times(100, 250, on: Self.autumn) == [-60, 90])
        #expect(times(225, 275, on: Self.autumn) == [15, 105])
    }

    @Test func `a window is on its own weekday alone, and an unknown zone has none`() {
        var schedule = WeeklySchedule(
            zone: "Europe/Vienna", windows: [.init(weekday: 1, startMinute: 0, endMinute: 60)])
        let days = (Self.spring...Self.spring + 13).filter {
            schedule.times(of: .init(day: $0, window: 0), .vienna) != nil
        }
        #expect(days == [Self.spring + 1, Self.spring + 8])
        schedule.zone = "Europe/Nowhere"
        #expect(schedule.times(of: .init(day: Self.spring + 1, window: 0), .vienna) == nil)
    }
}
