import MusterCore
import MusterStore

/// Everything that a memory store holds. A value, so that a copy is a snapshot.
struct MemoryContents {
    var log: [LoggedCommit] = []
    var lastSequence: Int64 = 0
    /// The last change that `forget` removed from the log; all earlier ones are removed, too.
    var trimmedThrough: Int64 = 0
    /// The positions of each device, in the order of their keys.
    var histories: [DeviceNumber: [Position]] = [:]
    /// The newest position of devices whose history was deleted.
    var keptLatest: [DeviceNumber: Position] = [:]
    /// The sightings of each device, in the order of their keys.
    var sightings: [DeviceNumber: [Sighting]] = [:]
    /// The notes of each device, in the order of their names.
    var notes: [DeviceNumber: [DeviceNote]] = [:]
    var presences: [DeviceNumber: [Presence]] = [:]
    var musterPresences: [DeviceNumber: [Presence]] = [:]
    var records: [DeviceNumber: (sequence: LogSequence, record: DeviceRecord)] = [:]
    var recordedThrough = LogSequence.zero
    var isReviewing = false
    var safety: [UserNumber: Safety] = [:]
    /// The states of each person that the log reported, in order.
    var safetyHistory: [UserNumber: [ReportedSafety]] = [:]
    var declared: [UserNumber: Declared] = [:]
    /// The declarations about each person, in the order of their keys.
    var declarations: [UserNumber: [KeptDeclaration]] = [:]
    var incidents: [IncidentNumber: Incident] = [:]
    var record: [IncidentEntry] = []
    /// The crews of the people on the rolls of closed incidents.
    var incidentCrews: [IncidentNumber: [UserNumber: String]] = [:]
    /// The display names of the people of closed incidents.
    var incidentNames: [IncidentNumber: [UserNumber: String]] = [:]
    var audit: [AuditEntry] = []
    var users: [UserNumber: User] = [:]
    var teams: [TeamNumber: Team] = [:]
    var crews: [CrewNumber: Crew] = [:]
    var devices: [DeviceNumber: Device] = [:]
    var trackers: [TrackerNumber: Tracker] = [:]
    var collections: [CollectionNumber: RegionCollection] = [:]
    var regions: [RegionNumber: Region] = [:]
    var rules: [RuleNumber: Rule] = [:]
    var targets: [TargetNumber: Target] = [:]
    /// In the order of their numbers.
    var databaseEvents: [DatabaseEvent] = []
    var credentials: [CredentialKey: Credential] = [:]
    var numbers = LastNumbers()
    var deliveries: [DeliveryNumber: Delivery] = [:]
    var deadLetters: [DeliveryNumber: DeadLetter] = [:]
    var lastDelivery: Int64 = 0
    var refusedDeliveryCount = 0
    var pushedThrough = LogSequence.zero
    var deliveryLimits = DeliveryLimits()

    /// The changes of one transaction; nil for each that was removed since.
    struct LoggedCommit {
        var first: Int64
        var committedAt: Instant
        var changes: [Change?]
        var last: Int64 { first + Int64(changes.count) - 1 }
    }

    func holds(_ position: Position, of device: DeviceNumber) -> Bool {
        guard let history = histories[device] else { return false }
        let index = history.firstIndex(notBefore: PositionKey(position))
        return index < history.count && PositionKey(history[index]) == PositionKey(position)
    }

    mutating func insert(_ position: Position, of device: DeviceNumber) {
        let key = PositionKey(position)
        var history = histories.removeValue(forKey: device) ?? []
        let index = history.firstIndex(notBefore: key)
        if index == history.count || PositionKey(history[index]) != key { history.insert(position, at: index) }
        histories[device] = history
    }

    mutating func remove(_ device: DeviceNumber) {
        devices[device] = nil
        histories[device] = nil
        keptLatest[device] = nil
        sightings[device] = nil
        notes[device] = nil
        presences[device] = nil
        musterPresences[device] = nil
        records[device] = nil
        credentials = credentials.filter { $0.value.device != device }
        removeDeliveries(about: .device(device))
        takeOutOfLog(device: device, user: nil)
    }

