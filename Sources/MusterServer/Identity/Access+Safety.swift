package import MusterCore
package import MusterStore

/// Rights to make declarations about people, to keep their check-in timers, and to run incidents.
extension Access {
    /// Whether this principal may make this declaration about a user. Users declare for themselves, leaders for the
    /// people of their team, admins for everyone. A device token acts for the device's owner. Nobody may acknowledge
    /// their own call for help: an acknowledgement means that someone else has heard it.
    package func mayDeclare(_ kind: Declaration.Kind, of user: User) -> Bool {
        let isOwnCall = user.number == principal.user
        if kind == .acknowledge { return !isOwnCall && mayLead(user) }
        return (isOwnCall && [.admin, .leader, .member].contains(principal.role)) || mayLead(user)
    }

    /// Whether this principal may say that a user has seen the call of an incident. Only the user may, signed in or by
    /// the token of their device, because nobody else knows.
    package func mayAcknowledgeCall(of user: User) -> Bool { user.number == principal.user }

    /// Whether this principal may see and keep a user's check-in timer: the person, the leaders of the team, and
    /// admins. An analyst, who sees where people are, does not see when check-ins are due.
    package func mayKeepTimer(of user: User) -> Bool {
        user.role != .gateway && ((user.number == principal.user && principal.role != .analyst) || mayLead(user))
    }

    /// Whether this principal may begin and end a user's pause. Only the user may, signed in: a pause explains the
    /// user's silence, so neither a leader nor the bearer of a device's token may begin one for them.
    package func mayPause(_ user: User) -> Bool {
        principal.device == nil && user.number == principal.user && user.role != .gateway
    }

    /// Whether this principal may see a team's attendance and proximity rules and their reports, which show where
    /// people are.
    package func mayReadAttendance(of team: Team) -> Bool { mayRead(team) && principal.role != .member }

    /// Whether this principal may start an incident of the user's team.
    package func mayStartIncident(for user: User) -> Bool { user.team != nil && mayLead(user) }

    /// Whether a user's timer or rule may start incidents of a team.
    static func mayStartIncidents(of team: TeamNumber, _ number: UserNumber, in directory: Directory) -> Bool {
        mayLeadIncidents(of: team, number, in: directory)
    }

    /// Whether a user may lead incidents of a team: its leaders and admins may.
    package static func mayLeadIncidents(
        of team: TeamNumber, _ number: UserNumber, in directory: Directory
    ) -> Bool {
        guard let user = directory.users[number] else { return false }
        return user.role == .admin || (user.role == .leader && user.team == team)
    }

    private func mayLead(_ user: User) -> Bool {
        guard principal.device == nil else { return false }
        return switch principal.role {
        case .admin: true
        case .leader: user.team != nil && user.team == principal.team
        case .member, .analyst, .gateway, .guest: false
        }
    }

    /// Whether this principal may start, close and reopen incidents of a team and change their rolls by hand.
    package func mayLead(_ team: Team) -> Bool { principal.device == nil && mayChange(team) }

    /// Whether this principal may let a team's real incidents close automatically.
    package var mayLetRealIncidentsClose: Bool { principal.device == nil && principal.role == .admin }

    /// Whether this principal may read an incident's roll and report. Once the team has been removed, only those who
    /// see everything may.
    package func mayReadRoll(of incident: Incident) -> Bool {
        guard let team = directory.teams[incident.team] else { return seesEverything }
        return mayRead(team) && principal.role != .member
    }

    /// Whether this principal may see that an incident exists and how it ended.
    package func mayRead(_ incident: Incident) -> Bool {
        directory.teams[incident.team].map { mayRead($0) } ?? seesEverything
    }

    /// The incidents of which this principal may see that they exist, as `mayRead(_:)` decides.
    package var incidentReach: IncidentReach {
        switch principal.role {
        case .admin, .analyst: .all
        case .leader, .member: principal.team.map { .team($0) } ?? .none
        case .gateway, .guest: .none
        }
    }

    /// Whether this principal may see an entry of the audit log. A leader may when the entry concerns the people,
    /// devices, tracker or regions of the leader's team, and an analyst when it concerns what analysts may read.
    package func maySee(_ entry: AuditEntry) -> Bool {
        guard principal.device == nil else { return false }
        switch principal.role {
        case .admin: return true
        case .leader: break
        case .analyst: return maySee(entry.change)
        case .member, .gateway, .guest: return false
        }
        switch entry.change {
        case .region(_, in: let collection, removed: _), .directory(.collection(let collection), removed: _):
            return directory.collections[collection].map { mayEvaluate($0) } ?? false
        default: return maySee(entry.change)
        }
    }

    /// Whether this principal may read what an edit changed, of an entry that it may see. Of a user only an admin may:
    /// the user may have been in another team then.
    package func mayReadDetails(of entry: AuditEntry) -> Bool {
        if case .directory(.user, removed: _) = entry.change { return seesEverything }
        return true
    }

    /// Whether this principal may read which user of the server's system used the command line.
    package var mayReadOperators: Bool { principal.role != .analyst }
}

/// A set of incidents, by the team that they are of.
package enum IncidentReach: Hashable, Sendable {
    case none
    case team(TeamNumber)
    case all

    /// Whether the set has an incident.
    package func includes(_ incident: Incident) -> Bool {
        switch self {
        case .none: false
        case .team(let team): incident.team == team
        case .all: true
        }
    }
}
