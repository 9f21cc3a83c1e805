package import MusterCore

/// Who may see and change what, in one place. Whatever is not said here is not allowed.
///
/// A member reads itself, a leader also its team, an analyst every position, a gateway nothing; an admin does all.
package struct Access: Sendable {
    /// Who asks.
    package let principal: Principal
    /// What there is.
    package let directory: Directory

    /// The rights of a principal in a directory.
    package init(_ principal: Principal, in directory: Directory) {
        self.principal = principal
        self.directory = directory
    }

    private func isSelf(_ user: UserNumber) -> Bool { user == principal.user }

    private func isOwn(_ team: TeamNumber?) -> Bool { team != nil && team == principal.team }

    // MARK: Reading

    /// Whether positions, crossings and safety of this user may be seen.
    package func mayRead(_ user: User) -> Bool {
        switch principal.role {
        case .admin, .analyst: true
        case .leader: isSelf(user.number) || isOwn(user.team)
        case .member: isSelf(user.number)
        case .gateway: false
        }
    }

    /// Whether what this device reports may be seen.
    package func mayRead(_ device: Device) -> Bool {
        directory.users[device.user].map { mayRead($0) } ?? false
    }

    /// Whether the user's record may be seen: name, role, team. An analyst reads positions, not accounts.
    package func mayReadAccount(of user: User) -> Bool {
        switch principal.role {
        case .admin: true
        case .leader: isSelf(user.number) || isOwn(user.team)
        case .member, .analyst, .gateway: isSelf(user.number)
        }
    }

    /// Whether the team, and who of it is safe, may be seen. A member sees its team's name, not its people.
    package func mayRead(_ team: Team) -> Bool {
        switch principal.role {
        case .admin, .analyst: true
        case .leader, .member: isOwn(team.number)
        case .gateway: false
        }
    }

    /// Whether the tracker may be seen. A member's device decides by it what it crosses while there is no network.
    package func mayRead(_ tracker: Tracker) -> Bool {
        switch principal.role {
        case .admin: true
        case .leader, .member: ownTracker == tracker.number
        case .analyst, .gateway: false
        }
    }

    /// Whether the rules may be seen. They name targets and regions, not people's places.
    package var mayReadRules: Bool { principal.role == .admin || principal.role == .leader }

    /// Whether collections and regions may be seen. They are places, not people.
    package var mayReadRegions: Bool { principal.role != .gateway }

    // MARK: Changing

    /// Whether this principal may change the team itself.
    package func mayChange(_ team: Team) -> Bool {
        switch principal.role {
        case .admin: true
        case .leader: isOwn(team.number)
        case .member, .analyst, .gateway: false
        }
    }

    /// Whether devices of this user, and their tokens, may be made, and the tokens ended.
    package func mayChangeDevices(of user: User) -> Bool {
        guard principal.device == nil else { return false }
        return switch principal.role {
        case .admin: true
        case .leader: isSelf(user.number) || (isOwn(user.team) && user.role == .member)
        case .member: isSelf(user.number)
        case .analyst, .gateway: false
        }
    }

    /// Whether a user may be said to be the same person as another, or give that one a device: as an admin, or as the
    /// leader of both.
    package func mayJoin(_ user: User, to person: User) -> Bool {
        guard principal.device == nil, principal.role == .admin || principal.role == .leader else { return false }
        return mayChangeDevices(of: user) && mayChangeDevices(of: person)
    }

    /// Whether the track of this user's devices may be erased: its history deleted, or a device removed with it. A
    /// leader erases what was reported of devices that nobody made, and no person's.
    package func mayErase(_ user: User) -> Bool {
        guard principal.device == nil else { return false }
        return switch principal.role {
        case .admin: true
        case .leader: isSelf(user.number) || (isOwn(user.team) && user.isImplicit)
        case .member: isSelf(user.number)
        case .analyst, .gateway: false
        }
    }

    /// Whether this collection, and regions in it, may be put and removed: a leader's when its team's tracker is linked
    /// to it and no other team's is. What teams share is the admins' alone.
    package func mayChange(_ collection: RegionCollection) -> Bool {
        guard principal.device == nil else { return false }
        return switch principal.role {
        case .admin: true
        case .leader: isOfOwnTeam(collection) && !directory.isShared(collection)
        case .member, .analyst, .gateway: false
        }
    }

    /// Whether positions may be evaluated against this collection: a leader's when its team's tracker is linked to it.
    package func mayEvaluate(_ collection: RegionCollection) -> Bool {
        guard principal.device == nil else { return false }
        return switch principal.role {
        case .admin: true
        case .leader: isOfOwnTeam(collection)
        case .member, .analyst, .gateway: false
        }
    }

    private func isOfOwnTeam(_ collection: RegionCollection) -> Bool {
        ownTracker.flatMap { directory.trackers[$0] }?.collections.contains(collection.number) ?? false
    }

    /// Who is told to have reported a position of this device; nil where the device itself, or its user, does.
    package func reporter(of device: DeviceNumber) -> UserNumber? {
        directory.devices[device].flatMap { isSelf($0.user) ? nil : principal.user }
    }

    /// Whether a position of this device may come from this principal.
    package func mayReport(for device: Device) -> Bool {
        if let own = principal.device { return own == device.number }
        return switch principal.role {
        case .admin, .gateway: true
        case .leader:
            isSelf(device.user) || directory.users[device.user].map { $0.isImplicit && isOwn($0.team) } ?? false
        case .member, .analyst: isSelf(device.user)
        }
    }

    /// Whether positions of any device of this team may come from this principal, also of one that nobody made.
    package func mayReportForAnyone(of team: Team) -> Bool {
        guard principal.device == nil else { return false }
        return switch principal.role {
        case .admin, .gateway: true
        case .leader: isOwn(team.number)
        case .member, .analyst: false
        }
    }

    /// Whether this principal may set this user's password: its own, or as admin anyone's.
    package func mayChangePassword(of user: User) -> Bool {
        principal.device == nil && (principal.role == .admin || isSelf(user.number))
    }

    /// Whether users may be made.
    package var mayMakeUsers: Bool { principal.device == nil && principal.role == .admin }

    /// Whether API keys of this user may be listed, made and removed.
    package func mayChangeKeys(of user: User) -> Bool {
        principal.device == nil && (principal.role == .admin || isSelf(user.number))
    }

    // MARK: The log

    /// Whether a change of the log may be told.
    ///
    /// What is gone from the directory, and so belongs to nobody any more, only those hear of who see everything.
    package func maySee(_ change: Change) -> Bool {
        switch change {
        case .position(_, of: let device, isCurrent: _): maySee(device)
        case .sighting(_, of: let device, isCurrent: _), .note(_, of: let device): maySee(device)
        case .crossing(let crossing): maySee(crossing.device)
        case .presence(let report): maySee(report.device)
        case .belief(_, of: let device): maySee(device)
        case .safety(_, of: let user), .reminder(_, of: let user, count: _): maySee(user)
        case .declaration(let declaration, isCurrent: _): maySee(declaration.subject)
        case .incident(let incident): directory.teams[incident.team].map { mayRead($0) } ?? seesEverything
        case .roll(_, of: let team):
            directory.teams[team].map { mayRead($0) && principal.role != .member } ?? seesEverything
        case .region: mayReadRegions
        case .directory(let entry, removed: _): maySee(entry)
        case .posted: seesEverything
        case .document(let touch): maySeeDocuments(of: touch.database)
        case .action(let action): maySee(action)
        }
    }

    /// What is done to someone's credentials is told to that person, and to those who could have done it.
    private func maySee(_ action: Action) -> Bool {
        if seesEverything { return true }
        guard principal.device == nil, let user = action.user else { return false }
        if isSelf(user) { return true }
        return action.device != nil && directory.users[user].map { mayChangeDevices(of: $0) } ?? false
    }

    private func maySee(_ user: UserNumber) -> Bool { directory.users[user].map { mayRead($0) } ?? false }

    private func maySee(_ device: DeviceNumber) -> Bool { directory.devices[device].map { mayRead($0) } ?? false }

    private func maySee(_ entry: DirectoryEntry) -> Bool {
        switch entry {
        case .user(let user): directory.users[user].map { mayReadAccount(of: $0) } ?? seesEverything
        case .team(let team): directory.teams[team].map { mayRead($0) } ?? seesEverything
        case .device(let device): directory.devices[device].map { mayRead($0) } ?? seesEverything
        case .tracker(let tracker): directory.trackers[tracker].map { mayRead($0) } ?? seesEverything
        case .collection: mayReadRegions
        case .rule, .target, .database: seesEverything
        }
    }

    /// A user's locations are its own, and the analyst's; whatever else is in databases is for the admin here.
    private func maySeeDocuments(of database: DatabaseNumber) -> Bool {
        guard let user = database.user else { return seesEverything }
        return isSelf(user) || principal.role == .analyst || seesEverything
    }

    var seesEverything: Bool { principal.role == .admin }

    /// The tracker of the principal's own team.
    package var ownTracker: TrackerNumber? { principal.team.flatMap { directory.teams[$0]?.tracker } }
}
