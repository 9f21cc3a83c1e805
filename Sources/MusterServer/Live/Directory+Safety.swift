package import MusterCore
package import MusterWire

/// Replaces numbers by names in records about safety. An object that the directory no longer holds is named by its
/// number, `#7`.
extension Directory {
    /// The user's name, or its number where the user no longer exists.
    package func name(of user: UserNumber) -> String { users[user]?.name ?? gone(user) }

    /// A person's safety, with names.
    package func named(_ safety: Safety) -> NamedSafety {
        let author: UserNumber? = if case .marked(let user) = safety.source { user } else { nil }
        return NamedSafety(
            safety, region: safety.region.map { named($0) }, markedBy: author.map { name(of: $0) },
            acknowledgedBy: safety.acknowledgedBy.map { name(of: $0) })
    }

    package func named(_ timer: CheckInTimer) -> NamedCheckInTimer {
        NamedCheckInTimer(timer, setBy: name(of: timer.setBy), turnBy: timer.turnBy.map { name(of: $0) })
    }

    package func named(_ declaration: Declaration, isLate: Bool) -> NamedDeclaration {
        NamedDeclaration(
            declaration, user: name(of: declaration.subject), author: name(of: declaration.author),
            device: declaration.device.map { qualifiedName(of: $0) ?? gone($0) }, isLate: isLate)
    }

    /// A line of an incident's record, with names.
    ///
    /// - Parameter names: the names that the record keeps for people who are not users of the directory.
    package func named(_ entry: IncidentEntry, _ names: [UserNumber: String] = [:]) -> NamedRecordLine {
        NamedRecordLine(
            at: entry.at, person: entry.person,
            user: entry.event.isMilestone ? nil : nameOnRecord(of: entry.person, entry.name ?? names[entry.person]),
            event: entry.event, safety: named(entry.safety), lastSeen: entry.lastSeen,
            author: entry.author.map { name(of: $0) }, note: entry.note, detail: entry.detail,
            leader: entry.event == .handedOver ? leaderName(in: entry) : nil,
            formerLeader: formerLeader(in: entry.detail))
    }

    /// The name of the user who led an incident until it was handed over; nil where nobody did.
    private func formerLeader(in detail: IncidentDetail?) -> String? {
        guard case .handedOver(_, let former?)? = detail else { return nil }
        return name(of: former)
    }

    /// The name of the user to whom an incident was handed over; of a removed user the name that the record keeps.
    private func leaderName(in entry: IncidentEntry) -> String? {
        guard case .handedOver(let leader, _)? = entry.detail else { return entry.name }
        return users[leader]?.name ?? entry.name ?? gone(leader)
    }

    /// What a change of an incident says of PAR or of a handover, with names.
    package func named(_ news: Incident.News) -> NamedIncidentNews {
        let leader: UserNumber? = if case .handedOver(let leader, _) = news.detail { leader } else { nil }
        return NamedIncidentNews(
            detail: news.detail, at: news.at, by: news.by.map { name(of: $0) }, leader: leader.map { name(of: $0) },
            formerLeader: formerLeader(in: news.detail))
    }

    /// A round of PAR, with names.
    package func named(_ round: PARRound) -> NamedPARRound {
        NamedPARRound(
            round, requestedBy: round.requestedBy.map { name(of: $0) },
            reporters: round.crews.map { $0.reportedBy.map { name(of: $0) } })
    }

    /// The PAR of an incident, with names.
    package func named(_ course: PARCourse) -> NamedPAR {
        NamedPAR(newest: course.newest.map { named($0) }, timer: course.timer, nextAt: course.nextAt)
    }

    /// The name of a person on a record. The record may be kept longer than the user exists.
    ///
    /// - Parameter kept: the name that the record keeps for a visitor whom a leader put on the roll, or for a user
    ///   removed while on it.
    func nameOnRecord(of person: UserNumber, _ kept: String?) -> String {
        users[person]?.name ?? kept ?? "removed person \(gone(person))"
    }

    package func named(_ incident: Incident) -> NamedIncident {
        let closer: UserNumber? = if case .byHand(let user, _)? = incident.closing?.how { user } else { nil }
        var named = NamedIncident(
            incident, team: teams[incident.team]?.name ?? gone(incident.team),
            startedBy: name(of: incident.startedBy), leader: incident.leader.map { name(of: $0) },
            closedBy: closer.map { name(of: $0) },
            reopenedBy: incident.reopening.map { name(of: $0.by) })
        named.displayNames = displayNames(for: incident.users)
        return named
    }
}
