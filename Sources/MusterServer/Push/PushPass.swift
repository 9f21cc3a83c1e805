import MusterCore
import MusterStore
import Synchronization

/// The state of one run of the push dispatcher. Only the dispatcher's task uses it.
struct PushPass {
    private let dispatcher: PushDispatcher
    private var schedule: PushSchedule
    /// The change up to which the log was read; nil until the stored position has been read.
    private var seen: LogSequence?
    private var storedMark = LogSequence.zero
    private var mayHoldMore = true
    /// Changes that were read and whose notifications are not yet queued for every device, the next one last.
    private var expansions: [PushExpansion] = []
    /// Whether reading the store failed. If so, the pass tries again later.
    private var isStuck = false
    private var unstored: [PushSchedule.Edit] = []
    /// How many edits of each device are not on disk yet.
    private var unstoredDevices: [String: Int] = [:]
    private var storing: [PushSchedule.Edit]?
    private var storingMark = LogSequence.zero
    private var lastStored = Instant(milliseconds: 0)
    private var hasSent = false
    private var timer = WakeTimer()

    init(_ dispatcher: PushDispatcher) {
        self.dispatcher = dispatcher
        schedule = PushSchedule(dispatcher.policy)
    }

    /// Applies a signal.
    mutating func applySignal(_ signal: PushDispatcher.Signal) {
        let now = dispatcher.now()
        switch signal {
        case .announced: mayHoldMore = true
        case .ended(let device, let outcome): endAttempt(to: device, outcome, now: now)
        case .stored(let isStored):
            for edit in storing ?? [] {
                let left = (unstoredDevices[edit.device] ?? 1) - 1
                unstoredDevices[edit.device] = left > 0 ? left : nil
            }
            storing = nil
            if isStored { storedMark = storingMark }
            lastStored = isStored ? now : now.advanced(bySeconds: 1)
        case .timer: timer.noteFired()
        }
    }

    private mutating func endAttempt(to device: String, _ outcome: PushOutcome?, now: Instant) {
        let (edits, givenUp) = schedule.finish(device, outcome, now: now, jitter: dispatcher.jitter())
        edits.forEach { addEdit($0) }
        hasSent = true
        if givenUp > 0 { dispatcher.record.withLock { $0.givenUp += givenUp } }
    }

    private mutating func addEdit(_ edit: PushSchedule.Edit) {
        unstored.append(edit)
        unstoredDevices[edit.device, default: 0] += 1
    }

    /// Does everything that can be done now.
    mutating func advance(in group: inout DiscardingTaskGroup) async {
        isStuck = false
        await open()
        await loadDue()
        repeat {
            await readLog()
            await expandNotifications()
            await startAttempts(in: &group)
        } while mayGoOn
        beginStoringOutcomes(in: &group)
        setTimer()
        publish()
    }

    /// Whether attempts, or a transaction, are under way whose end will be signalled.
    var isBusy: Bool { schedule.underWayCount > 0 || storing != nil }

    /// Whether more can be read and sent at once.
    private var mayGoOn: Bool { !isStuck && hasRoom && (mayHoldMore || !expansions.isEmpty) }

    private var hasRoom: Bool {
        schedule.messageCount < dispatcher.policy.messagesInMemory && unstored.count < Self.unstoredLimit
    }

    /// With so many edits not stored, because the disk refuses, nothing more is read.
    private static let unstoredLimit = 10_000

    // MARK: Reading

    /// Reads where to begin, and which devices have messages that wait.
    private mutating func open() async {
        guard seen == nil else { return }
        var lanes: [PostponedPushLane] = []
        do {
            var isWhole = false
            while !isWhole {
                let after = lanes.last?.device
                let page = try await dispatcher.coordinator.read {
                    try $0.postponedPushLanes(after: after, limit: PushDispatcher.pageLimit)
                }
                lanes += page
                isWhole = page.count < PushDispatcher.pageLimit
            }
            storedMark = try await dispatcher.coordinator.read { try $0.pushedThrough }
            seen = storedMark
        } catch {
            isStuck = true
            return
        }
        for lane in lanes { schedule.postpone(lane) }
    }

