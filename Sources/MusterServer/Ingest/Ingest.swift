import MusterCore
import MusterStore

/// The road of every observation, whole:
///
///     what is waiting → one transaction { engine decides → log appends → rules send } → on disk → states adopted
///     → senders answered
///
/// It lives on the writer's thread; `Ledger` feeds it.
struct Ingest {
    let store: any Store
    private(set) var engine: Engine
    let rules: RuleBook
    private var decision = Decision()
    /// Devices whose state has moved since the last record of it.
    private var unrecorded = UnrecordedDevices()
    /// The number of the change that was appended last.
    private(set) var lastAppended = Sequence.zero

    /// - Parameters:
    ///   - unrecorded: the devices whose records are behind.
    ///   - recordedThrough: the change up to which none is.
    init(
        store: any Store, engine: Engine, rules: RuleBook, unrecorded: Set<DeviceNumber> = [],
        recordedThrough: MusterCore.Sequence = .zero
    ) {
        self.store = store
        self.engine = engine
        self.rules = rules
        self.unrecorded = UnrecordedDevices(through: recordedThrough)
        self.unrecorded.insert(unrecorded.map { Int($0.rawValue) }.sorted())
    }

    /// Decides and stores what several senders brought, in one transaction.
    ///
    /// - Returns: a receipt a request, in order; everything they count is durable.
    /// - Throws: what the store throws; then nothing happened, on disk or in memory.
    mutating func commit(_ requests: [IngestRequest], now: Instant) throws -> [Receipt] {
        var receipts: [Receipt] = []
        receipts.reserveCapacity(requests.count)
        try transact(now: now) { ingest, transaction in
            for request in requests {
                switch request {
                case .observations(let observations):
                    receipts.append(Receipt(tally: try ingest.decide(observations, now: now, in: transaction)))
                case .documents(let edits, let place):
                    receipts.append(try ingest.write(edits, in: place, now: now, in: transaction))
                }
            }
        }
        for index in receipts.indices { receipts[index].sequence = store.lastSequence }
        return receipts
    }

    /// One request's observations: a repetition changes nothing; anything else is decided and its changes appended.
    mutating func decide(
        _ observations: [Observation], now: Instant, in transaction: any StoreTransaction
    ) throws -> Tally {
        var tally = Tally()
        var next = 0
        rules.note(observations)
        while let question = engine.decide(observations, from: &next, now: now, into: &decision, tally: &tally) {
            try append(to: transaction, now: now)
            switch question {
            case .isStored where try transaction.holds(observations[next]):
                if let (device, moment) = observations[next].arrival {
                    engine.hear(device, at: moment, now: now, into: &decision)
                }
                tally.repeated += 1
                next += 1
            case .isStored:
                if case .note(let note, let device) = observations[next] { try transaction.put(note, of: device) }
                tally.count(engine.decide(observations[next], now: now, into: &decision))
                next += 1
            case .trail(let device, let until):
                engine.recall(try trail(of: device, until: until), of: device, into: &decision)
            }
        }
        try append(to: transaction, now: now)
        return tally
    }

    private mutating func append(to transaction: any StoreTransaction, now: Instant) throws {
        let (rules, store) = (rules, store)
        var last = lastAppended
        defer { lastAppended = last }
        try decision.takeChanges { change in
            let sequence = try transaction.append(change)
            last = sequence
            if let entry = change.audit(at: sequence) { try transaction.append(entry) }
            if !rules.isIdle { try rules.follow(change, sequence, at: now, in: transaction, over: store) }
        }
        try decision.takeEntries { entry in try transaction.append(entry) }
    }

    /// Where a device was of late, as far as it is stored.
    private func trail(of device: DeviceNumber, until end: Instant) throws -> [Position] {
        try store.positions(
            of: device, from: end.advanced(bySeconds: -Engine.trailSeconds), to: end.advanced(bySeconds: 0.001),
            after: nil, limit: 1_000
        )
        .filter { !Engine.isAhead($0.sampleTime, of: $0.receivedTime) }
    }

    /// What time alone changes: silence, and exits that were held back.
    mutating func sweep(now: Instant) throws {
        engine.sweep(now: now, into: &decision)
        try keepDecision(now: now)
    }

    /// Edits that were carried out on disk.
    struct Edited<Result> {
        var result: Result
        var edits: [Edit]
        /// The lines that they add to records of incidents.
        var rollEntries: [IncidentEntry]
        /// The regions that rules make muster regions then; nil where these are the same as before.
        var muster: Set<RegionNumber>?
    }

