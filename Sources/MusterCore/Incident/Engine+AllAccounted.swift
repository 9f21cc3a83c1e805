/// The state "all accounted" of an open incident. The engine derives it from the roll, and the incident can leave it
/// again.
extension Engine {
    /// For how long after a doubt alone ended "all accounted" it does not begin again, seconds. Doubts come and go with
    /// single fixes, and each turn is an event for rules: without a pause, rules would send two for each doubt.
    static var pauseAfterDoubtSeconds: Double { 30 }

    /// Returns how many people on the roll of an open incident are accounted for; zeros for an incident that is not
    /// open.
    ///
    /// - Complexity: O(people on the roll).
    public func rollCounts(of incident: IncidentNumber, after decision: Decision) -> RollCounts {
        let waitedFor = roll(of: incident, after: decision).members.lazy.filter { $0.value.takenOff == nil }
        return RollCounts(of: waitedFor.map { safety(of: $0.key, $0.value, after: decision) })
    }

    /// Derives whether everyone on the roll of a team's open incident is accounted for, and reports a change. While the
    /// engine decides many people at once (`Decision.defersRecount`) it does nothing, so that it reports no state that
    /// nobody could have seen.
    ///
    /// - Complexity: O(people on the roll) at worst; it ends at the first person who is unaccounted.
    func recount(_ team: TeamNumber, now: Instant, into decision: inout Decision) {
        guard !decision.defersRecount, var incident = openIncident(of: team, after: decision) else { return }
        let count = count(of: roll(of: incident.number, after: decision), after: decision)
        let before = accountedTimes(of: incident.number, after: decision)
        var times = before
        let was = incident.allAccountedAt != nil
        let isAll = count == .allAccounted && (was || !times.isPausing(at: now))
        if isAll != was {
            if was { times.endedByDoubtAt = count == .someChecking ? now : nil }
            incident.allAccountedAt = isAll ? now : nil
            incident.turn = isAll ? .allAccounted : .notAllAccounted
            incident.news = nil
            decision.incidents[team] = incident
            decision.scratch.changes.append(.incident(incident))
            decision.entries.append(
                IncidentEntry(isAll ? .allAccounted : .notAllAccounted, of: incident.number, at: now))
        }
        times.since = isAll ? times.since ?? now : nil
        if times != before { decision.accountedTimes[incident.number] = times }
    }

    /// Closes a team's open incident when the team chose so and everyone stayed accounted for long enough.
    func closeWhenStayedAccounted(_ team: TeamNumber, now: Instant, into decision: inout Decision) {
        guard let incident = openIncident(of: team, after: decision),
            let since = accountedTimes(of: incident.number, after: decision).since
        else { return }
        let settings = self.team(team).incidents
        guard settings.closes(incident.kind), now.seconds(since: since) >= settings.closesAfterSeconds else { return }
        close(incident, .automatic, now: now, into: &decision)
    }

    /// Returns the safety of a person on a roll: the derived one, or for a person without a user, the one that a leader
    /// marked.
    func safety(of person: UserNumber, _ member: Roll.Member, after decision: Decision) -> Safety {
        let known = member.isWithoutUser ? member.marked : decidedPerson(person, after: decision)?.safety
        return known ?? Safety(state: .unknown, since: Instant(milliseconds: 0))
    }

    private func accountedTimes(of incident: IncidentNumber, after decision: Decision) -> AccountedTimes {
        decision.accountedTimes[incident] ?? accountedTimes[incident] ?? AccountedTimes()
    }

    private enum Count {
        /// Someone is unaccounted, or the roll is empty.
        case someUnaccounted
        /// Nobody is unaccounted, and someone is checking.
        case someChecking
        case allAccounted
    }

    private func count(of roll: Roll, after decision: Decision) -> Count {
        var count: Count?
        for (person, member) in roll.members where member.takenOff == nil {
            let safety = safety(of: person, member, after: decision)
            if safety.isChecking {
                count = .someChecking
            } else if safety.isAccounted {
                count = count ?? .allAccounted
            } else {
                return .someUnaccounted
            }
        }
        return count ?? .someUnaccounted
    }
}
