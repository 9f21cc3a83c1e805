import GRDB
import MusterCore
import MusterDocuments
import Synchronization

/// A transaction of an SQLite store. It gathers changes in memory, and writes them as one row of the log at the end. It
/// writes everything else at once; a rollback undoes it.
final class SQLiteTransaction: StoreTransaction {
    let database: Database
    private let store: SQLiteStore
    private let lastSequenceBefore: Int64
    private let numbersBefore: LastNumbers

    private(set) var codec = ChangeCodec()
    private(set) var arrivals: [StagedPositions.Arrival] = []
    var numbers: LastNumbers
    private(set) var removals = Removals()
    private(set) var deletedHistories = DeletedHistories()
    /// The delivery numbers in use and the waiting deliveries, including those of this transaction.
    var tally: DeliveryTally
    private let tallyBefore: DeliveryTally
    /// The targets of this transaction's dead letters, which may have more than the limit now.
    var targetsOfLetters: Set<TargetNumber> = []
    var deliveryLimits: DeliveryLimits { store.deliveryLimits }
    private struct ArrivedKey: Hashable {
        var device: DeviceNumber
        var key: PositionKey
    }
    /// The keys of `arrivals`, which `holds` builds when it is first called.
    private var arrivedKeys: Set<ArrivedKey> = []
    private var indexedArrivals = 0
    /// The states of people that this transaction reports, with their numbers.
    private var reported: [(safety: Safety, user: UserNumber, sequence: Int64)] = []
    /// The first failure of a write. The transaction cannot be committed after it, even if a caller caught the error.
    private var failure: (any Error)?

    private(set) lazy var tables = DocumentTables(in: database) { [unowned self] in LogSequence(lastSequence) }
    var documents: any DocumentWriter { tables }

    init(on store: SQLiteStore, in database: Database) {
        self.store = store
        self.database = database
        lastSequenceBefore = store.lastSequence.rawValue
        numbersBefore = store.numbers.withLock { $0 }
        numbers = numbersBefore
        tallyBefore = store.tally.withLock { $0 }
        tally = tallyBefore
    }

    /// The number of the last change of this transaction; before the first, the store's.
    var lastSequence: Int64 { lastSequenceBefore + Int64(codec.count) }

    /// Writes the gathered changes and counters.
    ///
    /// - Throws: the first failure of a write; `DatabaseError`; `CodecError`.
    func finish(at committedAt: Instant) throws {
        if let failure { throw failure }
        try tables.finish()
        if codec.count > 0 {
            try LogTable.insert(
                first: lastSequenceBefore + 1, count: codec.count, committedAt: committedAt, changes: codec.bytes,
                in: database)
        }
        for (safety, user, sequence) in reported where !removals.users.contains(user) {
            try SafetyHistoryTable.insert(safety, of: user, at: committedAt, sequence, in: database)
        }
        try numbers.store(in: database, insteadOf: numbersBefore)
        try removals.store(in: database)
        try deletedHistories.store(in: database)
        if tally.last != tallyBefore.last { try Counter.delivery.set(tally.last, in: database) }
        for target in targetsOfLetters {
            try DeadLetterTable.trim(target, to: deliveryLimits.deadLettersPerTarget, in: database)
        }
    }

    /// Runs a step against the database, and records its failure, so that `finish` throws it too.
    func run<Result>(_ step: () throws -> Result) throws -> Result {
        do {
            return try step()
        } catch {
            failure = failure ?? error
            throw error
        }
    }

    /// Runs one SQL statement.
    func execute(_ sql: String, _ arguments: StatementArguments) throws {
        try run { try database.cachedStatement(sql: sql).execute(arguments: arguments) }
    }

