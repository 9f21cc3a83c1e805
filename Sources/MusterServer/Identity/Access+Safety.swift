package import MusterCore
package import MusterStore

/// Who may say what of whom, and lead through an incident.
extension Access {
    /// Whether this principal may declare this of a user: anyone of itself, a leader of its team's people, an admin of
    /// all. A device's own token speaks for its owner. Nobody acknowledges a call of its own: that someone else has
    /// heard it is what it says.
    package func mayDeclare(_ kind: Declaration.Kind, of user: User) -> Bool {
        let isOwnCall = user.number == principal.user
        if kind == .acknowledge { return !isOwnCall && mayLead(user) }
        return (isOwnCall && principal.role != .gateway && principal.role != .analyst) || mayLead(user)
    }

    private func mayLead(_ user: User) -> Bool {
        guard principal.device == nil else { return false }
        return switch principal.role {
        case .admin: true
        case .leader: user.team != nil && user.team == principal.team
        case .member, .analyst, .gateway: false
        }
    }

    /// Whether this principal may start, close and reopen incidents of a team, and change their rolls by hand.
    package func mayLead(_ team: Team) -> Bool { principal.device == nil && mayChange(team) }

    /// Whether this principal may let real incidents of a team close by themselves.
    package var mayLetRealIncidentsClose: Bool { principal.device == nil && principal.role == .admin }

    /// Whether an incident's roll and report may be seen: of a team that is gone, by an admin alone.
    package func mayReadRoll(of incident: Incident) -> Bool {
        guard let team = directory.teams[incident.team] else { return seesEverything }
        return mayRead(team) && principal.role != .member
    }

    /// Whether it may be seen that an incident is, and how it ended.
    package func mayRead(_ incident: Incident) -> Bool {
        directory.teams[incident.team].map { mayRead($0) } ?? seesEverything
    }

    /// Whether an entry of the audit log may be seen: a leader's when it concerns the people, devices, tracker or
    /// regions of its team.
    package func maySee(_ entry: AuditEntry) -> Bool {
        guard principal.device == nil else { return false }
        switch principal.role {
        case .admin: return true
        case .leader: break
        case .member, .analyst, .gateway: return false
        }
        switch entry.change {
        case .region(_, in: let collection, removed: _), .directory(.collection(let collection), removed: _):
            return directory.collections[collection].map { mayEvaluate($0) } ?? false
        default: return maySee(entry.change)
        }
    }
}