    /// Carries out edits, and decides anew in the same transaction where everyone stands whom they move: nobody is safe
    /// in a muster region as it was before.
    ///
    /// - Parameters:
    ///   - body: carries them out on disk, and says what they are.
    ///   - adopted: called with the edits and the muster regions by rule once they are on disk, before anything else is
    ///     decided.
    /// - Throws: what `body` or the store throws; then nothing happened.
    mutating func edit<Result>(
        now: Instant, _ body: (Ingest, any StoreTransaction) throws -> Edited<Result>,
        adopted: ([Edit], Set<RegionNumber>?) -> Void
    ) throws -> Result {
        var outcome: Edited<Result>?
        var staged: Engine?
        try transact(now: now) { ingest, transaction in
            let edited = try body(ingest, transaction)
            outcome = edited
            // Numbers of regions and links are copied, people and devices are not: they follow below.
            let crossed = edited.edits.filter(\.isOfWhatIsCrossed)
            if !crossed.isEmpty || edited.muster != nil {
                var next = ingest.engine
                for edit in crossed { next.apply(edit) }
                if let muster = edited.muster { next.setMusterByRule(muster) }
                next.review(now: now, into: &ingest.decision)
                try ingest.append(to: transaction, now: now)
                staged = next
            }
        } beforeAdopting: { ingest in
            if let next = staged.take() { ingest.engine = next }
        }
        guard let outcome else { preconditionFailure("a transaction that did not throw has run its body") }
        adopted(outcome.edits, outcome.muster)
        engine.enter(outcome.rollEntries)
        // What people and devices there are stands whatever becomes of the rest; what the disk refuses of that is made
        // up for by the next sweep.
        var reviewIsDue = false
        for edit in outcome.edits where !edit.isOfWhatIsCrossed && engine.apply(edit) { reviewIsDue = true }
        if reviewIsDue {
            engine.review(now: now, into: &decision)
            try? keepDecision(now: now)
        }
        return outcome.result
    }

    /// Stores records of devices, so that a restart need not follow the log from far back.
    ///
    /// - Parameter limit: as many at most, in one transaction.
    /// - Returns: whether more are to be stored until the log up to where this began need not be followed again.
    mutating func record(limit: Int, now: Instant) throws -> Bool {
        let slice = unrecorded.slice(limit: limit, at: store.lastSequence)
        guard !slice.devices.isEmpty || slice.isLast else { return false }
        try store.write(at: now) { transaction in
            for device in slice.devices {
                try transaction.setRecord(engine.record(of: device, after: decision), of: device)
            }
            if slice.isLast { try transaction.setRecorded(through: slice.through) }
        }
        unrecorded.release(slice)
        return !slice.isLast
    }

    /// Whether records are worth storing: as many changes have come since, or some were stored of a greater number.
    func isRecordDue(after changes: Int64) -> Bool {
        unrecorded.isUnderWay || (store.lastSequence.rawValue - unrecorded.through.rawValue >= changes)
    }

    /// Lets `body` decide something, in one transaction: an incident.
    ///
    /// - Throws: what `body` or the store throws; then nothing happened, on disk or in memory.
    mutating func decide<Result>(
        now: Instant, _ body: (Engine, any StoreTransaction, inout Decision) throws -> Result
    ) throws -> Result {
        var result: Result?
        try transact(now: now) { ingest, transaction in
            result = try body(ingest.engine, transaction, &ingest.decision)
            try ingest.append(to: transaction, now: now)
        }
        guard let result else { preconditionFailure("a transaction that did not throw has run its body") }
        return result
    }

    /// Stores events that a client posted, and sends them where the rules say.
    ///
    /// - Returns: the number of each, in order.
    /// - Throws: what the store throws; then nothing happened.
    mutating func post(_ events: [PostedEvent], now: Instant) throws -> [Sequence] {
        var sequences: [Sequence] = []
        try transact(now: now) { ingest, transaction in
            for event in events {
                let sequence = try transaction.append(.posted(event))
                try ingest.rules.follow(.posted(event), sequence, at: now, in: transaction, over: ingest.store)
                sequences.append(sequence)
            }
        }
        return sequences
    }

    /// Takes a rebuilt index.
    mutating func adopt(_ built: BuiltCollection) { engine.adopt(built) }

