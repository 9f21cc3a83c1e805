package import MusterCore

/// Maps Amazon Location's names to Muster's directory.
///
/// A tracker is a team's tracker. The device id `X` stands for the main device of user X of that team: the device with
/// the user's own name, or else the first one created. The user's other devices are `X/name`. A device that nobody
/// created belongs to an implicit user of its name, or, where another user in Muster has that name, of the name
/// `X@TRACKER`. A device that moved to its owner from another user keeps its former id (`Device.alias`), unless a user
/// has that name.
extension Directory {
    /// The team that a tracker belongs to.
    package func team(of tracker: Tracker) -> Team? {
        if let team = teams[tracker.name], team.tracker == tracker.number { return team }
        return teams.all.first { $0.tracker == tracker.number }
    }

    /// The user that a device id names in a team, without the device's own name.
    package func amazonUser(_ id: String, in team: Team, of tracker: Tracker) -> User? {
        if let user = users[id], user.team == team.number { return user }
        guard let user = users["\(id)@\(tracker.name)"], user.team == team.number else { return nil }
        return user
    }

    /// The device that an id names in a team.
    package func amazonDevice(_ id: String, in team: Team, of tracker: Tracker) -> Device? {
        if let user = amazonUser(id, in: team, of: tracker) { return mainDevice(of: user, called: id) }
        if let slash = id.firstIndex(of: "/"), let user = amazonUser(String(id[..<slash]), in: team, of: tracker),
            let device = device(named: String(id[id.index(after: slash)...]), of: user.number)
        {
            return device
        }
        return device(calledBefore: id, in: team.number)
    }

    /// The device's id for AWS clients.
    package func amazonID(of device: Device) -> String {
        guard let user = users[device.user] else { return device.name }
        if let alias = device.alias, let team = user.team.flatMap({ teams[$0] }), let tracker = trackers[team.tracker],
            amazonDevice(alias, in: team, of: tracker)?.number == device.number
        {
            return alias
        }
        let name = amazonName(of: user)
        return mainDevice(of: user, called: name)?.number == device.number ? name : "\(name)/\(device.name)"
    }

    /// The user's name for AWS clients and in events.
    func amazonName(of user: User) -> String {
        guard let tracker = user.team.flatMap({ teams[$0] }).flatMap({ trackers[$0.tracker] }),
            user.name.hasSuffix("@\(tracker.name)")
        else { return user.name }
        let short = String(user.name.dropLast(tracker.name.count + 1))
        // A user of that very name has joined the team since, so clients see the full names of both.
        return users[short]?.team == user.team ? user.name : short
    }

    private func mainDevice(of user: User, called name: String) -> Device? {
        let own = devices(of: user.number).lazy.compactMap { devices[$0] }.filter { $0.alias == nil }
        return own.first { $0.name == name } ?? own.min { $0.number < $1.number }
    }

    /// The id that a device keeps when it moves to another user. A user that remains keeps its own name.
    package func lastingAmazonID(of device: Device) -> String {
        guard let user = users[device.user], !user.isImplicit else { return amazonID(of: device) }
        return "\(amazonName(of: user))/\(device.name)"
    }

    /// The edits that remove a team with its tracker and its implicit users. Other users stay.
    package func removalWithImplicitUsers(of team: TeamNumber) -> [Edit] {
        let implicit = Set(users.all.filter { $0.team == team && $0.isImplicit }.map(\.number))
        let others = removal(of: team).filter { edit in
            if case .putUser(let user) = edit { !implicit.contains(user.number) } else { true }
        }
        return implicit.sorted().flatMap { removal(of: $0) } + others
    }
}

extension Tracker {
    /// The suffix of the names of trackers for evaluations without a tracker.
    package static let evaluationSuffix = "@evaluation"

    /// Whether the tracker holds positions from `BatchEvaluateGeofences`. AWS clients cannot ask for such a tracker, so
    /// events do not name it.
    var isOfEvaluations: Bool { name.hasSuffix(Self.evaluationSuffix) }
}
