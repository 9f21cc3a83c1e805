/// Everyone and everything that has a name: users, teams, devices, trackers, collections, regions, rules, targets,
/// databases.
///
/// A value that changes by `apply` alone; reads by number or by name are O(1).
public struct Directory: Sendable {
    /// Users by number and name.
    public private(set) var users = Table<User>()
    /// Teams by number and name.
    public private(set) var teams = Table<Team>()
    /// Devices by number; by name through `device(named:of:)`.
    public private(set) var devices = Table<Device>()
    /// Trackers by number and name.
    public private(set) var trackers = Table<Tracker>()
    /// Collections by number and name.
    public private(set) var collections = Table<RegionCollection>()
    /// Regions by number; by id through `region(_:in:)`.
    public private(set) var regions = Table<Region>()
    /// Rules by number and name.
    public private(set) var rules = Table<Rule>()
    /// Targets by number and name.
    public private(set) var targets = Table<Target>()
    /// Databases that someone made, by number and name; those of users' locations have no entry.
    public private(set) var databases = Table<StoredDatabase>()

    /// Regions that rules make muster regions; derived from the rules by who follows them.
    public var musterRegionsByRule: Set<RegionNumber> = []

    private var ownership = Ownership()
    private var regionsOfCollection: [CollectionNumber: [String: RegionNumber]] = [:]
    private var devicesByAlias: [String: Set<DeviceNumber>] = [:]

    /// A directory with nothing in it.
    public init() {}

    /// The devices of a user, in the order they were made.
    public func devices(of user: UserNumber) -> [DeviceNumber] { Array(ownership.devices(of: user)) }

    /// The device that a user calls by this name.
    public func device(named name: String, of user: UserNumber) -> Device? {
        ownership.devices(of: user).lazy.compactMap { devices[$0] }.first { $0.name == name }
    }

    /// The device of a team's people that trackers know by this id from before it came to its owner.
    public func device(calledBefore alias: String, in team: TeamNumber) -> Device? {
        guard let numbers = devicesByAlias[alias] else { return nil }
        return numbers.sorted().lazy.compactMap { devices[$0] }.first { users[$0.user]?.team == team }
    }

    /// The region with this id in a collection.
    public func region(_ id: String, in collection: CollectionNumber) -> Region? {
        regionsOfCollection[collection]?[id].flatMap { regions[$0] }
    }

    /// The regions of a collection, in number order.
    public func regions(in collection: CollectionNumber) -> [RegionNumber] {
        regionsOfCollection[collection].map { $0.values.sorted() } ?? []
    }

    /// Whether people inside a region are safe: it says so itself, or a rule does.
    public func isMuster(_ region: Region) -> Bool {
        region.isMuster || musterRegionsByRule.contains(region.number)
    }

    /// How many regions a collection has.
    public func regionCount(in collection: CollectionNumber) -> Int { regionsOfCollection[collection]?.count ?? 0 }

    /// The tracker that a device reports to: its user's team's; nil for a user without a team.
    public func tracker(of device: Device) -> Tracker? {
        users[device.user]?.team.flatMap { teams[$0] }.flatMap { trackers[$0.tracker] }
    }

    /// Makes room, so that so many users and devices take no more memory than they need.
    public mutating func reserve(users: Int, devices: Int) {
        self.users.reserve(users + 1)
        self.devices.reserve(devices + 1)
        ownership.reserve(users: users + 1, devices: devices + 1)
    }

    /// Carries out one edit.
    ///
    /// Removing a thing that others stand on takes only that thing: `removal(of:)` lists all the edits there must be.
    public mutating func apply(_ edit: Edit) {
        switch edit {
        case .putUser(let user): users.put(user)
        case .removeUser(let number), .joinUser(let number, to: _): users.remove(number)
        case .putTeam(let team): teams.put(team)
        case .removeTeam(let number): teams.remove(number)
        case .putDevice(let device):
            put(device)
        case .removeDevice(let number):
            guard let device = devices[number] else { return }
            ownership.remove(number, from: device.user)
            forgetAlias(of: device)
            devices.remove(number)
        case .putTracker(let tracker): trackers.put(tracker)
        case .removeTracker(let number): trackers.remove(number)
        case .putCollection(let collection): collections.put(collection)
        case .removeCollection(let number):
            collections.remove(number)
            regionsOfCollection[number] = nil
        case .putRegion(let region):
            regions.put(region)
            regionsOfCollection[region.collection, default: [:]][region.id] = region.number
        case .removeRegion(let number, let collection):
            if let region = regions[number] { regionsOfCollection[collection]?[region.id] = nil }
            regions.remove(number)
        case .putRule(let rule): rules.put(rule)
        case .removeRule(let number): rules.remove(number)
        case .putTarget(let target): targets.put(target)
        case .removeTarget(let number): targets.remove(number)
        case .putDatabase(let database): databases.put(database)
        case .removeDatabase(let number): databases.remove(number)
        }
    }

    private mutating func put(_ device: Device) {
        let former = devices[device.number]
        if former?.user != device.user {
            if let former { ownership.remove(device.number, from: former.user) }
            ownership.add(device.number, to: device.user)
        }
        if former?.alias != device.alias {
            if let former { forgetAlias(of: former) }
            if let alias = device.alias { devicesByAlias[alias, default: []].insert(device.number) }
        }
        devices.put(device)
    }

    private mutating func forgetAlias(of device: Device) {
        guard let alias = device.alias, var others = devicesByAlias[alias] else { return }
        others.remove(device.number)
        devicesByAlias[alias] = others.isEmpty ? nil : others
    }
}

extension Directory {
    /// The edits that remove a user with its devices.
    public func removal(of user: UserNumber) -> [Edit] {
        devices(of: user).map { .removeDevice($0) } + [.removeUser(user)]
    }

    /// The edits that remove a collection with its regions and its links.
    public func removal(of collection: CollectionNumber) -> [Edit] {
        let unlinked = trackers.all.filter { $0.collections.contains(collection) }.map { tracker -> Edit in
            var tracker = tracker
            tracker.collections.removeAll { $0 == collection }
            return .putTracker(tracker)
        }
        return unlinked + regions(in: collection).map { .removeRegion($0, from: collection) }
            + [.removeCollection(collection)]
    }

    /// The edits that remove a target, and take it from the rules that name it.
    public func removal(of target: TargetNumber) -> [Edit] {
        let relieved = rules.all.filter { $0.targets.contains { $0.destination == .target(target) } }
            .map { rule -> Edit in
                var rule = rule
                rule.targets.removeAll { $0.destination == .target(target) }
                return .putRule(rule)
            }
        return relieved + [.removeTarget(target)]
    }

    /// The edits that remove a team with its tracker; its users stay, without a team.
    public func removal(of team: TeamNumber) -> [Edit] {
        guard let tracker = teams[team]?.tracker else { return [] }
        let orphans = users.all.filter { $0.team == team }.map { user -> Edit in
            var user = user
            user.team = nil
            return .putUser(user)
        }
        return orphans + [.removeTeam(team), .removeTracker(tracker)]
    }
}
