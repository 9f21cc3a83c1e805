/// Attendance rules with a schedule: who should be in a region during a window and is not known to be there.
extension Engine {
    /// Judges the windows of a rule with a schedule: once the grace period of a window is over, the engine reports
    /// everyone who is not known to be there, once a window.
    func settleWindows(
        _ state: inout AttendanceState, _ schedule: WeeklySchedule, graceSeconds: Double, isTick: Bool, now: Instant,
        into decision: inout Decision
    ) {
        // The clock was ahead and has been set back: a window that has not begun was judged by the wrong time.
        if let start = state.rule.progress.window?.start, start > now {
            state.rule.progress.window = nil
            state.rule.progress.awaited = []
        }
        reportArrivals(&state, now: now, into: &decision)
        // Only a tick looks for windows, so that an observation need not look up the time zone.
        guard isTick else { return }
        if let end = state.rule.progress.window?.end, now >= end { state.rule.progress.awaited = [] }
        if let end = state.rule.progress.window?.end, !state.rule.progress.awaited.isEmpty { state.check(by: end) }
        guard let today = schedule.day(at: now, zoneOffsets) else { return }
        let quietUntil = decision.attendance.tick?.quietUntil ?? attendance.quietUntil
        let first = max(today - Self.lookBackDays, state.rule.progress.window?.occurrence.day ?? .min)
        var missed: AttendanceRule.Window?
        for occurrence in schedule.occurrences(from: first, through: today + Self.lookAheadDays) {
            if let former = state.rule.progress.window?.occurrence, occurrence <= former { continue }
            guard let times = schedule.times(of: occurrence, zoneOffsets) else { continue }
            let due = times.start.advanced(bySeconds: graceSeconds)
            // A window is passed over when a change of the clocks makes it shorter than the grace period, or when the
            // rule was set after its grace period.
            guard due < times.end, due > min(state.rule.setAt, now) else { continue }
            let window = AttendanceRule.Window(occurrence: occurrence, start: times.start, end: times.end)
            if now >= times.end {
                missed = window
                continue
            }
            let judgedAt = max(due, quietUntil)
            guard now >= judgedAt else {
                state.check(by: min(judgedAt, times.end))
                break
            }
            missed = nil
            judge(window, &state, now: now, into: &decision)
        }
        if let missed {
            state.rule.progress.window = missed
            state.rule.progress.awaited = []
            report(.unwatched, of: state.rule, now: now, into: &decision)
        }
    }

    /// How many days before and after today the engine looks for windows.
    private static let lookBackDays: Int32 = 2
    private static let lookAheadDays: Int32 = 8

    /// Reports the people who are not known to be there: those known to be elsewhere, and those of unknown position,
    /// apart.
    private func judge(
        _ window: AttendanceRule.Window, _ state: inout AttendanceState, now: Instant, into decision: inout Decision
    ) {
        state.rule.progress.window = window
        state.rule.progress.awaited = []
        let people = attendance.members(of: state.rule.team).filter { attendance.counts($0, by: state.rule) }
        // A rule that counts nobody any more has no devices that could report.
        var (isAbsent, isUnknown) = (false, people.isEmpty)
        for user in people {
            switch attendance(of: user, in: state.rule.region, now: now, after: decision) {
            case .present: continue
            case .absent: isAbsent = true
            case .unknown: isUnknown = true
            }
            state.rule.progress.awaited.append(user)
        }
        if isAbsent { report(.notThere, of: state.rule, now: now, into: &decision) }
        if isUnknown { report(.noWord, of: state.rule, now: now, into: &decision) }
        guard isAbsent || isUnknown else { return }
        state.check(by: window.end)
        guard state.rule.opensIncident, !people.isEmpty else { return }
        decision.attendance.toOpenIncidentsFor.append(state.rule.number)
    }

    private func reportArrivals(_ state: inout AttendanceState, now: Instant, into decision: inout Decision) {
        guard let window = state.rule.progress.window, now < window.end else { return }
        for user in state.rule.progress.awaited where state.present.contains(user) {
            state.rule.progress.awaited.removeAll { $0 == user }
            report(.arrived, of: state.rule, who: user, now: now, into: &decision)
        }
    }
}
