import Dispatch
import MusterCore
import MusterDocuments
import MusterHTTP
import MusterStore
import Synchronization

/// The state and work of the writer's thread. Every method runs on that thread.
struct Writer {
    var pipeline: CommitPipeline
    let shared: CoordinatorState
    let now: @Sendable () -> Instant
    private var nextSweep = Instant(milliseconds: 0)
    /// When the writer last looked at the clock.
    private var lastMoment = Instant(milliseconds: 0)
    private var nextTidying = Instant(milliseconds: 0)
    private var nextErasure = Instant(milliseconds: 0)
    /// Whether the disk refused a slice of a review. Then the next sweep tries again.
    private var isReviewRefused = false

    /// Seconds between two sweeps (`CommitPipeline.sweep`), which find silent devices, exits held back, and due
    /// check-ins.
    static let sweepSeconds: Double = 2
    /// Seconds between two releases of unused memory, while the queue is empty.
    static let tidyingSeconds: Double = 30
    /// Seconds between two slices of erasing removed documents while requests wait, and the number of documents in a
    /// slice. Erasing takes a few hundredths of the writer's time.
    static let erasureSeconds: Double = 0.2
    static let erasureSlice = 100
    /// After `recordedChanges` changes the writer records the devices that moved, `recordSlice` of them in a
    /// transaction. A restart then replays at most about that many changes, which takes a tenth of a second.
    static let recordedChanges: Int64 = 50_000
    static let recordSlice = 2_000

    init(pipeline: CommitPipeline, shared: CoordinatorState, now: @escaping @Sendable () -> Instant) {
        self.pipeline = pipeline
        self.shared = shared
        self.now = now
    }

    var store: any Store { pipeline.store }

    /// Serves the queue until it is closed and empty.
    mutating func serve(_ queue: WriterQueue) {
        var jobs: [WriterQueue.Job] = []
        lastMoment = now()
        pipeline.engine.adjustTimes(to: lastMoment, wasOff: true)
        while queue.takeJobs(into: &jobs, waitingMilliseconds: isReviewing ? 0 : 200) {
            if jobs.isEmpty {
                rest()
            } else {
                carryOut(jobs)
                eraseWhenDue()
            }
            jobs.removeAll(keepingCapacity: true)
            takeRebuilt()
            sweepWhenDue()
            reviewWhenDue()
            recordWhenDue(after: Self.recordedChanges)
        }
        // Records that the disk refuses are replayed from the log at the next start.
        while (try? pipeline.record(limit: Self.recordSlice, now: now())) == true {}
    }

    /// Stores one slice of device records, once enough changes have come since the last round.
    private mutating func recordWhenDue(after changes: Int64) {
        guard mayDoDeferredWork, pipeline.isRecordDue(after: changes) else { return }
        _ = try? pipeline.record(limit: Self.recordSlice, now: now())
    }

    /// Stores a record of every device that has moved. Must run before the log entries behind those records are
    /// deleted.
    mutating func recordAll() throws {
        while try pipeline.record(limit: Self.recordSlice, now: now()) {}
    }

    /// Carries jobs out in order. Neighbouring ingests share a transaction.
    private mutating func carryOut(_ jobs: [WriterQueue.Job]) {
        var requests: [CommitRequest] = []
        var answers: [@Sendable (Result<Receipt, CoordinatorError>) -> Void] = []
        var count = 0
        for job in jobs {
            switch job {
            case .ingest(.documents(_, let target), let answer) where !holds(target): answer(.failure(.gone))
            case .ingest(.dataset(let update, _), let answer) where !holds(update.owner): answer(.failure(.gone))
            case .ingest(.guestMerge(_, let user, _), let answer) where !holds(user): answer(.failure(.gone))
            case .ingest(let request, let answer):
                requests.append(request)
                answers.append(answer)
                count += request.weight
                guard count >= WriterQueue.batchLimit else { continue }
                commitRequests(&requests, &answers)
                count = 0
            case .run(let body):
                commitRequests(&requests, &answers)
                count = 0
                body(&self)
            }
        }
        commitRequests(&requests, &answers)
    }

