/// Pauses, by which people explain their silence. No function here changes a device, or anyone's safety.
extension Engine {
    /// Returns a person's pause that is in force; nil when there is none. A pause that an edit or the time has ended is
    /// no longer in force, even before the next sweep reports its end.
    public func pause(of user: UserNumber, now: Instant) -> Pause? {
        guard let person = person(user), let pause = person.declared.pause,
            endingTurn(of: pause, of: user, person, now: now, after: Decision()) == nil
        else { return nil }
        return pause
    }

    /// Begins a person's pause, or changes the end and the note of the one that is in force.
    ///
    /// - Parameter until: when the pause ends: after now, and at most `Pause.limitSeconds` from now.
    /// - Returns: the pause.
    /// - Throws: every `PauseError`.
    public func beginPause(
        of user: UserNumber, until: Instant, note: String?, now: Instant, into decision: inout Decision
    ) throws(PauseError) -> Pause {
        precondition(until > now && until.seconds(since: now) <= Pause.limitSeconds)
        guard var person = decidedPerson(user, after: decision), person.isPerson else { throw .isNoPerson }
        guard team(of: person).incidents.allowsPause else { throw .isNotAllowed }
        if let incident = incident(askingFor: user, person, after: decision) { throw .isInIncident(incident) }
        guard !person.safety.state.isCall else { throw .callsForHelp }
        var pause = Pause(since: now, until: until, note: note)
        if let present = person.declared.pause, present.until > now {
            pause.since = min(present.since, now)
            if pause == present { return present }
        }
        person.declared.pause = pause
        decision.record(person, of: user, isTold: false)
        decision.scratch.changes.append(.pause(pause, of: user))
        return pause
    }

    /// Ends a person's pause because the person says so. Changes nothing where there is none.
    public func endPause(of user: UserNumber, into decision: inout Decision) {
        endPause(of: user, .ended, into: &decision)
    }

    /// Ends a person's pause when it is no longer in force, and reports why.
    func sweepPause(of user: UserNumber, now: Instant, into decision: inout Decision) {
        guard let person = decidedPerson(user, after: decision), let pause = person.declared.pause,
            let turn = endingTurn(of: pause, of: user, person, now: now, after: decision)
        else { return }
        endPause(of: user, turn, into: &decision)
    }

    func endPause(of user: UserNumber, _ turn: Pause.Turn, into decision: inout Decision) {
        guard var person = decidedPerson(user, after: decision), var pause = person.declared.pause else { return }
        person.declared.pause = nil
        pause.turn = turn
        decision.record(person, of: user, isTold: false)
        decision.scratch.changes.append(.pause(pause, of: user))
    }

    /// Returns why a pause is no longer in force; nil while it is.
    private func endingTurn(
        of pause: Pause, of user: UserNumber, _ person: PersonState, now: Instant, after decision: Decision
    ) -> Pause.Turn? {
        if incident(askingFor: user, person, after: decision) != nil { return .incident }
        if !person.isPerson || !team(of: person).incidents.allowsPause { return .withdrawn }
        return pause.until <= now ? .ranOut : nil
    }

    /// The open incident of a person's team, or else one on whose roll the person is; nil for none.
    private func incident(
        askingFor user: UserNumber, _ person: PersonState, after decision: Decision
    ) -> IncidentNumber? {
        openIncident(of: person.team, after: decision)?.number
            ?? openIncident(asking: user, person, after: decision)?.number
    }
}
