import MusterCore
import MusterStore

/// The road of every observation, whole:
///
///     what is waiting → one transaction { engine decides → log appends } → on disk → states adopted → senders answered
///
/// It lives on the writer's thread; `Ledger` feeds it.
struct Ingest {
    let store: any Store
    private(set) var engine: Engine
    private var decision = Decision()

    init(store: any Store, engine: Engine) {
        self.store = store
        self.engine = engine
    }

    /// Decides and stores the observations of several requests in one transaction.
    ///
    /// - Returns: a receipt a request, in order; everything they count is durable.
    /// - Throws: what the store throws; then nothing happened, on disk or in memory.
    mutating func commit(_ requests: [[Observation]], now: Instant) throws -> [Receipt] {
        var receipts: [Receipt] = []
        receipts.reserveCapacity(requests.count)
        try transact(now: now) { ingest, transaction in
            for observations in requests {
                var receipt = Receipt()
                for observation in observations {
                    receipt.count(try ingest.decide(observation, now: now, in: transaction))
                }
                receipts.append(receipt)
            }
        }
        for index in receipts.indices { receipts[index].sequence = store.lastSequence }
        return receipts
    }

    /// One observation: a repetition changes nothing; anything else is decided and its changes appended.
    private mutating func decide(
        _ observation: Observation, now: Instant, in transaction: any StoreTransaction
    ) throws -> Outcome {
        let isHistory = engine.isHistory(observation, now: now, after: decision)
        if isHistory, try transaction.holds(observation) { return .repeated }
        if case .note(let note, let device) = observation { try transaction.put(note, of: device) }
        let verdict = engine.decide(observation, now: now, into: &decision)
        try decision.takeChanges { change in try transaction.append(change) }
        return .decided(verdict)
    }

    /// What time alone changes: silence, and exits that were held back.
    mutating func sweep(now: Instant) throws {
        engine.sweep(now: now, into: &decision)
        try keepDecision(now: now)
    }

    /// Follows edits that are on disk already.
    mutating func follow(_ edits: [Edit], now: Instant) throws {
        var reviewIsDue = false
        for edit in edits where engine.apply(edit) { reviewIsDue = true }
        guard reviewIsDue else { return }
        engine.review(now: now, into: &decision)
        try keepDecision(now: now)
    }

    /// Stores what was decided without an observation, if it was anything.
    private mutating func keepDecision(now: Instant) throws {
        guard decision.hasChanges else { return }
        try transact(now: now) { ingest, transaction in
            try ingest.decision.takeChanges { change in try transaction.append(change) }
        }
    }

    /// Runs one transaction, stores the states that were decided in it, and adopts them once they are on disk.
    private mutating func transact(
        now: Instant, _ body: (inout Ingest, any StoreTransaction) throws -> Void
    ) throws {
        do {
            try store.write(at: now) { transaction in
                try body(&self, transaction)
                for device in decision.devicesToStore {
                    try transaction.setPresences(decision.presences(of: device), of: device)
                }
                for user in decision.peopleToStore {
                    if let safety = decision.safety(of: user) { try transaction.setSafety(safety, of: user) }
                }
            }
        } catch {
            decision.discard()
            throw error
        }
        engine.adopt(&decision)
    }
}

/// What became of an observation at the door of the log.
private enum Outcome {
    case repeated
    case decided(Verdict)
}

extension Receipt {
    fileprivate mutating func count(_ outcome: Outcome) {
        switch outcome {
        case .repeated: repeated += 1
        case .decided(.accepted): accepted += 1
        case .decided(.late): late += 1
        case .decided(.filtered): filtered += 1
        }
    }
}

extension StoreTransaction {
    fileprivate func holds(_ observation: Observation) throws -> Bool {
        switch observation {
        case .position(let position, let device): try holds(position, of: device)
        case .sighting(let sighting, let device): try holds(sighting, of: device)
        case .note(let note, let device): try self.note(note.name, of: device).map { note.repeats($0) } ?? false
        }
    }
}
