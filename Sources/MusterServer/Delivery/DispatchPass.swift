import MusterCore
import MusterStore
import Synchronization

/// The state of one run of the dispatcher. Only the dispatcher's task uses it.
struct DispatchPass {
    private let dispatcher: DeliveryDispatcher
    private var schedule: DeliverySchedule
    /// The newest delivery read from the store.
    private var seen = DeliveryNumber.zero
    private var mayHoldMore = true
    private var unstored: [Ending] = []
    private var isStoring = false
    private var lastStored = Instant(milliseconds: 0)
    private var timer = WakeTimer()

    /// The outcome of a delivery, to be stored.
    enum Ending: Sendable {
        case complete(DeliveryNumber)
        case postpone(DeliveryNumber, until: Instant, attempts: Int, error: String)
        case deadLetter(DeliveryNumber, attempts: Int, error: String?)
    }

    init(_ dispatcher: DeliveryDispatcher) {
        self.dispatcher = dispatcher
        schedule = DeliverySchedule(dispatcher.policy)
    }

    /// Applies a signal.
    mutating func applySignal(_ signal: DeliveryDispatcher.Signal) async {
        let now = dispatcher.now()
        switch signal {
        case .announced: mayHoldMore = true
        case .changed(let target): schedule.renew(target)
        case .ended(let delivery, let outcome): end(delivery, outcome, now: now)
        case .stored(let isStored):
            isStoring = false
            lastStored = isStored ? now : now.advanced(bySeconds: 1)
        case .timer: timer.noteFired()
        }
    }

    private mutating func end(_ delivery: Delivery, _ outcome: DeliveryOutcome, now: Instant) {
        let verdict = schedule.finish(delivery.number, outcome, now: now, jitter: dispatcher.jitter())
        // The stored count of attempts may be older than the schedule's, which includes those not yet stored.
        var failedAttempts = 0
        switch verdict {
        case .nothing: return
        case .complete: unstored.append(.complete(delivery.number))
        case .retry(let next, let attempts):
            failedAttempts = attempts
            unstored.append(
                .postpone(delivery.number, until: next, attempts: attempts, error: outcome.reason ?? ""))
        case .giveUp(let attempts):
            failedAttempts = attempts
            unstored.append(.deadLetter(delivery.number, attempts: attempts, error: outcome.reason))
        }
        dispatcher.record.withLock { record in
            if case .giveUp = verdict { record.givenUp += 1 }
            guard let reason = outcome.reason else { return record.delivered += 1 }
            record.addFailure(
                DeliveryRecord.Failure(
                    target: delivery.content.target, event: delivery.content.event, rule: delivery.content.rule,
                    at: now, attempts: failedAttempts, reason: reason))
        }
    }

    /// Does everything that can be done now.
    mutating func advance(in group: inout DiscardingTaskGroup) async {
        await takeIn()
        let directory = dispatcher.coordinator.directory
        schedule.follow(now: dispatcher.now()) { directory.targets[$0] }
        while unstored.count < DeliveryDispatcher.unstoredLimit {
            let steps = schedule.steps(now: dispatcher.now(), limit: DeliveryDispatcher.beginningLimit)
            if steps.isEmpty { break }
            await begin(steps, in: &group)
        }
        beginStoringOutcomes(in: &group)
        setTimer()
        publish()
    }

    /// Reads deliveries stored since the last read.
    private mutating func takeIn() async {
        while mayHoldMore {
            let after = seen
            guard
                let page = try? await dispatcher.coordinator.read({
                    try $0.pendingDeliveries(after: after, limit: DeliveryDispatcher.pageLimit)
                })
            else { return }
            let now = dispatcher.now()
            for delivery in page { schedule.add(delivery, now: now) }
            seen = page.last?.number ?? seen
            mayHoldMore = page.count == DeliveryDispatcher.pageLimit
        }
    }