    /// Stores what was decided without an observation, if it was anything.
    private mutating func keepDecision(now: Instant) throws {
        guard decision.hasChanges else { return }
        try transact(now: now) { ingest, transaction in
            try ingest.append(to: transaction, now: now)
        }
    }

    /// Runs one transaction, stores the states that were decided in it, and adopts them once they are on disk.
    private mutating func transact(
        now: Instant, _ body: (inout Ingest, any StoreTransaction) throws -> Void,
        beforeAdopting: (inout Ingest) -> Void = { _ in }
    ) throws {
        defer { rules.endTransaction() }
        do {
            try store.write(at: now) { transaction in
                try body(&self, transaction)
                for (note, device) in decision.notesToStore { try transaction.put(note, of: device) }
                for device in decision.devicesToStore {
                    try transaction.setPresences(decision.presences(of: device), of: device)
                    try transaction.setRefuges(decision.refuges(of: device), of: device)
                }
                for device in Set(decision.statesToStore) {
                    try transaction.setRecord(engine.record(of: device, after: decision), of: device)
                }
                for user in decision.declaredToStore {
                    if let declared = decision.declared(of: user) {
                        try transaction.setDeclared(declared, of: user)
                    }
                }
                for user in decision.peopleToStore {
                    if let safety = decision.safety(of: user) { try transaction.setSafety(safety, of: user) }
                }
            }
        } catch {
            decision.discard()
            throw error
        }
        beforeAdopting(&self)
        unrecorded.insert(decision.movedDevices)
        engine.adopt(&decision)
    }
}

/// Devices whose state has moved since the last record of it, as far as the log tells how.
private struct UnrecordedDevices {
    private var isListed: [Bool] = []
    private var listed: [DeviceNumber] = []
    /// Those of the records that are being stored, and by which change the first of these began.
    private var pending: ArraySlice<DeviceNumber> = []
    private var start: MusterCore.Sequence?
    /// Records have followed changes up to this one.
    private(set) var through = MusterCore.Sequence.zero

    var isUnderWay: Bool { start != nil }

    struct Slice {
        var devices: ArraySlice<DeviceNumber>
        var through: MusterCore.Sequence
        var isLast: Bool
    }

    init(through: MusterCore.Sequence = .zero) { self.through = through }

    mutating func insert(_ devices: some Swift.Sequence<Int>) {
        for index in devices {
            if isListed.count <= index { isListed += repeatElement(false, count: index + 1 - isListed.count) }
            if isListed[index] { continue }
            isListed[index] = true
            listed.append(DeviceNumber(Int32(index)))
        }
    }

    /// The next devices to store records of. Who moves meanwhile is listed anew.
    mutating func slice(limit: Int, at sequence: MusterCore.Sequence) -> Slice {
        if start == nil {
            start = sequence
            pending = listed[...]
            for device in listed { isListed[Int(device.rawValue)] = false }
            listed = []
        }
        return Slice(
            devices: pending.prefix(limit), through: start ?? sequence, isLast: pending.count <= limit)
    }

    mutating func release(_ slice: Slice) {
        pending = pending.dropFirst(slice.devices.count)
        guard slice.isLast else { return }
        start = nil
        through = slice.through
    }
}

extension Edit {
    /// Whether it is of regions or of who crosses them, and not of people and devices.
    fileprivate var isOfWhatIsCrossed: Bool {
        switch self {
        case .putTracker, .removeTracker, .putCollection, .removeCollection, .putRegion, .removeRegion: true
        default: false
        }
    }
}

extension Observation {
    /// Which device sent it, and when it was received; nil for what people say.
    fileprivate var arrival: (device: DeviceNumber, moment: Instant)? {
        switch self {
        case .position(let position, let device): (device, position.receivedTime)
        case .sighting(let sighting, let device): (device, sighting.receivedTime)
        case .note(let note, let device): note.name.kind == .lastWill ? nil : (device, note.receivedTime)
        case .declaration: nil
        }
    }
}

extension StoreTransaction {
    fileprivate func holds(_ observation: Observation) throws -> Bool {
        switch observation {
        case .position(let position, let device): try holds(position, of: device)
        case .sighting(let sighting, let device): try holds(sighting, of: device)
        case .declaration(let declaration): try holds(declaration)
        case .note(let note, let device): try self.note(note.name, of: device).map { note.repeats($0) } ?? false
        }
    }
}
