/// A person's acknowledgement that they have seen the call of an incident. It says nothing about how the person is: it
/// changes no state and accounts for nobody.
extension Engine {
    /// By how many seconds an acknowledgement may be older than the opening of its incident and still count, because a
    /// phone knows the server's time only with an error.
    static let callClockSeconds = 5.0

    /// Records that a person on the roll of an open incident has seen its call. The person's first acknowledgement
    /// since the incident was last opened counts; a reopened incident asks for a new one.
    ///
    /// - Parameters:
    ///   - saidAt: when the person acknowledged the call. A time before the last opening belongs to an earlier call.
    ///   - id: the sender's id of the request, for the record.
    /// - Returns: when the acknowledgement that counts was recorded; nil where this one is from before the last opening
    ///   and no other one counts.
    /// - Throws: `.isNotOpen`; `.isNotOnRoll`, also for a person who was taken off the roll.
    public func recordCallSeen(
        by person: UserNumber, saidAt: Instant, on incident: IncidentNumber, of team: TeamNumber, id: String? = nil,
        now: Instant, into decision: inout Decision
    ) throws(IncidentError) -> Instant? {
        guard let open = openIncident(of: team, after: decision), open.number == incident else { throw .isNotOpen }
        let roll = roll(of: incident, after: decision)
        guard roll.follows(person), let state = decidedPerson(person, after: decision) else { throw .isNotOnRoll }
        if let seenAt = roll.members[person]?.callSeenAt { return seenAt }
        // Where the server's clock was set back, the recorded time of the opening lies ahead of now.
        let openedAt = min(open.reopening?.at ?? open.startedAt, now)
        guard saidAt >= openedAt.advanced(bySeconds: -Self.callClockSeconds) else { return nil }
        let entry = IncidentEntry(
            incident: incident, at: now, person: person, event: .callSeen, safety: state.safety,
            lastSeen: lastSeen(person, after: decision), author: person, id: id)
        decision.entries.append(entry)
        decision.rolls[incident, default: roll].apply(entry)
        decision.scratch.changes.append(.roll(entry, of: team))
        return now
    }
}
