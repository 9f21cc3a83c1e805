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

    /// An incident.
    package func named(_ incident: Incident) -> NamedIncident {
        let closer: UserNumber? = if case .byHand(let user, _)? = incident.closing?.how { user } else { nil }
        return NamedIncident(
            incident, team: teams[incident.team]?.name ?? gone(incident.team),
            startedBy: name(of: incident.startedBy), closedBy: closer.map { name(of: $0) })
    }
}
