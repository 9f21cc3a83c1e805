package import MusterCore
package import MusterWire

/// People's safety in names. Who is gone is named by a number, `#7`.
extension Directory {
    /// A user's name.
    package func name(of user: UserNumber) -> String { users[user]?.name ?? gone(user) }

    /// How someone is.
    package func named(_ safety: Safety) -> NamedSafety {
        let author: UserNumber? = if case .marked(let user) = safety.source { user } else { nil }
        return NamedSafety(
            safety, region: safety.region.map { named($0) }, markedBy: author.map { name(of: $0) },
            acknowledgedBy: safety.acknowledgedBy.map { name(of: $0) })
    }

    /// What was said of someone.
    package func named(_ declaration: Declaration, isLate: Bool) -> NamedDeclaration {
        NamedDeclaration(
            declaration, user: name(of: declaration.subject), author: name(of: declaration.author),
            device: declaration.device.map { qualifiedName(of: $0) ?? gone($0) }, isLate: isLate)
    }

    /// A line of an incident's record.
    ///
    /// - Parameter names: what the record calls people who are no users of the directory.
    package func named(_ entry: IncidentEntry, _ names: [UserNumber: String] = [:]) -> NamedRecordLine {
        NamedRecordLine(
            at: entry.at, person: entry.person,
            user: entry.event.isMilestone ? nil : nameOnRecord(of: entry.person, entry.name ?? names[entry.person]),
            event: entry.event, safety: named(entry.safety), lastSeen: entry.lastSeen,
            author: entry.author.map { name(of: $0) }, note: entry.note)
    }

    /// What a record calls someone: it is kept longer than they are.
    ///
    /// - Parameter kept: what it kept of one whom a leader put on the roll, or who was removed while on it.
    func nameOnRecord(of person: UserNumber, _ kept: String?) -> String {
        users[person]?.name ?? kept ?? "removed person \(gone(person))"
    }

    /// An incident.
    package func named(_ incident: Incident) -> NamedIncident {
        let closer: UserNumber? = if case .byHand(let user, _)? = incident.closing?.how { user } else { nil }
        return NamedIncident(
            incident, team: teams[incident.team]?.name ?? gone(incident.team),
            startedBy: name(of: incident.startedBy), closedBy: closer.map { name(of: $0) },
            reopenedBy: incident.reopening.map { name(of: $0.by) })
    }
}