    /// Whether the database or user that documents are for still exists.
    private func holds(_ target: WriteTarget) -> Bool {
        shared.directory.withLock { directory in
            target.user.map { directory.users[$0.number] != nil } ?? (directory.databases[target.database] != nil)
        }
    }

    /// Whether the user still exists.
    private func holds(_ user: UserNumber) -> Bool { shared.directory.withLock { $0.users[user] != nil } }

    private mutating func commitRequests(
        _ requests: inout [CommitRequest], _ answers: inout [@Sendable (Result<Receipt, CoordinatorError>) -> Void]
    ) {
        guard !requests.isEmpty else { return }
        defer {
            requests.removeAll(keepingCapacity: true)
            answers.removeAll(keepingCapacity: true)
        }
        do {
            let start = ContinuousClock.now
            let receipts = try pipeline.commit(requests, now: now())
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            // Counted first, so that a client that has its answer finds it in the statistics.
            shared.statistics.withLock { $0.count(receipts, seconds: seconds) }
            for (receipt, answer) in zip(receipts, answers) { answer(.success(receipt)) }
            announce()
        } catch {
            let refusal = CoordinatorError(error)
            shared.statistics.withLock { $0.failedCommits += 1 }
            for answer in answers { answer(.failure(refusal)) }
        }
    }

    /// Lets `body` look at the engine as it is after the last commit.
    func inspect(_ body: (Engine) throws -> Void) throws { try body(pipeline.engine) }

    /// Carries out an edit in a transaction of its own.
    ///
    /// - Parameter author: the author; nil for the server itself.
    mutating func edit<Result>(
        by author: Author?, _ body: (Directory, inout Draft) throws -> Result
    ) throws -> Result {
        let moment = now()
        let (shared, rules) = (shared, pipeline.rules)
        let before = shared.directory.withLock { $0 }
        var endsRights = false
        defer {
            pipeline.streams.forgetSettings()
            announce()
            rebuildAside()
        }
        return try pipeline.edit(now: moment) { pipeline, transaction in
            let (edited, ends) = try Self.carryOut(
                body, by: author, over: before, at: moment, pipeline, transaction, shared.quotas)
            endsRights = ends
            return edited
        } adopted: { edits, muster in
            var after = before.applying(edits)
            rules.follow(edits, muster: muster)
            if let muster { after.musterRegionsByRule = muster }
            shared.directory.withLock { $0 = after }
            if endsRights { shared.endedRights.withLock { $0 += 1 } }
        }
    }

    /// Does what `edit` does, shows what it would change for people, and undoes it.
    ///
    /// - Parameter body: fills a draft, and returns the region whose people matter.
    mutating func rehearse(
        by author: Author?, _ body: (Directory, inout Draft) throws -> RegionNumber
    ) throws -> EditOutlook {
        let moment = now()
        let before = shared.directory.withLock { $0 }
        return try pipeline.rehearse(now: moment) { [shared] pipeline, transaction in
            try Self.carryOut(body, by: author, over: before, at: moment, pipeline, transaction, shared.quotas).edited
        } _: { region, engine, next, decision in
            engine.outlook(in: region, after: next, decision)
        }
    }

