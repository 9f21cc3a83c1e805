import GRDB
import MusterCore
import MusterDocuments
import MusterStore
import Synchronization

/// A transaction of a memory store. Collects its operations, and applies all of them at the end, or none.
final class MemoryTransaction: StoreTransaction {
    let store: MemoryStore
    private let lastSequence: Int64
    var numbers: LastNumbers
    private var changes: [Change] = []
    var edits: [(inout MemoryContents) -> Void] = []
    private var appended: [DeviceNumber: Set<PositionKey>] = [:]
    private var sighted: [DeviceNumber: Set<SightingKey>] = [:]
    /// The ids of the declarations that this transaction appended.
    private(set) var declared: [UserNumber: Set<String>] = [:]
    /// The notes of each device whose notes this transaction changes.
    private var notes: [DeviceNumber: [DeviceNote]] = [:]
    private var putDevices: [DeviceNumber: Device] = [:]
    private var removedDevices: Set<DeviceNumber> = []
    /// The credentials that this transaction stores; nil for those it removes.
    var credentials: [CredentialKey: Credential?] = [:]

    /// The number of the last delivery that was stored.
    var lastDelivery: Int64
    /// Dead letters that this transaction redrove or discarded.
    var takenLetters: Set<DeliveryNumber> = []

    let database: Database
    private(set) lazy var tables = DocumentTables(in: database) { [unowned self] in
        LogSequence(lastSequence + Int64(changes.count))
    }
    var documents: any DocumentWriter { tables }

    init(on store: MemoryStore, in database: Database) {
        self.store = store
        self.database = database
        lastDelivery = store.contents.withLock { $0.lastDelivery }
        (lastSequence, numbers) = store.contents.withLock { ($0.lastSequence, $0.numbers) }
    }

    func commit(to contents: inout MemoryContents, at committedAt: Instant) {
        if !changes.isEmpty {
            // Comes first, so that a removal in this transaction also affects the changes appended before it.
            contents.log.append(
                .init(first: contents.lastSequence + 1, committedAt: committedAt, changes: changes))
            for (offset, change) in changes.enumerated() {
                guard case .safety(let safety, let user) = change else { continue }
                contents.safetyHistory[user, default: []].append(
                    ReportedSafety(
                        user: user, at: committedAt, sequence: LogSequence(contents.lastSequence + 1 + Int64(offset)),
                        state: safety.state, source: safety.source, doubt: safety.doubt))
            }
            contents.lastSequence += Int64(changes.count)
        }
        for edit in edits { edit(&contents) }
        contents.numbers = numbers
        contents.lastDelivery = lastDelivery
    }

    func append(_ change: Change) throws -> LogSequence {
        changes.append(change)
        if case .position(let position, let device, _) = change {
            appended[device, default: []].insert(PositionKey(position))
            edits.append { $0.insert(position, of: device) }
        }
        if case .sighting(let sighting, let device, _) = change {
            sighted[device, default: []].insert(SightingKey(sighting))
            edits.append { $0.insert(sighting, of: device) }
        }
        if case .signal(let signal, let device) = change {
            let sequence = LogSequence(lastSequence + Int64(changes.count))
            try SignalTable.insert(signal, of: device, at: sequence, in: database)
        }
        if case .range(let range, let device, _) = change {
            let sequence = LogSequence(lastSequence + Int64(changes.count))
            try RangeTable.insert(range, of: device, at: sequence, in: database)
        }
        if case .declaration(let declaration, let isCurrent) = change {
            declared[declaration.subject, default: []].insert(declaration.id)
            edits.append { $0.insert(KeptDeclaration(declaration, isCurrent: isCurrent)) }
        }
        if case .incident(let incident) = change { edits.append { $0.incidents[incident.number] = incident } }
        return LogSequence(lastSequence + Int64(changes.count))
    }

    func holds(_ position: Position, of device: DeviceNumber) throws -> Bool {
        if appended[device]?.contains(PositionKey(position)) ?? false { return true }
        if removedDevices.contains(device) { return false }
        return store.contents.withLock { $0.holds(position, of: device) }
    }

    func holds(_ sighting: Sighting, of device: DeviceNumber) throws -> Bool {
        if sighted[device]?.contains(SightingKey(sighting)) ?? false { return true }
        if removedDevices.contains(device) { return false }
        return store.contents.withLock { $0.holds(sighting, of: device) }
    }

    func deviceNote(_ name: DeviceNote.Name, of device: DeviceNumber) throws -> DeviceNote? {
        allNotes(of: device).note(name)
    }

    func put(_ note: DeviceNote, of device: DeviceNumber) throws {
        var all = allNotes(of: device)
        all.put(note)
        notes[device] = all
        edits.append { $0.notes[device] = all }
    }

    private func allNotes(of device: DeviceNumber) -> [DeviceNote] {
        notes[device] ?? store.contents.withLock { $0.notes[device] ?? [] }
    }

    func setPresences(_ presences: [Presence], of device: DeviceNumber) throws {
        edits.append { $0.presences[device] = presences.isEmpty ? nil : presences }
    }

    func setMusterPresences(_ presences: [Presence], of device: DeviceNumber) throws {
        edits.append { $0.musterPresences[device] = presences.isEmpty ? nil : presences }
    }

    func setRecord(_ record: DeviceRecord, of device: DeviceNumber) throws {
        let sequence = LogSequence(lastSequence + Int64(changes.count))
        edits.append { $0.records[device] = (sequence, record) }
    }

    func setRecorded(through sequence: LogSequence) throws { edits.append { $0.recordedThrough = sequence } }

    func setReviewing(_ isReviewing: Bool) throws { edits.append { $0.isReviewing = isReviewing } }