    /// Reads the log on, while there is room for more messages.
    private mutating func readLog() async {
        guard !isStuck, mayHoldMore, hasRoom, expansions.isEmpty, let after = seen else { return }
        let end = dispatcher.coordinator.lastSequence
        do {
            let changes = try await dispatcher.coordinator.read { store in
                try store.hasPushDevices ? store.changes(since: after, limit: PushDispatcher.pageLimit) : nil
            }
            // Without a push device, no earlier change needs to be sent.
            guard let changes else {
                seen = max(after, end)
                mayHoldMore = false
                return
            }
            let recipients = PushRecipients(
                directory: dispatcher.coordinator.directory, origin: dispatcher.coordinator.origin)
            expansions = changes.reversed().flatMap { change in
                recipients.notifications(of: change).reversed().map {
                    PushExpansion(notification: $0, sequence: change.sequence.rawValue)
                }
            }
            seen = max(changes.last?.sequence ?? end, after)
            mayHoldMore = !changes.isEmpty
        } catch StoreError.trimmed(let oldest) {
            // Changes older than the log are older than the time for which a push is tried.
            seen = LogSequence(max(after.rawValue, oldest.rawValue - 1))
        } catch {
            isStuck = true
        }
    }

    /// Queues the notifications of changes that were read for the devices of their recipients, while there is room.
    private mutating func expandNotifications() async {
        while !isStuck, hasRoom, !expansions.isEmpty {
            let steps = nextExpansions()
            guard
                let found = try? await dispatcher.coordinator.read({ store in
                    try steps.map { try $0.devices(in: store) }
                })
            else {
                isStuck = true
                return
            }
            let now = dispatcher.now()
            for (step, devices) in zip(steps, found) {
                for device in devices where device.id != step.notification.writer {
                    let edit = schedule.add(
                        step.notification.message, to: device.id, of: device.service, sequence: step.sequence, now: now,
                        jitter: dispatcher.jitter())
                    if let edit { addEdit(edit) }
                }
                expansions.removeLast()
                if let rest = step.rest { expansions.append(rest) }
            }
        }
    }

    /// The next changes to send, in order: several changes, up to and including one that is sent to many people in
    /// steps.
    private func nextExpansions() -> [PushExpansion] {
        var steps: [PushExpansion] = []
        for step in expansions.reversed().prefix(PushDispatcher.expansionLimit) {
            steps.append(step)
            if step.rest != nil { break }
        }
        return steps
    }

    /// Reads the messages of devices whose time has come.
    private mutating func loadDue() async {
        let now = dispatcher.now()
        while !isStuck, hasRoom {
            let due = schedule.dueDevices(now, limit: PushDispatcher.lookupLimit)
            if due.isEmpty { return }
            let ready = due.filter { unstoredDevices[$0] == nil }
            for device in due where unstoredDevices[device] != nil {
                schedule.delayLane(of: device, until: now.advanced(bySeconds: PushDispatcher.storingSeconds))
            }
            if ready.isEmpty { return }
            let found = try? await dispatcher.coordinator.read { store in
                try ready.map { device in
                    let credential = try store.credential(.pushDevice, key: Array(device.utf8))
                    let service = credential.flatMap { PushDevice($0)?.scheduleService }
                    return (service, try store.postponedPushes(to: device))
                }
            }
            guard let found else {
                for device in ready { schedule.delayLane(of: device, until: now.advanced(bySeconds: 1)) }
                isStuck = true
                return
            }
            for (device, (service, pushes)) in zip(ready, found) {
                if let service, schedule.isCongested(service) {
                    schedule.putOff(device, now: now, jitter: dispatcher.jitter())
                    continue
                }
                let messages = pushes.compactMap { PushMessage(stored: $0.message, topic: $0.topic) }
                schedule.load(service == nil ? [] : messages, of: service ?? "", for: device)
                if service == nil { addEdit(.remove(device: device, registeredBy: nil)) }
            }
        }
    }

    // MARK: Sending

