/// Attendance rules: the engine counts the people of a team who are in a region, and reports when too few are.
extension Engine {
    /// Takes up the stored rules after a restart. The first tick counts all of them.
    public mutating func resume(attendanceRules: [AttendanceRule]) { attendance.resume(attendanceRules) }

    /// Returns the rules of a team, in number order.
    public func attendanceRules(of team: TeamNumber) -> [AttendanceRule] {
        attendance.rules(of: team).compactMap { attendance.states[$0]?.rule }
    }

    /// Returns a team's rule by its name; nil when there is none.
    public func attendanceRule(named name: String, of team: TeamNumber) -> AttendanceRule? {
        attendanceRules(of: team).first { $0.name == name }
    }

    /// Counts the people of a rule by where they are. Complexity: O(people of the team).
    public func count(_ rule: AttendanceRule, now: Instant) -> AttendanceCount {
        count(rule, now: now, after: Decision())
    }

    /// Makes a rule, or replaces the team's rule of its number. A change ends the lack that the former rule had
    /// reported.
    ///
    /// - Throws: `.tooMany`.
    public func putAttendanceRule(
        _ rule: AttendanceRule, now: Instant, into decision: inout Decision
    ) throws(AttendanceError) {
        let isNew = attendanceState(rule.number, after: decision) == nil
        if isNew {
            let added = decision.attendance.states.count { number, state in
                state?.rule.team == rule.team && attendance.states[number] == nil
            }
            guard attendance.rules(of: rule.team).count + added < AttendanceRule.teamLimit else {
                throw .tooMany(limit: AttendanceRule.teamLimit)
            }
        }
        var state = AttendanceState(rule: rule)
        state.rule.progress = AttendanceRule.Progress()
        count(&state, now: now, after: decision)
        // The next tick finds the window that is on, or the next one.
        if case .during = rule.demand { state.check(by: now) }
        decision.attendance.toStore.insert(rule.number)
        var report = AttendanceReport(isNew ? .made : .changed, of: state.rule, at: now, by: rule.setBy)
        report.count = count(rule, now: now, after: decision)
        decision.scratch.changes.append(.attendance(report))
        settle(&state, isTick: false, now: now, into: &decision)
    }

    /// Removes a rule, and with it the lack that the engine had reported.
    ///
    /// - Throws: `.hasNoRule`.
    public func removeAttendanceRule(
        _ number: AttendanceNumber, by author: UserNumber, now: Instant, into decision: inout Decision
    ) throws(AttendanceError) {
        guard let state = attendanceState(number, after: decision) else { throw .hasNoRule }
        decision.attendance.states[number] = .some(nil)
        decision.attendance.toStore.insert(number)
        var report = AttendanceReport(.removed, of: state.rule, at: now, by: author)
        report.count = count(state.rule, now: now, after: decision)
        decision.scratch.changes.append(.attendance(report))
    }

    /// Updates the rules of a person's team after the engine learnt where that person is.
    ///
    /// - Complexity: O(rules of the team), each some nanoseconds unless the person came or went.
    func followAttendance(of user: UserNumber?, now: Instant, into decision: inout Decision) {
        if attendance.isEmpty { return }
        guard let user, people.indices.contains(Int(user.rawValue)), let team = people[Int(user.rawValue)].team else {
            return
        }
        for number in attendance.rules(of: team) {
            guard var state = attendanceState(number, after: decision), attendance.counts(user, by: state.rule) else {
                continue
            }
            let isPresent =
                attendance(of: user, in: state.rule.region, now: now, after: decision) == .present
            guard isPresent != state.present.contains(user) else { continue }
            if isPresent { state.present.insert(user) } else { state.present.remove(user) }
            state.check(by: nextSilence(of: user, now: now, after: decision))
            settle(&state, isTick: false, now: now, into: &decision)
        }
    }

    /// Evaluates the rules that are due: their people may have fallen silent, their lack has lasted for `afterSeconds`,
    /// or an edit concerns them.
    func sweepAttendance(now: Instant, into decision: inout Decision) {
        decision.attendance.tick = (now, attendance.quietUntil(tickingAt: now))
        if attendance.isEmpty { return }
        for number in attendance.due(at: now) {
            guard var state = attendanceState(number, after: decision) else { continue }
            count(&state, now: now, after: decision)
            decision.attendance.counted.insert(number)
            settle(&state, isTick: true, now: now, into: &decision)
        }
    }

