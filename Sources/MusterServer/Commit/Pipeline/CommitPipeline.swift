import MusterCore
import MusterStore

/// The whole path of an observation:
///
///     waiting requests → one transaction { engine decides → log appends → rules send } → on disk → states adopted
///     → senders answered
///
/// The pipeline lives on the writer's thread; `StoreCoordinator` feeds it.
struct CommitPipeline {
    let store: any Store
    var engine: Engine
    let rules: RuleBook
    let quotas: Quotas
    let streams: DatasetStreams
    var decision = Decision()
    /// The devices whose state has changed since their last stored record.
    var unrecorded = UnrecordedDevices()
    /// Whether the store has recorded that a review is unfinished.
    var isReviewStored = false
    /// The number of the last appended change.
    private(set) var lastAppended = LogSequence.zero

    /// - Parameters:
    ///   - streams: sends updates of datasets to the targets of identity pools; nil for streams that give records no
    ///     address on this server.
    ///   - unrecorded: the devices whose records are out of date.
    ///   - recordedThrough: the last change that every device record includes.
    init(
        store: any Store, engine: Engine, rules: RuleBook, quotas: Quotas = Quotas(), streams: DatasetStreams? = nil,
        unrecorded: Set<DeviceNumber> = [], recordedThrough: MusterCore.LogSequence = .zero
    ) {
        self.store = store
        self.engine = engine
        self.rules = rules
        self.quotas = quotas
        self.streams = streams ?? DatasetStreams(origin: rules.eventMapper.origin) { rules.currentDirectory }
        self.unrecorded = UnrecordedDevices(through: recordedThrough)
        self.unrecorded.insert(unrecorded.map { Int($0.rawValue) }.sorted())
    }

    /// Decides and stores the requests of several senders in one transaction.
    ///
    /// - Returns: one receipt for each request, in order; everything the receipts count is durable.
    /// - Throws: the store's errors; then nothing has changed, on disk or in memory.
    mutating func commit(_ requests: [CommitRequest], now: Instant) throws -> [Receipt] {
        var receipts: [Receipt] = []
        receipts.reserveCapacity(requests.count)
        try transact(now: now) { pipeline, transaction in
            for request in requests {
                switch request {
                case .observations(let observations, let sender):
                    let tally = try pipeline.decideObservations(
                        observations, now: now, by: sender, in: transaction)
                    receipts.append(Receipt(tally: tally))
                case .documents(let edits, let target):
                    receipts.append(try pipeline.write(edits, in: target, now: now, in: transaction))
                case .dataset(let update, let owner):
                    receipts.append(try pipeline.updateDataset(update, of: owner, now: now, in: transaction))
                case .guestDataset(let update, let guest):
                    receipts.append(try pipeline.updateDataset(update, ofGuest: guest, now: now, in: transaction))
                case .guestMerge(let guest, let user, let name):
                    receipts.append(
                        try pipeline.merge(guest, into: user, called: name, now: now, in: transaction))
                }
            }
        }
        for index in receipts.indices { receipts[index].sequence = store.lastSequence }
        return receipts
    }

    /// Decides one request's observations and appends their changes. This is idempotent: an observation that is already
    /// stored changes nothing.
    ///
    /// - Parameter sender: who sent them; nil for the server itself.
    mutating func decideObservations(
        _ observations: [Observation], now: Instant, by sender: Author? = nil, in transaction: any StoreTransaction
    ) throws -> Tally {
        var tally = Tally()
        var next = 0
        rules.rememberFixes(observations)
        while let question = engine.decideBatch(observations, from: &next, now: now, into: &decision, tally: &tally) {
            try append(to: transaction, now: now, by: sender)
            switch question {
            case .isStored where try transaction.holds(observations[next]):
                if let (device, moment) = observations[next].arrival {
                    engine.recordContact(of: device, at: moment, now: now, into: &decision)
                }
                tally.repeated += 1
                next += 1
            case .isStored:
                if case .note(let note, let device) = observations[next] { try transaction.put(note, of: device) }
                tally.count(engine.decide(observations[next], now: now, into: &decision))
                next += 1
            case .trail(let device, let until):
                let trail = try store.trail(of: device, until: until)
                    .filter { !engine.isMisplaced($0, of: device, after: decision) }
                engine.restore(trail, of: device, into: &decision)
            }
        }
        try append(to: transaction, now: now, by: sender)
        return tally
    }

