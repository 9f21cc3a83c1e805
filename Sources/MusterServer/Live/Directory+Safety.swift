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
    package func named(_ entry: IncidentEntry) -> NamedRecordLine {
        NamedRecordLine(
            at: entry.at, user: nameOnRecord(of: entry.person), event: entry.event, safety: named(entry.safety),
            lastSeen: entry.lastSeen)
    }

    /// A roll call.
    ///
    /// - Parameters:
    ///   - entries: the newest line of everyone on the record.
    ///   - lastSeen: where someone last was.
    package func roll(
        of incident: Incident, _ entries: [IncidentEntry], lastSeen: (IncidentEntry) -> LastSeen?
    ) -> NamedRoll {
        let people = entries.map { entry in
            NamedRoll.Person(
                user: nameOnRecord(of: entry.person), hasLeft: entry.event == .left, safety: named(entry.safety),
                lastSeen: lastSeen(entry))
        }
        return NamedRoll(named(incident), people: people)
    }

    /// What a record calls someone: it is kept longer than they are.
    private func nameOnRecord(of person: UserNumber) -> String {
        users[person]?.name ?? "removed person \(gone(person))"
    }

    /// An incident.
    package func named(_ incident: Incident) -> NamedIncident {
        let closer: UserNumber? = if case .byHand(let user, _)? = incident.closing?.how { user } else { nil }
        return NamedIncident(
            incident, team: teams[incident.team]?.name ?? gone(incident.team),
            startedBy: name(of: incident.startedBy), closedBy: closer.map { name(of: $0) })
    }
}
