/// Check-in timers: when a person does not check in in time, the engine reminds the person, then notifies the leaders,
/// then raises an SOS.
extension Engine {
    /// Returns a person's check-in timer; nil when the person has none.
    public func checkInTimer(of user: UserNumber) -> CheckInTimer? { person(user)?.declared.timer }

    /// Starts a person's timer. It replaces the one that the person has.
    ///
    /// - Throws: `.isNoPerson` for a gateway; `.isSetByAnother` when the person would replace a timer that another user
    ///   started.
    public func startTimer(
        _ timer: CheckInTimer, of user: UserNumber, into decision: inout Decision
    ) throws(CheckInError) {
        guard var person = decidedPerson(user, after: decision), person.isPerson else { throw .isNoPerson }
        if let present = person.declared.timer, timer.setBy == user, present.setBy != user { throw .isSetByAnother }
        person.declared.timer = timer
        store(person, of: user, reporting: timer, into: &decision)
    }

    /// Ends a person's timer.
    ///
    /// - Throws: `.hasNoTimer`.
    public func endTimer(
        of user: UserNumber, by author: UserNumber, now: Instant, into decision: inout Decision
    ) throws(CheckInError) {
        guard var person = decidedPerson(user, after: decision), var timer = person.declared.timer else {
            throw .hasNoTimer
        }
        person.declared.timer = nil
        timer.turn = .ended
        timer.turnAt = now
        timer.turnBy = author
        store(person, of: user, reporting: timer, into: &decision)
    }

    /// Records a check-in of a person.
    ///
    /// - Parameters:
    ///   - moment: when the person checked in.
    ///   - author: the person, or the leader who checks in for them.
    /// - Returns: the timer after the check-in.
    /// - Throws: `.hasNoTimer`.
    @discardableResult
    public func checkIn(
        _ user: UserNumber, at moment: Instant, by author: UserNumber, now: Instant, into decision: inout Decision
    ) throws(CheckInError) -> CheckInTimer {
        guard var person = decidedPerson(user, after: decision), var timer = person.declared.timer else {
            throw .hasNoTimer
        }
        let before = timer
        let isAnew = timer.takeWord(at: moment, by: author, now: now)
        guard timer != before else { return timer }
        person.declared.timer = timer
        store(person, of: user, reporting: isAnew ? timer : nil, into: &decision)
        return timer
    }

    /// Counts a declaration about a person as a check-in for their timer when the person made it. A user's clear of the
    /// SOS that the timer raised restarts the interval too. After a clear that comes too late for that, the next sweep
    /// reminds the person.
    func takeWord(_ declaration: Declaration, isCurrent: Bool, now: Instant, into decision: inout Decision) {
        guard let timer = decidedPerson(declaration.subject, after: decision)?.declared.timer else { return }
        let isOwn = declaration.author == declaration.subject
        let isOver = declaration.kind == .clear && isCurrent && timer.turn == .sos
        guard isOwn || isOver else { return }
        // The person has a timer, and its absence is the only cause of an error.
        _ = try? checkIn(
            declaration.subject, at: declaration.moment, by: declaration.author, now: now, into: &decision)
    }

    /// Takes the step of a person's timer that is due, if one is.
    func sweepTimer(of user: UserNumber, now: Instant, into decision: inout Decision) {
        guard var person = decidedPerson(user, after: decision), person.isPerson, var timer = person.declared.timer,
            timer.advance(to: now, isSOS: person.declared.status == .sos)
        else { return }
        person.declared.timer = timer
        guard timer.turn == .sos else { return store(person, of: user, reporting: timer, into: &decision) }
        person.declared.raiseSOS(at: now)
        decision.scratch.changes.append(.checkInTimer(timer, of: user))
        if let changed = renewSafety(of: user, person, now: now, decidedAt: now, into: &decision) {
            follow(user, changed, now: now, into: &decision)
        }
        if timer.opensIncident { decision.peopleToOpenIncidentsFor.append(user) }
    }

    private func store(
        _ person: PersonState, of user: UserNumber, reporting timer: CheckInTimer?, into decision: inout Decision
    ) {
        decision.record(person, of: user, isTold: false)
        if let timer { decision.scratch.changes.append(.checkInTimer(timer, of: user)) }
    }
}