    /// Decides from the people present what a rule reports, and records the rule's new state.
    ///
    /// - Parameter isTick: whether a tick of the clock is the cause. Only a tick reports a lack, so that of two
    ///   observations in one request the first cannot report a lack that the second one ends.
    private func settle(_ state: inout AttendanceState, isTick: Bool, now: Instant, into decision: inout Decision) {
        let before = attendanceState(state.rule.number, after: decision)?.rule
        switch state.rule.demand {
        case .atLeast(let minimum, let afterSeconds):
            settleCount(&state, minimum, afterSeconds: afterSeconds, isTick: isTick, now: now, into: &decision)
        case .during(let schedule, let graceSeconds):
            settleWindows(&state, schedule, graceSeconds: graceSeconds, isTick: isTick, now: now, into: &decision)
        }
        decision.attendance.states[state.rule.number] = .some(state)
        if state.rule != before { decision.attendance.toStore.insert(state.rule.number) }
    }

    /// Decides whether too few people are in the region, or enough again.
    private func settleCount(
        _ state: inout AttendanceState, _ minimum: Int32, afterSeconds: Double, isTick: Bool, now: Instant,
        into decision: inout Decision
    ) {
        if state.present.count >= minimum, state.rule.progress.lackingSince != nil {
            // The count that observations keep up to date says that there are enough. Before the lack ends, everyone is
            // counted anew.
            count(&state, now: now, after: decision)
        }
        if state.present.count >= minimum {
            if state.rule.progress.isTold { report(.enough, of: state.rule, now: now, into: &decision) }
            state.rule.progress = AttendanceRule.Progress()
        } else if !state.rule.progress.isTold {
            let since = min(state.rule.progress.lackingSince ?? now, now)
            state.rule.progress.lackingSince = since
            let quietUntil = decision.attendance.tick?.quietUntil ?? attendance.quietUntil
            let due = max(since.advanced(bySeconds: afterSeconds), quietUntil)
            if isTick && now >= due {
                state.rule.progress.isTold = true
                report(.lacking, of: state.rule, now: now, into: &decision)
                if state.rule.opensIncident { decision.attendance.toOpenIncidentsFor.append(state.rule.number) }
            } else {
                state.check(by: due)
            }
        }
    }

    func report(
        _ turn: AttendanceReport.Turn, of rule: AttendanceRule, who: UserNumber? = nil, now: Instant,
        into decision: inout Decision
    ) {
        var report = AttendanceReport(turn, of: rule, at: now)
        report.who = who
        report.count = count(rule, now: now, after: decision)
        decision.scratch.changes.append(.attendance(report))
    }

    private func count(_ rule: AttendanceRule, now: Instant, after decision: Decision) -> AttendanceCount {
        var count = AttendanceCount()
        for user in attendance.members(of: rule.team) where attendance.counts(user, by: rule) {
            count.add(user, attendance(of: user, in: rule.region, now: now, after: decision))
        }
        return count
    }

    /// Counts everyone of the rule, and sets when silence may next change the count.
    private func count(_ state: inout AttendanceState, now: Instant, after decision: Decision) {
        state.present.removeAll(keepingCapacity: true)
        state.nextCheck = nil
        for user in attendance.members(of: state.rule.team) where attendance.counts(user, by: state.rule) {
            if attendance(of: user, in: state.rule.region, now: now, after: decision) == .present {
                state.present.insert(user)
            }
            state.check(by: nextSilence(of: user, now: now, after: decision))
        }
        let earliest = now.advanced(bySeconds: AttendanceBook.checkSpacingSeconds)
        state.nextCheck = state.nextCheck.map { max($0, earliest) }
    }

    func attendanceState(_ number: AttendanceNumber, after decision: Decision) -> AttendanceState? {
        if let decided = decision.attendance.states[number] { return decided }
        return attendance.states[number]
    }
}

extension Decision {
    /// The attendance rules that the store must write, each as this decision leaves it; nil for one to remove.
    public var attendanceToStore: [(number: AttendanceNumber, rule: AttendanceRule?)] {
        attendance.toStore.sorted().map { ($0, (attendance.states[$0] ?? nil)?.rule) }
    }

    /// The attendance rules whose reports ask for an incident of their team. Only the store assigns the number of a new
    /// incident, so the caller opens the incidents in the transaction of this decision.
    public var attendanceToOpenIncidentsFor: [AttendanceRule] {
        attendance.toOpenIncidentsFor.compactMap { (attendance.states[$0] ?? nil)?.rule }
    }
}