    private mutating func startAttempts(in group: inout DiscardingTaskGroup) async {
        while true {
            let begun = schedule.startAttempts(limit: PushDispatcher.beginningLimit)
            if begun.isEmpty { return }
            let found = try? await dispatcher.coordinator.read { store in
                try begun.map { device, message in
                    let credential = try store.credential(.pushDevice, key: Array(device.utf8))
                    let isObsolete = try message.isObsolete(for: credential.flatMap { PushDevice($0) }, in: store)
                    return (credential: credential, isObsolete: isObsolete)
                }
            }
            let now = dispatcher.now()
            for (index, (device, message)) in begun.enumerated() {
                guard let found else {
                    let reason = "the push device's address could not be read from the store"
                    endAttempt(to: device, .retry(reason, afterSeconds: nil), now: now)
                    continue
                }
                guard let credential = found[index].credential else {
                    endAttempt(to: device, nil, now: now)
                    continue
                }
                if found[index].isObsolete {
                    endAttempt(to: device, .obsolete, now: now)
                    continue
                }
                group.addTask { [dispatcher] in
                    let outcome = await dispatcher.attempt(message, to: credential)
                    dispatcher.signal(.ended(device: device, outcome))
                }
            }
        }
    }

    // MARK: Storing outcomes

    /// The change up to which everything was sent, given up or is to be stored by the edits so far.
    private var mark: LogSequence {
        let oldest = [schedule.oldestSequence, expansions.last?.sequence].compactMap { $0 }.min()
        return oldest.map { LogSequence($0 - 1) } ?? seen ?? .zero
    }

    private var nextStoring: Instant? {
        if storing != nil { return nil }
        if !unstored.isEmpty { return lastStored.advanced(bySeconds: PushDispatcher.storingSeconds) }
        guard mark > storedMark else { return nil }
        let wait = hasSent ? PushDispatcher.markSeconds.sent : PushDispatcher.markSeconds.idle
        return lastStored.advanced(bySeconds: wait)
    }

    private mutating func beginStoringOutcomes(in group: inout DiscardingTaskGroup) {
        guard let moment = nextStoring, moment <= dispatcher.now() else { return }
        let (edits, mark) = (unstored, mark)
        (storing, storingMark, unstored, hasSent) = (edits, mark, [], false)
        group.addTask { [dispatcher] in
            var isStored = false
            while !isStored {
                isStored = await dispatcher.storeOutcomes(edits, through: mark)
                if !isStored { guard (try? await Task.sleep(for: .seconds(1))) != nil else { break } }
            }
            dispatcher.signal(.stored(isStored))
        }
    }

    /// Stores the rest when the server stops. Where the disk refuses, those messages are sent again after the next
    /// start.
    mutating func end() async {
        timer.cancel()
        guard seen != nil, storing != nil || !unstored.isEmpty || mark > storedMark else { return }
        // A transaction under way may fail, so its edits are made again.
        _ = await dispatcher.storeOutcomes((storing ?? []) + unstored, through: mark)
    }

    // MARK: Time

    private mutating func setTimer() {
        let now = dispatcher.now()
        var next = [schedule.nextMoment, nextStoring]
        // Repeats a read that failed, and notices when the clock was set.
        if isStuck { next.append(now.advanced(bySeconds: 1)) }
        if schedule.postponedCount > 0 { next.append(now.advanced(bySeconds: 30)) }
        guard let moment = next.compactMap({ $0 }).min() else { return }
        timer.set(moment, now: now) { [dispatcher] in dispatcher.signal(.timer) }
    }

    private func publish() {
        let (underWay, messages, postponed) = (
            schedule.underWayCount, schedule.messageCount, schedule.postponedCount
        )
        let through = mark.rawValue
        dispatcher.record.withLock { record in
            record.underWay = underWay
            record.messages = messages
            record.postponed = postponed
            record.through = through
        }
    }
}

extension PushDispatcher {
    /// Stores the outcomes of messages, and the change up to which the log was handled.
    ///
    /// - Returns: whether they are on disk.
    fileprivate func storeOutcomes(_ edits: [PushSchedule.Edit], through mark: LogSequence) async -> Bool {
        do {
            try await coordinator.storeState { transaction, _ in
                for edit in edits {
                    switch edit {
                    case .postpone(let push): try transaction.postpone(push)
                    case .forget(let topic, let device): try transaction.forgetPush(of: topic, to: device)
                    case .remove(let device, let moment):
                        try transaction.removePushDevice(device, registeredBy: moment)
                    }
                }
                try transaction.setPushedThrough(mark)
            }
            return true
        } catch {
            return false
        }
    }
}
