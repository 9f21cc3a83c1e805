package import MusterCore

/// The rights of a principal to see and change things, all in one place. These methods name every right; anything else
/// is forbidden.
///
/// A member reads their own data, a leader also the team's, an analyst every position, a gateway nothing. A guest has
/// only the right to datasets of their own. An admin may do everything except what only an owner may: read the
/// datasets, and report ranges or agree to them.
package struct Access: Sendable {
    /// The principal whose rights these are.
    package let principal: Principal
    /// The directory that the rights depend on.
    package let directory: Directory

    /// The rights of a principal in a directory.
    package init(_ principal: Principal, in directory: Directory) {
        self.principal = principal
        self.directory = directory
    }

    private func isSelf(_ user: UserNumber) -> Bool { user == principal.user }

    private func isOwn(_ team: TeamNumber?) -> Bool { team != nil && team == principal.team }

    // MARK: Reading

    /// Whether the principal may read this user's positions, crossings and safety.
    package func mayRead(_ user: User) -> Bool {
        switch principal.role {
        case .admin, .analyst: true
        case .leader: isSelf(user.number) || isOwn(user.team)
        case .member: isSelf(user.number)
        case .gateway, .guest: false
        }
    }

    /// The users whose positions, crossings and safety the principal may read. For a member the cost does not grow with
    /// the number of users.
    package var readableUsers: [User] {
        switch principal.role {
        case .admin, .analyst: Array(directory.users.all)
        case .leader: directory.users.all.filter { mayRead($0) }
        case .member, .gateway, .guest: directory.users[principal.user].map { mayRead($0) ? [$0] : [] } ?? []
        }
    }

    /// Whether the principal may read what is about other people: a team's, or everyone's.
    package var readsOthers: Bool {
        switch principal.role {
        case .admin, .analyst, .leader: principal.device == nil
        case .member, .gateway, .guest: false
        }
    }

    /// Whether the principal may read what is about the people of every team, and not of one alone.
    package var readsEveryTeam: Bool { readsOthers && principal.role != .leader }

    /// Whether the principal may read what this device reports.
    package func mayRead(_ device: Device) -> Bool {
        directory.users[device.user].map { mayRead($0) } ?? false
    }

    /// Whether the principal may read the user's record: name, role, team, contacts. An analyst reads positions, not
    /// accounts.
    package func mayReadAccount(of user: User) -> Bool {
        switch principal.role {
        case .admin: true
        case .leader: isSelf(user.number) || isOwn(user.team)
        case .member, .analyst, .gateway: isSelf(user.number)
        case .guest: false
        }
    }

    /// Whether the principal may know the user's name. A principal who may read the positions or the account may.
    package func mayKnow(_ user: User) -> Bool { mayRead(user) || mayReadAccount(of: user) }

    /// Whether the principal may read the user's e-mail address and telephone number: who may read the record may, but
    /// for the token of a device, which can get into other hands with the device.
    package func mayReadContacts(of user: User) -> Bool { principal.device == nil && mayReadAccount(of: user) }

    /// Whether the principal may read the team and the safety of its people. A member sees the team's name, not its
    /// people.
    package func mayRead(_ team: Team) -> Bool {
        switch principal.role {
        case .admin, .analyst: true
        case .leader, .member: isOwn(team.number)
        case .gateway, .guest: false
        }
    }

    /// Whether the principal may read the tracker. A member's device needs it to detect crossings while offline.
    package func mayRead(_ tracker: Tracker) -> Bool {
        switch principal.role {
        case .admin: true
        case .leader, .member: ownTracker == tracker.number
        case .analyst, .gateway, .guest: false
        }
    }

    /// Whether the principal may read collections and regions. They are places, not people.
    package var mayReadRegions: Bool { principal.role != .gateway && principal.role != .guest }

    // MARK: Changing

    /// Whether the principal may change the team itself.
    package func mayChange(_ team: Team) -> Bool {
        switch principal.role {
        case .admin: true
        case .leader: isOwn(team.number)
        case .member, .analyst, .gateway, .guest: false
        }
    }

    /// Whether the principal may create this user's devices and their tokens, and revoke the tokens.
    package func mayChangeDevices(of user: User) -> Bool {
        guard principal.device == nil else { return false }
        return switch principal.role {
        case .admin: true
        case .leader: isSelf(user.number) || (isOwn(user.team) && user.role == .member)
        case .member: isSelf(user.number)
        case .analyst, .gateway, .guest: false
        }
    }

    /// Whether the principal may give a device of this user a tag, which scanners hear. A member may not: the tag could
    /// be another person's, whose positions the member would then see.
    package func mayGiveTag(to user: User) -> Bool {
        (principal.role == .admin || principal.role == .leader) && mayChangeDevices(of: user)
    }

    /// Whether the principal may merge a user into another, or move one's device to the other. Admins may; so may a
    /// leader of both.
    package func mayJoin(_ user: User, to person: User) -> Bool {
        guard principal.device == nil, principal.role == .admin || principal.role == .leader else { return false }
        return mayChangeDevices(of: user) && mayChangeDevices(of: person)
    }

    /// Whether the principal may erase the track of this user's devices: delete its history, or remove a device with
    /// its history. A leader may erase only their own track and those of implicit users, whom an endpoint created,
    /// never another person's.
    package func mayErase(_ user: User) -> Bool {
        guard principal.device == nil else { return false }
        return switch principal.role {
        case .admin: true
        case .leader: isSelf(user.number) || (isOwn(user.team) && user.isImplicit)
        case .member: isSelf(user.number)
        case .analyst, .gateway, .guest: false
        }
    }

    /// Whether the principal may change this collection and its regions. A leader may when only the leader's own team's
    /// tracker is linked to it. Only admins change collections that teams share. No user changes official warnings,
    /// which the server keeps as their feed has them.
    package func mayChange(_ collection: RegionCollection) -> Bool {
        guard principal.device == nil, !collection.isOfWarnings else { return false }
        return switch principal.role {
        case .admin: true
        case .leader: isOfOwnTeam(collection) && !directory.isShared(collection)
        case .member, .analyst, .gateway, .guest: false
        }
    }

    /// Whether the principal may evaluate positions against this collection. A leader may when the team's tracker is
    /// linked to it.
    package func mayEvaluate(_ collection: RegionCollection) -> Bool {
        guard principal.device == nil else { return false }
        return switch principal.role {
        case .admin: true
        case .leader: isOfOwnTeam(collection)
        case .member, .analyst, .gateway, .guest: false
        }
    }

    private func isOfOwnTeam(_ collection: RegionCollection) -> Bool {
        ownTracker.flatMap { directory.trackers[$0] }?.collections.contains(collection.number) ?? false
    }

    /// The user to record as the reporter of a position of this device; nil where the device itself, or its user,
    /// reports.
    package func reporter(of device: DeviceNumber) -> UserNumber? {
        directory.devices[device].flatMap { isSelf($0.user) ? nil : principal.user }
    }

    /// Whether this principal may report positions of this device.
    package func mayReport(for device: Device) -> Bool {
        if let own = principal.device { return own == device.number }
        return switch principal.role {
        case .admin, .gateway: true
        case .leader:
            isSelf(device.user) || directory.users[device.user].map { $0.isImplicit && isOwn($0.team) } ?? false
        case .member, .analyst: isSelf(device.user)
        case .guest: false
        }
    }

    /// Whether this principal may report positions of any device of this team, including devices that do not exist yet.
    package func mayReportForAnyone(of team: Team) -> Bool {
        guard principal.device == nil else { return false }
        return switch principal.role {
        case .admin, .gateway: true
        case .leader: isOwn(team.number)
        case .member, .analyst, .guest: false
        }
    }

    /// Whether this principal may set this user's password. Users set their own; admins set anyone's.
    package func mayChangePassword(of user: User) -> Bool {
        principal.device == nil && (principal.role == .admin || isSelf(user.number))
    }

    /// Whether the principal may create users, and change everything about a user but the crew.
    package var mayChangeAccounts: Bool { principal.device == nil && principal.role == .admin }

    /// Whether the principal may list, create and revoke this user's API keys.
    package func mayChangeKeys(of user: User) -> Bool {
        principal.device == nil && (principal.role == .admin || isSelf(user.number))
    }

    /// Whether the principal may send test messages to this user's push devices.
    package func mayTestPushes(to user: User) -> Bool {
        principal.device == nil && (principal.role == .admin || isSelf(user.number))
    }

    /// Whether the principal may ask this user where they are. A leader may ask the people of the team.
    package func mayAskForLocation(of user: User) -> Bool {
        guard principal.device == nil else { return false }
        return principal.role == .admin || (principal.role == .leader && isOwn(user.team))
    }

    // MARK: The log

    /// Whether the principal may see a change of the log.
    ///
    /// A change about something that the directory no longer holds has no owner. Nobody may see what a removed user or
    /// device reported, and only an admin may see any other such change.
    package func maySee(_ change: Change) -> Bool {
        switch change {
        case .position(_, of: let device, isCurrent: _): maySee(device)
        case .sighting(_, of: let device, isCurrent: _), .note(_, of: let device): maySee(device)
        case .signal(_, of: let device): maySee(device)
        case .range(let range, of: let device, isCurrent: _): maySeeRange(of: device, to: range.peer)
        case .crossing(let crossing): maySee(crossing.device)
        case .presence(let report): maySee(report.device)
        case .belief(_, of: let device): maySee(device)
        case .safety(_, of: let user), .reminder(_, of: let user, count: _), .pause(_, of: let user): maySee(user)
        case .declaration(let declaration, isCurrent: _): maySee(declaration.subject)
        case .checkInTimer(_, of: let user): directory.users[user].map { mayKeepTimer(of: $0) } ?? seesEverything
        case .attendance(let report):
            directory.teams[report.team].map { mayReadAttendance(of: $0) } ?? seesEverything
        case .proximity(let report):
            directory.teams[report.team].map { mayReadAttendance(of: $0) } ?? seesEverything
        case .incident(let incident):
            incident.turn.isPAR ? mayReadRoll(of: incident) : mayRead(incident)
        case .roll(_, of: let team):
            directory.teams[team].map { mayRead($0) && principal.role != .member } ?? seesEverything
        case .region: mayReadRegions
        case .directory(let entry, removed: _): maySee(entry)
        case .posted: seesEverything
        // A dataset is visible only to its owner, not even to an admin.
        case .dataset(let touch): principal.device == nil && isSelf(touch.owner)
        case .document(let touch): maySeeDocuments(of: touch.database)
        case .action(let action): maySee(action)
        }
    }

    /// Whether the principal may see how far one device was from another: a principal who may read both devices may,
    /// and so may the owner of either.
    package func maySeeRange(of device: DeviceNumber, to peer: DeviceNumber) -> Bool {
        guard let one = directory.devices[device], let other = directory.devices[peer] else { return false }
        if mayRead(one) && mayRead(other) { return true }
        return (isSelf(one.user) && mayRead(one)) || (isSelf(other.user) && mayRead(other))
    }

    /// Whether the principal may let others report how far they are from this device: its owner alone, in person or by
    /// the device's own token.
    package func mayAgreeToRanges(of device: Device) -> Bool {
        isSelf(device.user) && principal.device.map { $0 == device.number } ?? true
    }

    /// Whether the principal may report how far this device is from others: its owner alone, because to report is to
    /// agree.
    package func mayReportRanges(of device: Device) -> Bool { isSelf(device.user) && mayReport(for: device) }

    /// Whether the action asks the principal's own devices where they are. True for a device token, too.
    package func isAskedForLocation(by action: Action) -> Bool {
        action.kind == .locationAsked && action.user.map { isSelf($0) } ?? false
    }

    /// Whether the principal may see an action: an admin every one, others those on their own credentials and on
    /// devices that they may change.
    private func maySee(_ action: Action) -> Bool {
        if seesEverything { return true }
        guard principal.device == nil else { return false }
        // Leaders see what becomes of their own links, and of those about the people of the team.
        let isLeadersLink = action.kind.isOfLink && principal.role == .leader
        if isLeadersLink && isSelf(action.author) { return true }
        guard let user = action.user else { return false }
        if isLeadersLink, let team = directory.users[user]?.team, isOwn(team) { return true }
        if isSelf(user) { return true }
        return action.device != nil && directory.users[user].map { mayChangeDevices(of: $0) } ?? false
    }

    private func maySee(_ user: UserNumber) -> Bool { directory.users[user].map { mayRead($0) } ?? false }

    private func maySee(_ device: DeviceNumber) -> Bool { directory.devices[device].map { mayRead($0) } ?? false }

    private func maySee(_ entry: DirectoryEntry) -> Bool {
        switch entry {
        case .user(let user): directory.users[user].map { mayReadAccount(of: $0) } ?? seesEverything
        case .team(let team): directory.teams[team].map { mayRead($0) } ?? seesEverything
        case .crew(let crew):
            directory.crews[crew].flatMap { directory.teams[$0.team] }.map { mayReadCrews(of: $0) } ?? seesEverything
        case .device(let device): directory.devices[device].map { mayRead($0) } ?? seesEverything
        case .tracker(let tracker): directory.trackers[tracker].map { mayRead($0) } ?? seesEverything
        case .collection: mayReadRegions
        case .rule, .target, .database: seesEverything
        }
    }

    /// A user's locations are visible to the user and to analysts. Here only admins see the documents of other
    /// databases.
    private func maySeeDocuments(of database: DatabaseNumber) -> Bool {
        guard let user = database.user else { return seesEverything }
        return isSelf(user) || principal.role == .analyst || seesEverything
    }

    /// Whether the principal is an admin, who sees what no other role may, such as changes of teams and incidents that
    /// are no longer in the directory.
    package var seesEverything: Bool { principal.role == .admin }

    /// The tracker of the principal's team.
    package var ownTracker: TrackerNumber? { principal.team.flatMap { directory.teams[$0]?.tracker } }
}