    func append(_ change: Change) throws -> LogSequence {
        switch change {
        case .position(let position, let device, let isCurrent):
            let bytes = codec.put(position, of: device, isCurrent: isCurrent)
            arrivals.append(
                .init(
                    key: PositionKey(position), device: device,
                    mark: PositionMark(sequence: lastSequence, source: position.source), bytes: bytes))
        case .sighting(let sighting, let device, _):
            codec.put(change)
            try run { try SightingTable.insert(sighting, of: device, in: database) }
        case .signal(let signal, let device):
            codec.put(change)
            let sequence = LogSequence(lastSequence)
            try run { try SignalTable.insert(signal, of: device, at: sequence, in: database) }
        case .range(let range, let device, _):
            codec.put(change)
            let sequence = LogSequence(lastSequence)
            try run { try RangeTable.insert(range, of: device, at: sequence, in: database) }
        case .declaration(let declaration, let isCurrent):
            codec.put(change)
            try run { try DeclarationTable.insert(declaration, isCurrent: isCurrent, in: database) }
        case .safety(let safety, let user):
            codec.put(change)
            reported.append((safety, user, lastSequence))
        case .incident(let incident):
            codec.put(change)
            try run { try IncidentTable.put(incident, in: database) }
        default: codec.put(change)
        }
        return LogSequence(lastSequence)
    }

    func holds(_ position: Position, of device: DeviceNumber) throws -> Bool {
        if isGone(device) { return false }
        let key = PositionKey(position)
        while indexedArrivals < arrivals.count {
            let arrival = arrivals[indexedArrivals]
            arrivedKeys.insert(ArrivedKey(device: arrival.device, key: arrival.key))
            indexedArrivals += 1
        }
        if arrivedKeys.contains(ArrivedKey(device: device, key: key)) { return true }
        let (isStaged, generation) = store.stage.withLock { ($0.holds(key, of: device), $0.generation) }
        if isStaged { return true }
        return try run {
            try store.gaps.withLock { try $0.finds(key, of: device, at: generation, in: database) }
        }
    }

    /// Whether a device was removed, in this transaction or before.
    func isGone(_ device: DeviceNumber) -> Bool {
        removals.devices.contains(device) || store.removals.withLock { $0.devices.contains(device) }
    }

    func nextUserNumber() throws -> UserNumber { try numbers.next(\.user) }
    func nextTeamNumber() throws -> TeamNumber { try numbers.next(\.team) }
    func nextCrewNumber() throws -> CrewNumber { try numbers.next(\.crew) }
    func nextDeviceNumber() throws -> DeviceNumber { try numbers.next(\.device) }
    func nextTrackerNumber() throws -> TrackerNumber { try numbers.next(\.tracker) }
    func nextCollectionNumber() throws -> CollectionNumber { try numbers.next(\.collection) }
    func nextRegionNumber() throws -> RegionNumber { try numbers.next(\.region) }
    func nextRuleNumber() throws -> RuleNumber { try numbers.next(\.rule) }
    func nextTargetNumber() throws -> TargetNumber { try numbers.next(\.target) }

    func forgetPositions(of device: DeviceNumber) throws { deletedHistories.markDeleted(device, through: lastSequence) }

    func remove(_ user: UserNumber) throws {
        let devices = try run {
            try Int32.fetchAll(database, sql: "SELECT number FROM devices WHERE owner = ?", arguments: [user.rawValue])
        }
        for device in devices { try remove(DeviceNumber(device)) }
        try execute("DELETE FROM users WHERE number = ?", [user.rawValue])
        try execute("DELETE FROM safety WHERE person = ?", [user.rawValue])
        try execute("DELETE FROM declared WHERE person = ?", [user.rawValue])
        try execute("DELETE FROM declarations WHERE subject = ?", [user.rawValue])
        try run { try DatasetTable.remove(of: user, in: database) }
        try removePushDevices(of: user)
        try run { try RefusedReportTable.delete(of: user, in: database) }
        try run { try SafetyHistoryTable.remove(user, in: database) }
        try run { try DisplayNames.remove(user, in: database) }
        try execute("DELETE FROM credentials WHERE owner = ?", [user.rawValue])
        let locations = DatabaseNumber.locations(of: user)
        try execute("DELETE FROM database_events WHERE database = ?", [locations.rawValue])
        try removeDeliveries(about: .user(user))
        try tables.remove(.locations(of: user))
        removals.users.insert(user)
    }

    func remove(_ device: DeviceNumber) throws {
        try execute("DELETE FROM devices WHERE number = ?", [device.rawValue])
        for table in ["notes", "signals", "presences", "refuges", "device_records"] {
            try execute("DELETE FROM \(table) WHERE device = ?", [device.rawValue])
        }
        try execute("DELETE FROM credentials WHERE device = ?", [device.rawValue])
        try removeDeliveries(about: .device(device))
        try run { try RefusedReportTable.delete(of: device, in: database) }
        removals.devices.insert(device)
    }
}