    /// Carries out an edit in a transaction that the caller commits or rolls back.
    ///
    /// - Returns: what was carried out, and whether it ends a user's right to tokens.
    private static func carryOut<Result>(
        _ body: (Directory, inout Draft) throws -> Result, by author: Author?, over before: Directory,
        at moment: Instant, _ pipeline: CommitPipeline, _ transaction: any StoreTransaction, _ quotas: Quotas
    ) throws -> (edited: CommitPipeline.Edited<Result>, endsRights: Bool) {
        var draft = Draft(transaction: transaction, store: pipeline.store, author: author)
        let result = try body(before, &draft)
        try quotas.check(draft.edits, over: before, by: author)
        draft.edits = draft.edits.map { [author = draft.author] in $0.made(by: author) }
        draft.edits += before.suspensions(following: draft.edits)
        draft.edits = draft.edits.map { $0.stamped(at: moment, over: before) }
        let after = before.applying(draft.edits)
        let ended =
            try before.tokensEnded(by: draft.edits, following: after, in: pipeline.store)
            + before.linksEnded(by: draft, following: after, in: pipeline.store)
        draft.removedCredentials += ended.map { (kind: $0.kind, key: $0.key) }
        try transaction.carryOut(draft, over: before, to: after, at: moment)
        let entries = try pipeline.appendRollEntries(
            following: draft.edits, over: before, by: draft.author, at: moment, to: transaction)
        let edited = CommitPipeline.Edited(
            result: result, edits: draft.edits, rollEntries: entries,
            muster: pipeline.rules.musterRegions(following: draft.edits, in: after))
        return (edited, !ended.isEmpty || draft.removedCredentials.contains { $0.kind == .link })
    }

    /// Lets the engine decide something in a transaction of its own.
    mutating func withDecision<Result>(
        by author: Author?,
        _ body: (Engine, any StoreTransaction, inout Decision, Instant) throws -> Result
    ) throws -> Result {
        let moment = now()
        let result = try pipeline.withDecision(now: moment, by: author) { engine, transaction, decision in
            try body(engine, transaction, &decision, moment)
        }
        announce()
        return result
    }

    /// Stores events that a client posted, in a transaction of its own.
    ///
    /// - Returns: the logged changes that hold the events, in order.
    /// - Throws: the store's errors; then nothing was stored.
    mutating func post(_ events: [PostedEvent], by author: Author?) throws -> [LoggedChange] {
        let moment = now()
        let sequences = try pipeline.post(events, by: author, now: moment)
        announce()
        return zip(sequences, events).map {
            LoggedChange(sequence: $0, committedAt: moment, change: .posted($1))
        }
    }

    /// Rebuilds an index that many edits made slow on another thread, one index at a time, so that edits of geofences
    /// do not wait.
    private func rebuildAside() {
        let isFree = shared.rebuilding.withLock { state in if case .none = state { true } else { false } }
        guard isFree, let rebuild = pipeline.engine.rebuild else { return }
        shared.rebuilding.withLock { $0 = .underWay }
        DispatchQueue.global(qos: .utility).async { [shared] in
            let built = rebuild.build()
            shared.rebuilding.withLock { $0 = .done(built) }
        }
    }

    private mutating func takeRebuilt() {
        let built = shared.rebuilding.withLock { state -> BuiltCollection? in
            guard case .done(let built) = state else { return nil }
            state = .none
            return built
        }
        guard let built else { return }
        pipeline.adopt(built)
        rebuildAside()
    }

    private mutating func sweepWhenDue() {
        let moment = now()
        // The clock was set back by more than a second, which is more than a gradual correction.
        if moment < lastMoment.advanced(bySeconds: -1) {
            pipeline.engine.adjustTimes(to: moment, wasOff: false)
            (nextSweep, nextTidying, nextErasure) = (moment, moment, moment)
        }
        lastMoment = moment
        guard moment >= nextSweep else { return }
        nextSweep = moment.advanced(bySeconds: Self.sweepSeconds)
        let before = store.lastSequence
        // If the disk refuses, nothing was adopted, and the next sweep decides the same again.
        do {
            try pipeline.sweep(now: moment)
            isReviewRefused = false
        } catch {
            isReviewRefused = true
        }
        if store.lastSequence > before { announce() }
    }

    /// Whether a review is under way, a slice at a time because it concerns many people, and the disk accepts it.
    private var isReviewing: Bool { pipeline.engine.isReviewDue && !isReviewRefused }

    private mutating func reviewWhenDue() {
        guard isReviewing else { return }
        do {
            try pipeline.review(now: now())
            announce()
        } catch {
            isReviewRefused = true
        }
    }

