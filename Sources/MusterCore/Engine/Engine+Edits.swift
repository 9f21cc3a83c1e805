import MusterGeometry

/// How the engine's state begins, and how edits of the directory and of regions change it.
extension Engine {
    /// Creates an engine from what the store holds, and builds the index of every collection.
    public init(
        directory: Directory, positions: [(device: DeviceNumber, position: Position)],
        presences: [(device: DeviceNumber, presences: [Presence])],
        musterPresences: [(device: DeviceNumber, presences: [Presence])] = [],
        safety: [(user: UserNumber, safety: Safety)]
    ) {
        self.init()
        reserve(users: directory.users.count, devices: directory.devices.count)
        for collection in directory.collections.all { _ = catalog.put(collection) }
        for tracker in directory.trackers.all { catalog.put(tracker) }
        _ = catalog.setMusterByRule(directory.musterRegionsByRule)
        for region in directory.regions.all { catalog.put(region) }
        while let rebuild = catalog.rebuild { catalog.adopt(rebuild.build()) }
        for team in directory.teams.all { put(team) }
        for crew in directory.crews.all { crews[crew.number] = crew.name }
        for user in directory.users.all { put(user) }
        for device in directory.devices.all { put(device) }
        for (device, position) in positions where devices.indices.contains(Int(device.rawValue)) {
            let index = Int(device.rawValue)
            devices[index].locate(position, isStored: true)
            devices[index].evaluated = position.sampleTime
            devices[index].heard = position.receivedTime
            devices[index].hasStood = true
            _ = devices[index].observeClock(position)
        }
        for (device, presences) in presences where devices.indices.contains(Int(device.rawValue)) {
            devices[Int(device.rawValue)].presences = presences
        }
        for (device, presences) in musterPresences where devices.indices.contains(Int(device.rawValue)) {
            devices[Int(device.rawValue)].musterPresences = presences
        }
        for (user, safety) in safety where people.indices.contains(Int(user.rawValue)) {
            people[Int(user.rawValue)].safety = safety
        }
        scope = ReviewScope()
    }

    /// Advances a device's evaluated time to `sampleTime`; an earlier time changes nothing. The latest stored position
    /// does not show that the engine evaluated a later one, which a filter kept out of the store.
    public mutating func resume(evaluatedThrough sampleTime: Instant, of device: DeviceNumber) {
        let index = Int(device.rawValue)
        guard devices.indices.contains(index), let before = devices[index].evaluated, before < sampleTime else {
            return
        }
        devices[index].evaluated = sampleTime
    }

    /// Applies an edit of the directory.
    ///
    /// - Returns: whether the edit may change a presence or whether someone is safe. Then `review` is due.
    @discardableResult
    public mutating func apply(_ edit: Edit) -> Bool {
        switch edit {
        case .putUser(let user):
            put(user)
            if isOnARoll(user.number) { scope.isEveryone = true }
        case .removeUser(let number):
            if isOnARoll(number) { scope.isEveryone = true }
            remove(number)
        case .joinUser(let number, to: _): remove(number)
        case .putTeam(let team): put(team)
        case .putDevice(let device): put(device)
        case .removeDevice(let number): remove(number)
        case .putTracker(let tracker): put(tracker)
        case .removeTracker(let number):
            scope.links[number] = Set(catalog.tracker(number).collections)
            catalog.remove(number)
            attendance.countAll()
        case .putRegion(let region):
            let former = catalog.rule(of: region.number)
            catalog.put(region)
            if let former, let rule = catalog.rule(of: region.number), rule.asksForOtherBeacons(than: former) {
                forgetBeacons(in: region.number)
            }
            scope.add(region.number, within: region.beacon == nil ? region.shape?.boundingBox : nil)
            attendance.countAll()
        case .removeRegion(let number, _):
            catalog.remove(number)
            scope.regions.insert(number)
            attendance.countAll()
        case .removeTeam(let number):
            catalog.noteChange()
            noteMove(ofTeam: number)
            attendance.removeTeam(number)
            proximity.removeTeam(number)
            if teams.indices.contains(Int(number.rawValue)) { teams[Int(number.rawValue)] = TeamState() }
        case .putCollection(let collection):
            if catalog.put(collection) { scope.collections.insert(collection.number) }
            attendance.countAll()
        case .putCrew(let crew): crews[crew.number] = crew.name
        case .removeCrew(let number): crews[number] = nil
        case .removeCollection, .putRule, .removeRule, .putTarget, .removeTarget,
            .putDatabase, .removeDatabase:
            break
        }
        return !scope.isEmpty
    }

