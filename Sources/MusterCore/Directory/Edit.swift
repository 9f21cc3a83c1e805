/// One step of a change to the directory: the entity that it puts or removes. An edit is a value, so that the store,
/// the directory in memory and the engine all apply the same one, in the same order, after the same commit.
public enum Edit: Hashable, Sendable {
    case putUser(User)
    case removeUser(UserNumber)
    /// Removes a user who is the same person as another. Earlier edits have given the user's devices to that other.
    case joinUser(UserNumber, to: UserNumber)
    case putTeam(Team)
    case removeTeam(TeamNumber)
    case putCrew(Crew)
    case removeCrew(CrewNumber)
    case putDevice(Device)
    case removeDevice(DeviceNumber)
    case putTracker(Tracker)
    case removeTracker(TrackerNumber)
    case putCollection(RegionCollection)
    case removeCollection(CollectionNumber)
    case putRegion(Region)
    /// The edit names the collection because the log reports the removal after the region is gone.
    case removeRegion(RegionNumber, from: CollectionNumber)
    case putRule(Rule)
    case removeRule(RuleNumber)
    case putTarget(Target)
    case removeTarget(TargetNumber)
    case putDatabase(StoredDatabase)
    /// Removes the database with everything in it.
    case removeDatabase(DatabaseNumber)

    /// The change that the log records for this edit.
    public var change: Change {
        switch self {
        case .putUser(let user): .directory(.user(user.number), removed: false)
        case .removeUser(let number), .joinUser(let number, to: _): .directory(.user(number), removed: true)
        case .putTeam(let team): .directory(.team(team.number), removed: false)
        case .removeTeam(let number): .directory(.team(number), removed: true)
        case .putCrew(let crew): .directory(.crew(crew.number), removed: false)
        case .removeCrew(let number): .directory(.crew(number), removed: true)
        case .putDevice(let device): .directory(.device(device.number), removed: false)
        case .removeDevice(let number): .directory(.device(number), removed: true)
        case .putTracker(let tracker): .directory(.tracker(tracker.number), removed: false)
        case .removeTracker(let number): .directory(.tracker(number), removed: true)
        case .putCollection(let collection): .directory(.collection(collection.number), removed: false)
        case .removeCollection(let number): .directory(.collection(number), removed: true)
        case .putRegion(let region): .region(region.number, in: region.collection, removed: false)
        case .removeRegion(let number, let collection): .region(number, in: collection, removed: true)
        case .putRule(let rule): .directory(.rule(rule.number), removed: false)
        case .removeRule(let number): .directory(.rule(number), removed: true)
        case .putTarget(let target): .directory(.target(target.number), removed: false)
        case .removeTarget(let number): .directory(.target(number), removed: true)
        case .putDatabase(let database): .directory(.database(database.number), removed: false)
        case .removeDatabase(let number): .directory(.database(number), removed: true)
        }
    }
}
