extension Engine {
    /// An engine as it stood when these were stored.
    public init(
        directory: Directory, positions: [(device: DeviceNumber, position: Position)],
        presences: [(device: DeviceNumber, presences: [Presence])], safety: [(user: UserNumber, safety: Safety)]
    ) {
        self.init()
        for tracker in directory.trackers.all { atlas.put(tracker) }
        for region in directory.regions.all { atlas.put(region) }
        for user in directory.users.all { put(user, in: directory) }
        for device in directory.devices.all { put(device) }
        for (device, position) in positions where devices.indices.contains(Int(device.rawValue)) {
            devices[Int(device.rawValue)].latest = position
            devices[Int(device.rawValue)].evaluated = position.sampleTime
        }
        for (device, presences) in presences where devices.indices.contains(Int(device.rawValue)) {
            devices[Int(device.rawValue)].presences = presences
        }
        for (user, safety) in safety where people.indices.contains(Int(user.rawValue)) {
            people[Int(user.rawValue)].safety = safety
        }
    }

    /// Follows an edit that is durable already.
    ///
    /// - Parameter directory: the directory with the edit in it.
    /// - Returns: whether people's safety may have changed with it: then `review` is due.
    public mutating func apply(_ edit: Edit, in directory: Directory) -> Bool {
        switch edit {
        case .putUser(let user): put(user, in: directory)
        case .removeUser(let number): remove(number)
        case .putTeam(let team):
            for user in directory.users.all where user.team == team.number { put(user, in: directory) }
        case .putDevice(let device): put(device)
        case .removeDevice(let number): remove(number)
        case .putTracker(let tracker): atlas.put(tracker)
        case .removeTracker(let number): atlas.remove(number)
        case .putRegion(let region):
            let wasMuster = atlas.rule(of: region.number)?.isMuster
            atlas.put(region)
            return wasMuster != nil && wasMuster != region.isMuster
        case .removeRegion(let number, _):
            let wasMuster = atlas.rule(of: number)?.isMuster == true
            atlas.remove(number)
            return wasMuster
        case .removeTeam, .putCollection, .removeCollection: break
        }
        return false
    }

    /// Works out everyone's safety anew, after an edit that may have changed it.
    public func review(now: Instant, into decision: inout Decision) {
        for index in people.indices {
            deriveSafety(of: UserNumber(Int32(index)), now: now, decidedAt: now, into: &decision)
        }
    }

    private mutating func put(_ user: User, in directory: Directory) {
        while people.count <= Int(user.number.rawValue) { people.append(PersonState()) }
        let team = user.team.flatMap { directory.teams[$0] }
        people[Int(user.number.rawValue)].team = team?.number
        people[Int(user.number.rawValue)].tracker = team?.tracker
        people[Int(user.number.rawValue)].silenceSeconds = team?.silenceSeconds ?? Team.defaultSilenceSeconds
    }

    private mutating func put(_ device: Device) {
        let index = Int(device.number.rawValue)
        while devices.count <= index { devices.append(DeviceState()) }
        guard devices[index].user != device.user else { return }
        devices[index].user = device.user
        while people.count <= Int(device.user.rawValue) { people.append(PersonState()) }
        people[Int(device.user.rawValue)].devices.append(device.number)
    }

    private mutating func remove(_ user: UserNumber) {
        if people.indices.contains(Int(user.rawValue)) { people[Int(user.rawValue)] = PersonState() }
    }

    private mutating func remove(_ device: DeviceNumber) {
        let index = Int(device.rawValue)
        guard devices.indices.contains(index) else { return }
        if let user = devices[index].user { people[Int(user.rawValue)].devices.removeAll { $0 == device } }
        devices[index] = DeviceState()
    }
}
