extension Engine {
    /// An engine as it stood when these were stored.
    public init(
        directory: Directory, positions: [(device: DeviceNumber, position: Position)],
        leads: [(device: DeviceNumber, lead: ClockLead)] = [],
        presences: [(device: DeviceNumber, presences: [Presence])], safety: [(user: UserNumber, safety: Safety)]
    ) {
        self.init()
        reserve(users: directory.users.count, devices: directory.devices.count)
        for collection in directory.collections.all { atlas.put(collection) }
        for tracker in directory.trackers.all { atlas.put(tracker) }
        atlas.setMusterByRule(directory.musterRegionsByRule)
        for region in directory.regions.all { atlas.put(region) }
        while let rebuild = atlas.rebuild { atlas.adopt(rebuild.build()) }
        for team in directory.teams.all { put(team) }
        for user in directory.users.all { put(user) }
        for device in directory.devices.all { put(device) }
        for (device, position) in positions where devices.indices.contains(Int(device.rawValue)) {
            devices[Int(device.rawValue)].keep(position)
            devices[Int(device.rawValue)].evaluated = position.sampleTime
            devices[Int(device.rawValue)].hasStood = true
        }
        for (device, lead) in leads where devices.indices.contains(Int(device.rawValue)) {
            let latest = devices[Int(device.rawValue)].latest
            let isMended = latest.map { lead.isMended(at: $0.receivedTime) } ?? false
            devices[Int(device.rawValue)].lead = isMended ? nil : lead
        }
        for (device, presences) in presences where devices.indices.contains(Int(device.rawValue)) {
            devices[Int(device.rawValue)].presences = presences
        }
        for (user, safety) in safety where people.indices.contains(Int(user.rawValue)) {
            people[Int(user.rawValue)].safety = safety
        }
    }

    /// Goes on behind what was evaluated of a device and not stored: its latest position alone does not tell of that.
    public mutating func resume(evaluatedThrough sampleTime: Instant, of device: DeviceNumber) {
        let index = Int(device.rawValue)
        guard devices.indices.contains(index), let before = devices[index].evaluated, before < sampleTime else {
            return
        }
        devices[index].evaluated = sampleTime
    }

    /// Follows an edit that is durable already.
    ///
    /// - Returns: whether people's safety may have changed with it: then `review` is due.
    public mutating func apply(_ edit: Edit) -> Bool {
        switch edit {
        case .putUser(let user):
            put(user)
            return isOnARoll(user.number)
        case .removeUser(let number):
            let wasOnARoll = isOnARoll(number)
            remove(number)
            return wasOnARoll
        case .putTeam(let team): put(team)
        case .putDevice(let device): put(device)
        case .removeDevice(let number): remove(number)
        case .putTracker(let tracker): atlas.put(tracker)
        case .removeTracker(let number): atlas.remove(number)
        case .putRegion(let region):
            let wasMuster = atlas.rule(of: region.number)?.isMusterItself
            atlas.put(region)
            return wasMuster != nil && wasMuster != region.isMuster
        case .removeRegion(let number, _):
            let wasMuster = atlas.rule(of: number)?.isMuster == true
            atlas.remove(number)
            return wasMuster
        case .removeTeam(let number):
            atlas.noteChange()
            if teams.indices.contains(Int(number.rawValue)) { teams[Int(number.rawValue)] = TeamState() }
            return incidents[number] != nil
        case .putCollection(let collection): atlas.put(collection)
        case .removeCollection, .putRule, .removeRule, .putTarget, .removeTarget, .putDatabase,
            .removeDatabase:
            break
        }
        return false
    }

    /// Takes over how a device stands, in region order, from who knows better; what is decided next goes on from there.
    /// Its track stays. `review` is due afterwards.
    public mutating func take(_ presences: [Presence], of device: DeviceNumber) {
        guard devices.indices.contains(Int(device.rawValue)) else { return }
        devices[Int(device.rawValue)].presences = presences
        devices[Int(device.rawValue)].hasStood = true
    }

    /// Takes the regions that rules make muster regions. `review` is due afterwards.
    public mutating func setMusterByRule(_ regions: Set<RegionNumber>) { atlas.setMusterByRule(regions) }

    /// Works out everyone's safety anew, after an edit that may have changed it.
    public func review(now: Instant, into decision: inout Decision) {
        for index in people.indices {
            deriveSafety(of: UserNumber(Int32(index)), now: now, decidedAt: now, into: &decision)
        }
        keepRolls(now: now, into: &decision)
    }

    private mutating func reserve(users: Int, devices: Int) {
        self.devices.reserveCapacity(devices + 1)
        people.reserveCapacity(users + 1)
        ownership.reserve(users: users + 1, devices: devices + 1)
    }

    private mutating func put(_ user: User) {
        while people.count <= Int(user.number.rawValue) { people.append(PersonState()) }
        if people[Int(user.number.rawValue)].team != user.team { forgetClearances(of: user.number) }
        people[Int(user.number.rawValue)].team = user.team
        people[Int(user.number.rawValue)].isPerson = user.role != .gateway
    }

    private mutating func put(_ team: Team) {
        while teams.count <= Int(team.number.rawValue) { teams.append(TeamState()) }
        if teams[Int(team.number.rawValue)].tracker != team.tracker { atlas.noteChange() }
        teams[Int(team.number.rawValue)] = TeamState(tracker: team.tracker, silenceSeconds: team.silenceSeconds)
    }

    private mutating func put(_ device: Device) {
        let index = Int(device.number.rawValue)
        while devices.count <= index { devices.append(DeviceState()) }
        guard devices[index].user != device.user else { return }
        devices[index].user = device.user
        devices[index].clearance.end()
        ownership.add(device.number, to: device.user)
    }

    private mutating func remove(_ user: UserNumber) {
        guard people.indices.contains(Int(user.rawValue)) else { return }
        if people[Int(user.rawValue)].declared.roll != nil { departed[user] = people[Int(user.rawValue)] }
        people[Int(user.rawValue)] = PersonState()
        forgetClearances(of: user)
    }

    /// Where a person's devices report has changed, and so what they may cross.
    private mutating func forgetClearances(of user: UserNumber) {
        for device in ownership.devices(of: user) where devices.indices.contains(Int(device.rawValue)) {
            devices[Int(device.rawValue)].clearance.end()
        }
    }

    private mutating func remove(_ device: DeviceNumber) {
        let index = Int(device.rawValue)
        guard devices.indices.contains(index) else { return }
        if let user = devices[index].user { ownership.remove(device, from: user) }
        devices[index] = DeviceState()
    }
}
