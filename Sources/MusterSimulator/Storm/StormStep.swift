package import MusterCore
package import MusterGeometry

/// One thing that happens in a storm, such as a request, an edit, or the passing of time.
package enum StormStep: Hashable, Sendable {
    /// One request of a device arrives.
    case report([Observation])
    /// A person declares how they or another person are.
    case say(Declaration)
    /// An administrator or a leader edits something.
    case edit(StormEdit)
    /// A user deletes the stored history of a device's positions.
    case eraseHistory(DeviceNumber)
    /// Time passes, and the server sweeps.
    case sweep
    /// A leader starts the check-in timer of a person who works alone.
    case startTimer(StormTimer)
    /// A person checks in. The check-in was made at this moment, and may arrive late.
    case checkIn(UserNumber, at: Instant)
    /// A person ends their check-in timer.
    case endTimer(UserNumber)
    /// A leader starts an incident.
    case start(TeamNumber, Incident.Kind)
    /// A leader closes the open incident of a team.
    case close(TeamNumber)
    /// A leader opens the last incident of a team again.
    case reopen(TeamNumber)
    /// A leader puts a visitor on the roll of a team's open incident.
    case addVisitor(TeamNumber, Safety.State)
    /// A leader marks a person on the roll about whom no declaration can be made: the one at this place among those
    /// present.
    case mark(TeamNumber, place: Int, Safety.State)
    /// A leader takes the person at this place among those present off the roll.
    case takeOff(TeamNumber, place: Int)
}

/// The settings of a check-in timer in a storm.
package struct StormTimer: Hashable, Sendable {
    /// The person who works alone.
    package var user: UserNumber
    /// The longest time between two check-ins, in seconds.
    package var intervalSeconds: Double
    /// How long after the reminder the leader is notified, in seconds.
    package var leaderAfterSeconds: Double
    /// How long after that an SOS is raised, in seconds.
    package var sosAfterSeconds: Double
    /// Whether an incident is opened with the SOS.
    package var opensIncident: Bool
}

/// A step at its moment, by the server's clock.
package struct StormMoment: Sendable {
    /// When it happens, by the server's clock.
    package var at: Instant
    package var step: StormStep
}

/// An edit by its meaning. Which edits of the directory it takes depends on the directory at that moment.
package enum StormEdit: Hashable, Sendable {
    case put(RegionNumber, CollectionNumber, Shape, isMuster: Bool)
    case setMuster(RegionNumber, Bool)
    case removeRegion(RegionNumber)
    case setMusterByRule(Set<RegionNumber>)
    case setPolicy(CollectionNumber, CrossingPolicy)
    case removeCollection(CollectionNumber)
    case link(TrackerNumber, [CollectionNumber])
    case setFilter(TrackerNumber, PositionFilter)
    case setTracker(TeamNumber, TrackerNumber)
    case move(UserNumber, TeamNumber?)
    case hand(DeviceNumber, to: UserNumber)
    case removeUser(UserNumber)
    case removeDevice(DeviceNumber)

    /// Returns the edits of a directory that carry it out; none when the entity does not exist.
    package func edits(in directory: Directory) -> [Edit] {
        switch self {
        case .put(let number, let collection, let shape, let isMuster):
            guard directory.collections[collection] != nil else { return [] }
            // Numbers are never reused: an initial region that was removed stays removed.
            guard directory.regions[number]?.collection == collection || number.rawValue > 10 else { return [] }
            return [.putRegion(Self.region(number, collection, shape, isMuster: isMuster))]
        case .setMuster(let number, let isMuster):
            return changed(directory.regions[number]) { $0.isMuster = isMuster }.map { [.putRegion($0)] } ?? []
        case .removeRegion(let number):
            return directory.regions[number].map { [.removeRegion(number, from: $0.collection)] } ?? []
        case .setMusterByRule: return []
        case .setPolicy(let number, let policy):
            return changed(directory.collections[number]) { $0.policy = policy }.map { [.putCollection($0)] } ?? []
        case .removeCollection(let number):
            return directory.collections[number] == nil ? [] : directory.removal(of: number)
        case .link(let number, let collections):
            let present = collections.filter { directory.collections[$0] != nil }
            return changed(directory.trackers[number]) { $0.collections = present }.map { [.putTracker($0)] } ?? []
        case .setFilter(let number, let filter):
            return changed(directory.trackers[number]) { $0.filter = filter }.map { [.putTracker($0)] } ?? []
        case .setTracker(let number, let tracker):
            return changed(directory.teams[number]) { $0.tracker = tracker }.map { [.putTeam($0)] } ?? []
        case .move(let number, let team):
            return changed(directory.users[number]) { $0.team = team }.map { [.putUser($0)] } ?? []
        case .hand(let number, let user):
            guard directory.users[user] != nil, let device = directory.devices[number], device.user != user else {
                return []
            }
            // A device that changes its owner is removed and made again under another number.
            let next = DeviceNumber(number.rawValue + 100)
            return [
                .removeDevice(number), .putDevice(Device(number: next, name: "handed\(next.rawValue)", user: user)),
            ]
        case .removeUser(let number): return directory.users[number] == nil ? [] : directory.removal(of: number)
        case .removeDevice(let number): return directory.devices[number] == nil ? [] : [.removeDevice(number)]
        }
    }

    static func region(
        _ number: RegionNumber, _ collection: CollectionNumber, _ shape: Shape, isMuster: Bool
    ) -> Region {
        Region(
            number: number, collection: collection, id: "r\(number.rawValue)", name: "r\(number.rawValue)",
            shape: shape, isMuster: isMuster)
    }

    private func changed<Entity>(_ entity: Entity?, _ change: (inout Entity) -> Void) -> Entity? {
        guard var entity else { return nil }
        change(&entity)
        return entity
    }
}
