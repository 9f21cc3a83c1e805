import HashTreeCollections

/// The users, teams, crews, devices, trackers, collections, regions, rules, targets and databases, by number and by
/// name.
///
/// A value that only `apply` changes, `musterRegionsByRule` apart. A look-up by number or name takes O(log n), and so
/// does an edit, also while a reader holds a copy.
public struct Directory: Sendable {
    /// Users by number and name.
    public private(set) var users = Table<User>()
    /// Teams by number and name.
    public private(set) var teams = Table<Team>()
    /// Crews by number; by name through `crew(named:in:)`.
    public private(set) var crews = Table<Crew>()
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
    /// Databases that users created, by number and name; users' location databases have no entry.
    public private(set) var databases = Table<StoredDatabase>()

    /// The regions that rules make muster regions. The server derives them from the rules and sets them here.
    public var musterRegionsByRule: Set<RegionNumber> = []

    private var ownership = Ownership()
    private var crewsOfTeam: [TeamNumber: TreeDictionary<String, CrewNumber>] = [:]
    private var regionsOfCollection: [CollectionNumber: TreeDictionary<String, RegionNumber>] = [:]
    private var tags: TreeDictionary<Beacon, DeviceNumber> = [:]
    private var rangeTags: TreeDictionary<RangeTag, DeviceNumber> = [:]
    private var devicesByAlias: TreeDictionary<String, Set<DeviceNumber>> = [:]

    public init() {}

    /// Returns a crew by its name, which is unique among the team's crews; nil when there is none.
    public func crew(named name: String, in team: TeamNumber) -> Crew? {
        crewsOfTeam[team]?[name].flatMap { crews[$0] }
    }

    /// Returns the crews of a team, in number order.
    public func crews(in team: TeamNumber) -> [Crew] {
        (crewsOfTeam[team]?.values.sorted() ?? []).compactMap { crews[$0] }
    }

    /// Returns how many crews a team has.
    public func crewCount(in team: TeamNumber) -> Int { crewsOfTeam[team]?.count ?? 0 }

    /// Returns the devices of a user, in the order in which they were added.
    public func devices(of user: UserNumber) -> [DeviceNumber] { Array(ownership.devices(of: user)) }

    /// Returns a user's device by its name, which is unique among the user's devices; nil when there is none.
    public func device(named name: String, of user: UserNumber) -> Device? {
        ownership.devices(of: user).lazy.compactMap { devices[$0] }.first { $0.name == name }
    }

    /// Returns the tag that sends this beacon's frames; nil when there is none.
    public func tag(_ beacon: Beacon) -> Device? {
        tags[beacon].flatMap { devices[$0] }
    }

    /// Returns the device whose owner registered this range tag; nil when there is none.
    public func device(with tag: RangeTag) -> Device? { rangeTags[tag].flatMap { devices[$0] } }

    /// Returns the device in a team that trackers' clients know by this id from before it changed its owner.
    public func device(calledBefore alias: String, in team: TeamNumber) -> Device? {
        guard let numbers = devicesByAlias[alias] else { return nil }
        return numbers.sorted().lazy.compactMap { devices[$0] }.first { users[$0.user]?.team == team }
    }

    /// Returns a region by its id, which is unique within its collection; nil when there is none.
    public func region(_ id: String, in collection: CollectionNumber) -> Region? {
        regionsOfCollection[collection]?[id].flatMap { regions[$0] }
    }

    /// Returns the regions of a collection, in number order.
    public func regions(in collection: CollectionNumber) -> [RegionNumber] {
        regionsOfCollection[collection].map { $0.values.sorted() } ?? []
    }

    /// Whether a region is a muster region, by itself or by a rule.
    public func isMuster(_ region: Region) -> Bool {
        region.shape != nil && (region.isMuster || musterRegionsByRule.contains(region.number))
    }

    /// Returns how many regions a collection has.
    public func regionCount(in collection: CollectionNumber) -> Int { regionsOfCollection[collection]?.count ?? 0 }

    /// Returns the tracker that a device reports to, which is that of its owner's team; nil for an owner without a
    /// team.
    public func tracker(of device: Device) -> Tracker? {
        users[device.user]?.team.flatMap { teams[$0] }.flatMap { trackers[$0.tracker] }
    }

    /// Applies one edit.
    ///
    /// Removing an entity does not remove what depends on it; `removal(of:)` returns all the edits for that.
    public mutating func apply(_ edit: Edit) {
        switch edit {
        case .putUser(let user): users.put(user)
        case .removeUser(let number), .joinUser(let number, to: _): users.remove(number)
        case .putTeam(let team): teams.put(team)
        case .removeTeam(let number):
            teams.remove(number)
            crewsOfTeam[number] = nil
        case .putCrew(let crew):
            if let former = crews[crew.number] { crewsOfTeam[former.team]?[former.name] = nil }
            crews.put(crew)
            crewsOfTeam[crew.team, default: [:]][crew.name] = crew.number
        case .removeCrew(let number):
            if let crew = crews[number] { crewsOfTeam[crew.team]?[crew.name] = nil }
            crews.remove(number)
        case .putDevice(let device):
            put(device)
        case .removeDevice(let number):
            guard let device = devices[number] else { return }
            ownership.remove(number, from: device.user)
            forgetAlias(of: device)
            if let beacon = device.beacon { tags[beacon] = nil }
            if let tag = device.rangeTag { rangeTags[tag] = nil }
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
        if former?.beacon != device.beacon {
            if let beacon = former?.beacon, tags[beacon] == device.number { tags[beacon] = nil }
            if let beacon = device.beacon { tags[beacon] = device.number }
        }
        if former?.rangeTag != device.rangeTag {
            if let tag = former?.rangeTag, rangeTags[tag] == device.number { rangeTags[tag] = nil }
            if let tag = device.rangeTag { rangeTags[tag] = device.number }
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
    /// Returns the edits that remove a user with their devices.
    public func removal(of user: UserNumber) -> [Edit] {
        devices(of: user).map { .removeDevice($0) } + [.removeUser(user)]
    }

    /// Returns the edits that remove a collection with its regions and links.
    public func removal(of collection: CollectionNumber) -> [Edit] {
        let unlinked = trackers.all.filter { $0.collections.contains(collection) }.map { tracker -> Edit in
            var tracker = tracker
            tracker.collections.removeAll { $0 == collection }
            return .putTracker(tracker)
        }
        return unlinked + regions(in: collection).map { .removeRegion($0, from: collection) }
            + [.removeCollection(collection)]
    }

    /// Returns the edits that remove a target, also from the rules that name it.
    public func removal(of target: TargetNumber) -> [Edit] {
        let relieved = rules.all.filter { $0.targets.contains { $0.destination == .target(target) } }
            .map { rule -> Edit in
                var rule = rule
                rule.targets.removeAll { $0.destination == .target(target) }
                return .putRule(rule)
            }
        return relieved + [.removeTarget(target)]
    }

    /// Returns the edits that remove a team with its crews and its tracker. Its users stay, without a team.
    public func removal(of team: TeamNumber) -> [Edit] {
        guard let tracker = teams[team]?.tracker else { return [] }
        let orphans = users.all.filter { $0.team == team }.map { user -> Edit in
            var user = user
            user.team = nil
            return .putUser(user)
        }
        return orphans + crews(in: team).map { .removeCrew($0.number) }
            + [.removeTeam(team), .removeTracker(tracker)]
    }
}
