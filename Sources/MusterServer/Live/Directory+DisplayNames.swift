package import MusterCore
package import MusterWire

/// What people are called, in answers and messages.
extension Directory {
    /// What people call a user, with the sign-in name that tells users of one display name apart: `Ana Ruiz (aruiz)`.
    /// The sign-in name alone for a user without a display name, and the number for one who no longer exists.
    ///
    /// For plain text: characters that isolate its direction stand around a display name that is written from right to
    /// left, so that it turns no text around it.
    package func spokenName(of user: UserNumber) -> String {
        guard let displayName = users[user]?.displayName else { return name(of: user) }
        let turns = displayName.unicodeScalars.contains { $0.isRightToLeft }
        let shown = turns ? "\u{2068}\(displayName)\u{2069}" : displayName
        return "\(shown) (\(name(of: user)))"
    }

    /// Returns the display names of those of these users who have one, by their sign-in names.
    package func displayNames(for people: some Sequence<UserNumber?>) -> DisplayNames {
        people.reduce(into: [:]) { names, person in
            guard let user = person.flatMap({ users[$0] }) else { return }
            names[user.name] = user.displayName
        }
    }

    /// Returns the display names of the users whom a change names; empty for what devices report, of which there is
    /// much: clients know these people from elsewhere.
    func displayNames(in change: Change) -> DisplayNames {
        switch change {
        case .safety(let safety, let user), .reminder(let safety, let user, count: _):
            displayNames(for: [user] + safety.users)
        case .declaration(let declaration, isCurrent: _): displayNames(for: [declaration.subject, declaration.author])
        case .checkInTimer(let timer, let user): displayNames(for: [user, timer.setBy, timer.turnBy])
        case .pause(_, of: let user): displayNames(for: [user])
        case .incident(let incident): displayNames(for: incident.users + (incident.news.map { $0.users } ?? []))
        case .roll(let entry, of: _): displayNames(for: entry.users)
        case .attendance(let report): displayNames(for: [report.subject.person, report.by, report.who])
        case .proximity(let report): displayNames(for: [report.centre.person, report.by, report.who])
        case .action(let action): displayNames(for: [action.author, action.user])
        case .position, .sighting, .note, .signal, .range, .crossing, .presence, .belief, .region, .directory, .posted,
            .document, .dataset:
            [:]
        }
    }
}

extension Unicode.Scalar {
    /// Whether the character is of a block of scripts that are written from right to left (UAX 44, `Bidi_Class`).
    fileprivate var isRightToLeft: Bool {
        switch value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }
}

extension Safety {
    /// The users who say how the person is, or heard the person's call.
    package var users: [UserNumber?] {
        let author: UserNumber? = if case .marked(let user) = source { user } else { nil }
        return [author, acknowledgedBy]
    }
}

extension Incident {
    /// The users who started, lead, closed and reopened it.
    package var users: [UserNumber?] {
        let closer: UserNumber? = if case .byHand(let user, _)? = closing?.how { user } else { nil }
        return [startedBy, leader, closer, reopening?.by]
    }
}

extension Incident.News {
    fileprivate var users: [UserNumber?] { [by] + detail.users }
}

extension IncidentDetail {
    fileprivate var users: [UserNumber?] {
        guard case .handedOver(let leader, let former) = self else { return [] }
        return [leader, former]
    }
}

extension IncidentEntry {
    /// The users whom the line names.
    package var users: [UserNumber?] { [person, author] + safety.users + (detail?.users ?? []) }
}

extension ProximityRule.Centre {
    fileprivate var person: UserNumber? { if case .person(let user) = self { user } else { nil } }
}

extension PARCourse {
    /// The users who requested and reported the newest round.
    package var users: [UserNumber?] { [newest?.requestedBy] + (newest?.crews.map(\.reportedBy) ?? []) }
}