    private mutating func begin(_ steps: [DeliverySchedule.Step], in group: inout DiscardingTaskGroup) async {
        var numbers: [DeliveryNumber] = []
        for step in steps {
            switch step {
            case .send(let number, _): numbers.append(number)
            case .giveUp(let number, let attempts):
                // After an attempt, its error explains more than that the time is over.
                let error = attempts == 0 ? "it could not be tried in time" : nil
                unstored.append(.deadLetter(number, attempts: attempts, error: error))
                dispatcher.record.withLock { $0.givenUp += 1 }
            }
        }
        guard !numbers.isEmpty else { return }
        let wanted = numbers
        let found = try? await dispatcher.coordinator.read { try $0.deliveries(wanted) }
        let now = dispatcher.now()
        let missing = Set(numbers).subtracting((found ?? []).map(\.number))
        for number in missing {
            // The delivery was removed with its target or subject, or the disk cannot read it now.
            let outcome: DeliveryOutcome =
                found == nil ? .failed("it could not be read", retryAfterSeconds: nil) : .vanished
            _ = schedule.finish(number, outcome, now: now, jitter: dispatcher.jitter())
        }
        for delivery in found ?? [] {
            group.addTask { [dispatcher] in
                let outcome = await dispatcher.caller.attempt(delivery)
                if case .gone = outcome { await dispatcher.disable(delivery.content.target) }
                // A delivery that was divided left others in its place.
                if case .vanished = outcome { dispatcher.announceWhatIsNew() }
                dispatcher.signal.yield(.ended(delivery, outcome))
            }
        }
    }

    // MARK: Storing outcomes

    private mutating func beginStoringOutcomes(in group: inout DiscardingTaskGroup) {
        let due = lastStored.advanced(bySeconds: DeliveryDispatcher.storingSeconds)
        guard !isStoring, !unstored.isEmpty, due <= dispatcher.now() else { return }
        isStoring = true
        let endings = unstored
        unstored = []
        group.addTask { [dispatcher] in
            var isStored = false
            while !isStored {
                isStored = await dispatcher.storeOutcomes(endings)
                if !isStored { guard (try? await Task.sleep(for: .seconds(1))) != nil else { break } }
            }
            dispatcher.signal.yield(.stored(isStored))
        }
    }

    /// Stores the remaining outcomes when the server stops. Where the disk refuses, those deliveries are attempted
    /// again after the next start.
    mutating func end() async {
        timer.cancel()
        if !unstored.isEmpty { _ = await dispatcher.storeOutcomes(unstored) }
    }

    // MARK: Time

    private mutating func setTimer() {
        let now = dispatcher.now()
        var next = [schedule.nextMoment(now: now)]
        if !unstored.isEmpty, !isStoring {
            next.append(lastStored.advanced(bySeconds: DeliveryDispatcher.storingSeconds))
        }
        // Repeats a read that failed, and notices when the clock was set.
        if mayHoldMore { next.append(now.advanced(bySeconds: 1)) }
        if schedule.pendingCount > 0 { next.append(now.advanced(bySeconds: 30)) }
        guard let moment = next.compactMap({ $0 }).min() else { return }
        timer.set(moment, now: now) { [signal = dispatcher.signal] in signal.yield(.timer) }
    }

    private func publish() {
        let waiting = schedule.waiting
        let underWay = schedule.underWayCount
        let refused = dispatcher.coordinator.store.refusedDeliveryCount
        let record = dispatcher.record.withLock { record in
            record.waiting = waiting
            record.refused = refused
            record.underWay = underWay
            return record
        }
        dispatcher.metrics.setDeliveries(record)
    }
}

extension DeliveryDispatcher {
    /// Stores the outcomes of deliveries.
    ///
    /// - Returns: whether they are on disk.
    fileprivate func storeOutcomes(_ endings: [DispatchPass.Ending]) async -> Bool {
        do {
            try await coordinator.storeState { transaction, now in
                for ending in endings {
                    switch ending {
                    case .complete(let number): try transaction.complete(number)
                    case .postpone(let number, let next, let attempts, let error):
                        try transaction.postpone(number, until: next, attempts: attempts, error: error)
                    case .deadLetter(let number, let attempts, let error):
                        try transaction.deadLetter(number, at: now, attempts: attempts, error: error)
                    }
                }
            }
            return true
        } catch {
            return false
        }
    }

    /// Disables a target that wants no more events, as Standard Webhooks requires.
    fileprivate func disable(_ number: TargetNumber) async {
        // If the edit fails now, the target gives the same answer to the next delivery.
        try? await coordinator.edit(by: nil) { directory, draft in
            guard var target = directory.targets[number], target.isEnabled else { return }
            target.isEnabled = false
            draft.edits = [.putTarget(target)]
        }
        metrics.count(event: "target_gone")
    }
}
