/// The state "all accounted" of an open incident. The engine derives it from the roll, and the incident can leave it
/// again.
extension Engine {
    /// Derives whether everyone on the roll of a team's open incident is accounted for, and reports a change. While the
    /// engine decides many people at once (`Decision.defersRecount`) it does nothing, so that it reports no state that
    /// nobody could have seen.
    ///
    /// - Complexity: O(people on the roll) at worst; it ends at the first person who is not accounted for.
    func recount(_ team: TeamNumber, now: Instant, into decision: inout Decision) {
        guard !decision.defersRecount, var incident = openIncident(of: team, after: decision) else { return }
        let count = count(of: roll(of: incident.number, after: decision), after: decision)
        if (count != .someMissing) != (incident.allAccountedAt != nil) {
            let isEntered = count != .someMissing
            incident.allAccountedAt = isEntered ? now : nil
            incident.turn = isEntered ? .allAccounted : .notAllAccounted
            decision.incidents[team] = incident
            decision.scratch.changes.append(.incident(incident))
            decision.entries.append(
                IncidentEntry(isEntered ? .allAccounted : .notAllAccounted, of: incident.number, at: now))
        }
        let before = decision.undoubtedSince[incident.number] ?? undoubtedSince[incident.number]
        if (count == .allUndoubted) != (before != nil) {
            decision.undoubtedSince[incident.number] = .some(count == .allUndoubted ? now : nil)
        }
    }

    /// Closes a team's open incident when the team chose so and everyone stayed accounted for, without doubt, long
    /// enough.
    func closeWhenStayedAccounted(_ team: TeamNumber, now: Instant, into decision: inout Decision) {
        guard let incident = openIncident(of: team, after: decision), incident.allAccountedAt != nil,
            let since = decision.undoubtedSince[incident.number] ?? undoubtedSince[incident.number]
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

    private enum Count {
        case someMissing, allAccounted, allUndoubted
    }

    /// Counts who on the roll is accounted for. An empty roll counts as not accounted for.
    private func count(of roll: Roll, after decision: Decision) -> Count {
        var isEmpty = true
        var isUndoubted = true
        for (person, member) in roll.members where member.takenOff == nil {
            let safety = safety(of: person, member, after: decision)
            guard safety.state.isAccounted else { return .someMissing }
            if !safety.isAccountedWithoutDoubt { isUndoubted = false }
            isEmpty = false
        }
        return isEmpty ? .someMissing : isUndoubted ? .allUndoubted : .allAccounted
    }
}

extension Safety {
    /// Whether the person is accounted for and no doubt about that is known.
    var isAccountedWithoutDoubt: Bool { state.isAccounted && doubt == nil }
}