    /// Appends the changes of the decision to the log.
    ///
    /// - Parameter author: who asked for what was decided; nil for the server itself.
    mutating func append(to transaction: any StoreTransaction, now: Instant, by author: Author? = nil) throws {
        let (rules, store) = (rules, store)
        var last = lastAppended
        var closed: [Incident] = []
        defer { lastAppended = last }
        try decision.takeChanges { change in
            let sequence = try transaction.append(change)
            last = sequence
            if var entry = change.audit(at: sequence) {
                if entry.author == author?.user { entry.operatorName = author?.operatorName }
                try transaction.append(entry)
            }
            if !rules.isIdle { try rules.follow(change, sequence, at: now, in: transaction, over: store) }
            if case .incident(let incident) = change, incident.turn == .closed { closed.append(incident) }
        }
        try decision.takeEntries { entry in try transaction.append(entry) }
        for incident in closed { try storeCrewsAndNames(of: incident, in: transaction) }
    }

    /// Decides the consequences of the passing of time: silence, exits that were held back, and check-ins that are due.
    /// Also continues the reviews that edits left unfinished.
    mutating func sweep(now: Instant) throws {
        engine.sweep(now: now, into: &decision)
        try keepDecision(now: now)
    }

    /// Lets `body` decide something about an incident, in one transaction.
    ///
    /// - Throws: the errors of `body` or the store; then nothing has changed, on disk or in memory.
    mutating func withDecision<Result>(
        now: Instant, by author: Author?, _ body: (Engine, any StoreTransaction, inout Decision) throws -> Result
    ) throws -> Result {
        var result: Result?
        try transact(now: now) { pipeline, transaction in
            result = try body(pipeline.engine, transaction, &pipeline.decision)
            try pipeline.append(to: transaction, now: now, by: author)
        }
        guard let result else { preconditionFailure("a transaction that did not throw has run its body") }
        return result
    }

    /// Stores events that a client posted and sends them to the targets that rules name.
    ///
    /// - Returns: the sequence number of each event, in order.
    /// - Throws: the store's errors; then nothing has changed.
    mutating func post(_ events: [PostedEvent], by author: Author?, now: Instant) throws -> [LogSequence] {
        var sequences: [LogSequence] = []
        try transact(now: now) { pipeline, transaction in
            for event in events {
                let sequence = try transaction.append(.posted(event))
                try pipeline.rules.follow(.posted(event), sequence, at: now, in: transaction, over: pipeline.store)
                if let author {
                    try transaction.appendAuditEntry(.posted(event.withoutDetail), at: sequence, now, by: author)
                }
                sequences.append(sequence)
            }
        }
        return sequences
    }

    /// Replaces an index with its rebuilt version.
    mutating func adopt(_ built: BuiltCollection) { engine.adopt(built) }

    /// Stores a decision that no observation led to, if it changes anything.
    mutating func keepDecision(now: Instant) throws {
        guard decision.hasChanges || isReviewToStore else { return engine.adopt(&decision) }
        try transact(now: now) { pipeline, transaction in
            try pipeline.append(to: transaction, now: now)
            try pipeline.openIncidents(now: now, in: transaction)
            try pipeline.openIncidentsOfAttendance(now: now, in: transaction)
        }
    }

    /// Whether the store must note the start of a review that this decision leaves unfinished, or the end of one.
    private var isReviewToStore: Bool { decision.leavesReviewUnfinished.map { $0 != isReviewStored } ?? false }

    /// Runs one transaction, stores the states decided in it, and adopts those states once they are on disk.
    mutating func transact(
        now: Instant, _ body: (inout CommitPipeline, any StoreTransaction) throws -> Void,
        beforeAdopting: (inout CommitPipeline) -> Void = { _ in }
    ) throws {
        defer { rules.endTransaction() }
        do {
            try store.write(at: now) { transaction in
                try body(&self, transaction)
                for (note, device) in decision.notesToStore { try transaction.put(note, of: device) }
                for device in decision.devicesToStore {
                    try transaction.setPresences(decision.presences(of: device), of: device)
                    try transaction.setMusterPresences(decision.musterPresences(of: device), of: device)
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
                try storeAttendanceRules(in: transaction)
                try storeProximityRules(in: transaction)
                if isReviewToStore { try transaction.setReviewing(!isReviewStored) }
            }
        } catch {
            decision.discard()
            throw error
        }
        isReviewStored = decision.leavesReviewUnfinished ?? isReviewStored
        beforeAdopting(&self)
        unrecorded.insert(decision.movedDevices)
        engine.adopt(&decision)
    }
}