    mutating func remove(_ user: UserNumber) {
        for device in devices.values where device.user == user { remove(device.number) }
        users[user] = nil
        safety[user] = nil
        safetyHistory[user] = nil
        declared[user] = nil
        declarations[user] = nil
        for incident in incidentNames.keys
        where !record.contains(where: { $0.incident == incident && $0.person == user && $0.name != nil }) {
            incidentNames[incident]?[user] = nil
        }
        databaseEvents.removeAll { $0.database == .locations(of: user) }
        credentials = credentials.filter { $0.value.user != user }
        removeDeliveries(about: .user(user))
        takeOutOfLog(device: nil, user: user)
    }

    mutating func forgetPositions(of device: DeviceNumber) {
        let history = histories.removeValue(forKey: device) ?? []
        if let newest = history.last, keptLatest[device].map({ PositionKey($0) < PositionKey(newest) }) ?? true {
            keptLatest[device] = newest
        }
        for commit in log.indices {
            for index in log[commit].changes.indices {
                switch log[commit].changes[index] {
                case .position(_, device, _)?: log[commit].changes[index] = nil
                case .range(let range, let subject, _)? where range.peer == device || subject == device:
                    log[commit].changes[index] = nil
                default: break
                }
            }
        }
    }

    /// The newest position of every device that has one.
    var latestPositions: [DeviceNumber: Position] {
        histories.compactMapValues(\.last).merging(keptLatest) { PositionKey($0) < PositionKey($1) ? $1 : $0 }
    }

    private mutating func takeOutOfLog(device: DeviceNumber?, user: UserNumber?) {
        for commit in log.indices {
            for index in log[commit].changes.indices
            where log[commit].changes[index].map({ $0.speaks(ofDevice: device, orUser: user) }) ?? false {
                log[commit].changes[index] = nil
            }
        }
    }

    /// Deletes positions, sightings, declarations, commits and dead letters older than the horizon, at most `limit` of
    /// each kind. Returns the number of all.
    mutating func forget(before horizon: Instant, limit: Int) -> Int {
        let old = log.prefix(limit).prefix { $0.committedAt < horizon }
        if let last = old.last {
            trimmedThrough = last.last
            log.removeFirst(old.count)
        }
        keptLatest = keptLatest.filter { $0.value.sampleTime >= horizon }
        var left = limit
        for device in histories.keys.sorted() where left > 0 {
            let history = histories[device] ?? []
            let count = min(left, history.firstIndex(notBefore: PositionKey(from: horizon)))
            histories[device] = count == history.count ? nil : Array(history.dropFirst(count))
            left -= count
        }
        return limit - left + old.count + forgetSightings(before: horizon, limit: limit)
            + forgetDeadLetters(before: horizon, limit: limit) + forgetDeclarations(before: horizon, limit: limit)
            + forgetStates(before: horizon, limit: limit)
    }
}

/// The kind and key that identify a credential.
struct CredentialKey: Hashable {
    var kind: Credential.Kind
    var key: [UInt8]
}

extension [Position] {
    /// The index of the first position that is not before the key, in the order of keys.
    func firstIndex(notBefore key: PositionKey) -> Int {
        var low = startIndex
        var high = endIndex
        if let last, PositionKey(last) < key { return high }
        while low < high {
            let middle = low + (high - low) / 2
            if PositionKey(self[middle]) < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Change {
    /// Whether the change reveals a place or statement of this device, or the state of this person. The log drops such
    /// changes when the device or the user is removed.
    func speaks(ofDevice device: DeviceNumber?, orUser user: UserNumber?) -> Bool {
        switch self {
        case .position(_, let subject, _): subject == device
        case .sighting(_, let subject, _), .note(_, let subject), .signal(_, let subject): subject == device
        case .range(let range, let subject, _): subject == device || (device != nil && range.peer == device)
        case .crossing(let crossing): crossing.device == device
        case .presence(let report): report.device == device
        case .belief(_, let subject): subject == device
        case .safety(_, let subject), .reminder(_, let subject, _), .checkInTimer(_, let subject),
            .pause(_, let subject):
            subject == user
        case .declaration(let declaration, _): declaration.subject == user
        case .document(let touch): touch.database.user.map { $0 == user } ?? false
        case .dataset(let touch): touch.owner == user
        case .action(let action):
            (action.user != nil && action.user == user) || (action.device != nil && action.device == device)
        case .region, .directory, .incident, .roll, .attendance, .proximity, .posted: false
        }
    }
}