    private mutating func put(_ tracker: Tracker) {
        let links = Set(tracker.collections).symmetricDifference(catalog.tracker(tracker.number).collections)
        catalog.put(tracker)
        attendance.countAll()
        if !links.isEmpty { scope.links[tracker.number, default: []].formUnion(links) }
    }

    /// Adds a team's members to the review scope, because their devices report to another tracker.
    private mutating func noteMove(ofTeam team: TeamNumber) {
        for index in people.indices where people[index].team == team { scope.users.insert(UserNumber(Int32(index))) }
    }

    /// Replaces a device's presences by those that the server decided, given in region order. Later decisions continue
    /// from them. The device's track stays. `review` is due afterwards.
    public mutating func setPresences(_ presences: [Presence], of device: DeviceNumber) {
        let index = Int(device.rawValue)
        guard devices.indices.contains(index) else { return }
        // The raw presences in muster regions serve events alone, and the server does not send them: they stay.
        let events = devices[index].presences.filter { !catalog.isShown($0.region) }
        devices[index].presences = (presences.filter { catalog.isShown($0.region) } + events)
            .sorted { $0.region < $1.region }
        devices[index].musterPresences = presences.filter { !catalog.isShown($0.region) }
        devices[Int(device.rawValue)].hasStood = true
        scope.isEveryone = true
    }

    /// Replaces the set of regions that rules make muster regions. `review` is due afterwards.
    public mutating func setMusterByRule(_ regions: Set<RegionNumber>) {
        for region in catalog.setMusterByRule(regions) {
            if let rule = catalog.rule(of: region), rule.beacon != nil, rule.isMuster { forgetBeacons(in: region) }
            scope.add(region, within: nil)
        }
    }

    private mutating func reserve(users: Int, devices: Int) {
        self.devices.reserveCapacity(devices + 1)
        people.reserveCapacity(users + 1)
    }

    private mutating func put(_ user: User) {
        attendance.put(user)
        proximity.review(person(user.number)?.team)
        while people.count <= Int(user.number.rawValue) { people.append(PersonState()) }
        if people[Int(user.number.rawValue)].team != user.team {
            forgetClearances(of: user.number)
            scope.users.insert(user.number)
        }
        people[Int(user.number.rawValue)].team = user.team
        people[Int(user.number.rawValue)].crew = user.crew
        people[Int(user.number.rawValue)].isPerson = user.role != .gateway
    }

    private mutating func put(_ team: Team) {
        while teams.count <= Int(team.number.rawValue) { teams.append(TeamState()) }
        let former = teams[Int(team.number.rawValue)]
        attendance.count(team.number)
        if former.tracker != team.tracker {
            catalog.noteChange()
            noteMove(ofTeam: team.number)
        }
        if former.silenceSeconds != team.silenceSeconds || former.incidents != team.incidents {
            scope.isEveryone = true
        }
        teams[Int(team.number.rawValue)] = TeamState(
            tracker: team.tracker, silenceSeconds: team.silenceSeconds, incidents: team.incidents)
    }

    private mutating func put(_ device: Device) {
        let index = Int(device.number.rawValue)
        while devices.count <= index { devices.append(DeviceState()) }
        putTag(device)
        putRangeTag(device)
        attendance.count(teamOf: device.user)
        proximity.review(person(devices[index].user)?.team)
        guard devices[index].user != device.user else { return }
        if let former = devices[index].user {
            ownership.remove(device.number, from: former)
            attendance.count(teamOf: former)
            scope.isEveryone = true
            scope.users.insert(device.user)
        }
        devices[index].user = device.user
        devices[index].endBoundaryFreeRadii()
        ownership.add(device.number, to: device.user)
    }

    private mutating func remove(_ user: UserNumber) {
        guard people.indices.contains(Int(user.rawValue)) else { return }
        proximity.review(people[Int(user.rawValue)].team)
        people[Int(user.rawValue)] = PersonState()
        attendance.removeMember(user)
        forgetClearances(of: user)
    }

    /// Ends the boundary-free radii of a person's devices: they report to another tracker and may cross other regions.
    private mutating func forgetClearances(of user: UserNumber) {
        for device in ownership.devices(of: user) where devices.indices.contains(Int(device.rawValue)) {
            devices[Int(device.rawValue)].endBoundaryFreeRadii()
        }
    }

    private mutating func remove(_ device: DeviceNumber) {
        let index = Int(device.rawValue)
        guard devices.indices.contains(index) else { return }
        if let user = devices[index].user { ownership.remove(device, from: user) }
        attendance.count(teamOf: devices[index].user)
        proximity.review(person(devices[index].user)?.team)
        if devices[index].isLocated { scope.isEveryone = true }
        catalog.setTag(device, to: nil)
        removeRanges(of: device)
        devices[index] = DeviceState()
    }
}