    /// Erases a slice of removed documents even when the queue is never empty.
    private mutating func eraseWhenDue() {
        let moment = now()
        guard moment >= nextErasure else { return }
        nextErasure = moment.advanced(bySeconds: Self.erasureSeconds)
        guard mayDoDeferredWork else { return }
        // If the disk refuses, the next slice tries again.
        _ = try? store.eraseDocuments(limit: Self.erasureSlice)
    }

    /// Whether to try work that can wait. While the disk refuses writes it would fail each time.
    private var mayDoDeferredWork: Bool { shared.storage.status.isWritable }

    /// Tidies the history and releases memory while the queue is empty.
    private mutating func rest() {
        // If the disk refuses, the staged positions stay staged until the next attempt.
        if mayDoDeferredWork { _ = try? store.settle(limit: 20_000) }
        let moment = now()
        guard moment >= nextTidying else { return }
        nextTidying = moment.advanced(bySeconds: Self.tidyingSeconds)
        ProcessMemory.giveBack()
    }

    func announce() {
        shared.quotas.adopt(teamsInIncident: pipeline.engine.teamsInIncident)
        shared.adopted.withLock { $0 = store.lastSequence }
        shared.announce(store.lastSequence)
    }
}

extension StoreTransaction {
    /// Stores a draft: its edits, then its actions, then its credentials.
    fileprivate func carryOut(
        _ draft: Draft, over before: Directory, to after: Directory, at moment: Instant
    ) throws {
        for edit in draft.edits {
            try carryOut(edit)
            if case .putDevice(let device) = edit {
                try movePositionIDs(of: device, from: before.devices[device.number]?.user)
            }
            let sequence = try append(edit.change)
            try recordDatabaseEvent(edit, at: sequence, over: before)
            if let author = draft.author {
                let details = EditDetails(edit, over: before, to: after).json
                try appendAuditEntry(edit.change, at: sequence, moment, by: author, details: details)
            }
        }
        try carryOutActions(of: draft, at: moment)
        for removed in draft.removedCredentials { try removeCredential(removed.kind, key: removed.key) }
        for credential in draft.credentials { try put(credential) }
    }

    /// Records the creation or removal of a database.
    private func recordDatabaseEvent(_ edit: Edit, at sequence: LogSequence, over before: Directory) throws {
        switch edit {
        case .putUser(let user) where before.users[user.number] == nil:
            try recordDatabaseMade(.locations(of: user.number), at: sequence)
        case .putDatabase(let database) where before.databases[database.number] == nil:
            try recordDatabaseMade(database.number, at: sequence)
        case .removeDatabase(let number):
            guard let name = before.databases[number]?.name else { return }
            try recordDatabaseRemoved(number, called: name, at: sequence)
        default: return
        }
    }

    private func carryOut(_ edit: Edit) throws {
        switch edit {
        case .putUser(let user): try put(user)
        case .removeUser(let number), .joinUser(let number, to: _): try remove(number)
        case .putTeam(let team): try put(team)
        case .removeTeam(let number): try remove(number)
        case .putCrew(let crew): try put(crew)
        case .removeCrew(let number): try remove(number)
        case .putDevice(let device): try put(device)
        case .removeDevice(let number): try remove(number)
        case .putTracker(let tracker): try put(tracker)
        case .removeTracker(let number): try remove(number)
        case .putCollection(let collection): try put(collection)
        case .removeCollection(let number): try remove(number)
        case .putRegion(let region): try put(region)
        case .removeRegion(let number, _): try remove(number)
        case .putRule(let rule): try put(rule)
        case .removeRule(let number): try remove(number)
        case .putTarget(let target): try put(target)
        case .removeTarget(let number): try remove(number)
        case .putDatabase(let database): try documents.put(database)
        case .removeDatabase(let number): try documents.remove(number)
        }
    }
}

extension Directory {
    /// Returns the directory after the edits. The original stays as it is.
    fileprivate func applying(_ edits: [Edit]) -> Directory {
        var directory = self
        for edit in edits { directory.apply(edit) }
        return directory
    }
}