    func setSafety(_ safety: Safety, of user: UserNumber) throws { edits.append { $0.safety[user] = safety } }

    func nextUserNumber() throws -> UserNumber { try numbers.next(\.user) }
    func nextTeamNumber() throws -> TeamNumber { try numbers.next(\.team) }
    func nextCrewNumber() throws -> CrewNumber { try numbers.next(\.crew) }
    func nextDeviceNumber() throws -> DeviceNumber { try numbers.next(\.device) }
    func nextTrackerNumber() throws -> TrackerNumber { try numbers.next(\.tracker) }
    func nextCollectionNumber() throws -> CollectionNumber { try numbers.next(\.collection) }
    func nextRegionNumber() throws -> RegionNumber { try numbers.next(\.region) }
    func nextRuleNumber() throws -> RuleNumber { try numbers.next(\.rule) }
    func nextTargetNumber() throws -> TargetNumber { try numbers.next(\.target) }

    func put(_ user: User) throws { edits.append { $0.users[user.number] = user } }
    func put(_ team: Team) throws { edits.append { $0.teams[team.number] = team } }
    func put(_ crew: Crew) throws { edits.append { $0.crews[crew.number] = crew } }
    func put(_ device: Device) throws {
        putDevices[device.number] = device
        let stored = store.contents.withLock { $0.credentials }.filter { credentials[$0.key] == nil }
        for credential in stored.values + credentials.values.compactMap({ $0 })
        where credential.device == device.number && credential.user != device.user {
            var moved = credential
            moved.user = device.user
            try put(moved)
        }
        edits.append { $0.devices[device.number] = device }
    }
    func put(_ tracker: Tracker) throws { edits.append { $0.trackers[tracker.number] = tracker } }
    func put(_ collection: RegionCollection) throws { edits.append { $0.collections[collection.number] = collection } }
    func put(_ region: Region) throws { edits.append { $0.regions[region.number] = region } }
    func put(_ rule: Rule) throws { edits.append { $0.rules[rule.number] = rule } }
    func put(_ target: Target) throws { edits.append { $0.targets[target.number] = target } }

    func remove(_ user: UserNumber) throws {
        let stored = store.contents.withLock { $0.devices }
        let devices = stored.merging(putDevices) { $1 }.values.filter { $0.user == user }
        for device in devices { try remove(device.number) }
        try removePushDevices(of: user)
        try RefusedReportTable.delete(of: user, in: database)
        forgetCredentials { $0.user == user }
        try tables.remove(.locations(of: user))
        try DatasetTable.remove(of: user, in: database)
        _ = try DatasetTable.removeRecords(of: user, limit: .max, in: database)
        edits.append { $0.remove(user) }
    }

    func remove(_ team: TeamNumber) throws {
        try AttendanceTable.remove(of: team, in: database)
        try ProximityTable.remove(of: team, in: database)
        edits.append { $0.teams[team] = nil }
    }

    func remove(_ crew: CrewNumber) throws { edits.append { $0.crews[crew] = nil } }

    func forgetPositions(of device: DeviceNumber) throws {
        _ = try RangeTable.delete(of: device, limit: .max, in: database)
        edits.append { $0.forgetPositions(of: device) }
    }

    func remove(_ device: DeviceNumber) throws {
        removedDevices.insert(device)
        appended[device] = nil
        sighted[device] = nil
        notes[device] = []
        try database.execute(sql: "DELETE FROM signals WHERE device = ?", arguments: [device.rawValue])
        _ = try RangeTable.delete(of: device, limit: .max, in: database)
        try RefusedReportTable.delete(of: device, in: database)
        putDevices[device] = nil
        forgetCredentials { $0.device == device }
        edits.append { $0.remove(device) }
    }

    func remove(_ tracker: TrackerNumber) throws { edits.append { $0.trackers[tracker] = nil } }

    func remove(_ collection: CollectionNumber) throws {
        edits.append {
            $0.collections[collection] = nil
            $0.regions = $0.regions.filter { $0.value.collection != collection }
        }
    }

    func remove(_ region: RegionNumber) throws { edits.append { $0.regions[region] = nil } }
    func remove(_ rule: RuleNumber) throws { edits.append { $0.rules[rule] = nil } }
    func remove(_ target: TargetNumber) throws {
        try removeCredential(.targetSecret, key: withUnsafeBytes(of: target.rawValue.bigEndian) { [UInt8]($0) })
        edits.append {
            $0.targets[target] = nil
            $0.removeDeliveries(of: target)
        }
    }

    func put(_ credential: Credential) throws {
        let key = CredentialKey(kind: credential.kind, key: credential.key)
        credentials[key] = .some(credential)
        edits.append { $0.credentials[key] = credential }
    }

    func removeCredential(_ kind: Credential.Kind, key: [UInt8]) throws {
        let key = CredentialKey(kind: kind, key: key)
        credentials[key] = .some(nil)
        edits.append { $0.credentials[key] = nil }
    }

    func credential(_ kind: Credential.Kind, key: [UInt8]) throws -> Credential? {
        let key = CredentialKey(kind: kind, key: key)
        if let decided = credentials[key] { return decided }
        return store.contents.withLock { $0.credentials[key] }
    }

    private func forgetCredentials(where isTheirs: (Credential) -> Bool) {
        let stored = store.contents.withLock { $0.credentials }
        for (key, credential) in stored where credentials[key] == nil && isTheirs(credential) {
            credentials[key] = .some(nil)
        }
        for (key, credential) in credentials where credential.map(isTheirs) ?? false { credentials[key] = .some(nil) }
    }
}
