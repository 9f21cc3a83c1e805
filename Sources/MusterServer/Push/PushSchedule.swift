import MusterCore
import MusterStore

/// Decides which message is sent to which device when. Pure: the caller supplies time and randomness.
///
/// The messages to one device form a lane. Only the first of a lane is under way, and of one topic a lane holds only
/// the newest. A lane whose first message fails leaves memory until its time comes; its messages wait in the store.
/// Services take turns, so that a service that hangs does not delay the devices of others. A failing service keeps only
/// a few lanes in memory, so that it leaves room for the messages of other services.
struct PushSchedule {
    /// A change of the store that follows from an attempt.
    enum Edit: Hashable, Sendable {
        case postpone(PostponedPush)
        case forget(topic: String, device: String)
        /// Removes a device that is gone, unless it registered after a moment; nil for one that the store does not
        /// have.
        case remove(device: String, registeredBy: Instant?)

        /// The device that the edit is about.
        var device: String {
            switch self {
            case .postpone(let push): push.device
            case .forget(_, let device), .remove(let device, _): device
            }
        }
    }

    private struct Item {
        var message: PushMessage
        /// The change of the log that the message reports; nil for a message that was read from the store.
        var sequence: Int64?
        /// Whether the store has a message of this topic for the device.
        var isStored: Bool
    }

    private struct Lane {
        var service: String
        var items: [Item]
        var attempts = 0
        var isUnderWay = false
    }

    private struct Service {
        private var ready = FIFOQueue<String>()
        private(set) var readyCount = 0
        var underWay = 0
        var isFailing = false
        /// Whether it has a place in `turns`.
        var isInTurn = false

        mutating func appendReady(_ device: String) {
            ready.append(device)
            readyCount += 1
        }

        /// Removes and returns the device that has waited longest.
        mutating func popReady() -> String? {
            guard let device = ready.popFirst() else { return nil }
            readyCount -= 1
            return device
        }

        /// Removes and returns all devices that wait.
        mutating func takeReady() -> [String] {
            var devices: [String] = []
            while let device = popReady() { devices.append(device) }
            return devices
        }
    }

    private let policy: PushPolicy
    private var lanes: [String: Lane] = [:]
    private var services: [String: Service] = [:]
    private var turns = FIFOQueue<String>()
    private var postponed: [String: (dueAt: Instant, attempts: Int)] = [:]
    private var agenda = Agenda<String>()
    private var outstanding = OutstandingSequences()
    /// The number of messages in memory.
    private(set) var messageCount = 0
    /// The number of attempts under way.
    private(set) var underWayCount = 0

    init(_ policy: PushPolicy) { self.policy = policy }

    /// The number of devices whose messages wait in the store.
    var postponedCount: Int { postponed.count }

    /// The number of the oldest change whose message is in memory and not in the store; nil where there is none.
    var oldestSequence: Int64? { outstanding.oldest }

    /// The time at which the next lane is due; nil where none waits in the store.
    var nextMoment: Instant? { agenda.earliest }

    // MARK: Messages

    /// Adds a message that reports a change of the log.
    ///
    /// - Parameter jitter: a random number in [0, 1).
    /// - Returns: an edit when the message must wait in the store: the device's earlier messages wait there, or its
    ///   service fails and has reached its limit of devices in memory.
    mutating func add(
        _ message: PushMessage, to device: String, of service: String, sequence: Int64, now: Instant, jitter: Double
    ) -> Edit? {
        if postponed[device] == nil, lanes[device] == nil, isCongested(service) {
            let dueAt = now.advanced(bySeconds: policy.putOffSeconds(jitter: jitter))
            postpone(PostponedPushLane(device: device, dueAt: dueAt, attempts: 0))
        }
        if let waiting = postponed[device] {
            return .postpone(
                PostponedPush(
                    device: device, topic: message.topic, message: message.stored, createdAt: message.createdAt,
                    attempts: 0, dueAt: waiting.dueAt))
        }
        let item = Item(message: message, sequence: sequence, isStored: false)
        outstanding.add(sequence)
        guard var lane = lanes.removeValue(forKey: device) else {
            lanes[device] = Lane(service: service, items: [item])
            messageCount += 1
            lineUp(device, of: service)
            return nil
        }
        // A message under way cannot be called back.
        let waiting = lane.items.indices.dropFirst(lane.isUnderWay ? 1 : 0)
        if let index = waiting.first(where: { lane.items[$0].message.topic == message.topic }) {
            outstanding.remove(lane.items[index].sequence)
            lane.items[index] = Item(
                message: message, sequence: sequence, isStored: lane.items[index].isStored)
        } else {
            lane.items.append(item)
            messageCount += 1
        }
        lanes[device] = lane
        return nil
    }

    /// Records, when the server starts, that messages for a device wait in the store.
    mutating func postpone(_ lane: PostponedPushLane) {
        postponed[lane.device] = (lane.dueAt, lane.attempts)
        agenda.add(lane.device, at: lane.dueAt)
    }

    /// Returns devices whose messages are to be read from the store now, at most `limit`. Each is loaded next.
    mutating func dueDevices(_ now: Instant, limit: Int) -> [String] {
        var due: [String] = []
        while due.count < limit, let device = agenda.popDue(now) {
            if postponed[device] != nil { due.append(device) }
        }
        return due
    }

    /// Postpones a device that `dueDevices` returned, because its messages cannot be read yet.
    mutating func delayLane(of device: String, until moment: Instant) {
        guard let lane = postponed[device] else { return }
        postponed[device] = (moment, lane.attempts)
        agenda.add(device, at: moment)
    }

    /// Whether a service fails and has reached the limit of devices that it may keep in memory then.
    func isCongested(_ service: String) -> Bool {
        services[service].map { $0.isFailing && $0.readyCount >= policy.devicesOfFailingService } ?? false
    }

    /// Postpones a device that `dueDevices` returned, because its service is congested.
    mutating func putOff(_ device: String, now: Instant, jitter: Double) {
        delayLane(of: device, until: now.advanced(bySeconds: policy.putOffSeconds(jitter: jitter)))
    }

    /// Adds the messages that waited in the store for a device that `dueDevices` returned; none where the device no
    /// longer exists.
    mutating func load(_ messages: [PushMessage], of service: String, for device: String) {
        guard let waiting = postponed.removeValue(forKey: device), !messages.isEmpty else { return }
        lanes[device] = Lane(
            service: service, items: messages.map { Item(message: $0, sequence: nil, isStored: true) },
            attempts: waiting.attempts)
        messageCount += messages.count
        lineUp(device, of: service)
    }

    // MARK: Attempts

    /// Starts as many attempts as the policy allows, at most `limit`.
    mutating func startAttempts(limit: Int) -> [(device: String, message: PushMessage)] {
        var begun: [(device: String, message: PushMessage)] = []
        while begun.count < limit, underWayCount < policy.attemptsInAll, let name = turns.popFirst() {
            guard var service = services.removeValue(forKey: name) else { continue }
            service.isInTurn = false
            let most = service.isFailing ? policy.attemptsOfFailingService : policy.attemptsOfService
            if service.underWay < most {
                if let device = service.popReady(), let lane = lanes[device] {
                    lanes[device]?.isUnderWay = true
                    service.underWay += 1
                    underWayCount += 1
                    begun.append((device, lane.items[0].message))
                }
                giveTurn(name, &service)
            }
            services[name] = service
        }
        return begun
    }

    /// Ends an attempt.
    ///
    /// - Parameter outcome: nil where the device is gone from the store.
    /// - Returns: what to store, and the number of messages given up.
    mutating func finish(
        _ device: String, _ outcome: PushOutcome?, now: Instant, jitter: Double
    ) -> (edits: [Edit], givenUp: Int) {
        guard var lane = lanes.removeValue(forKey: device), lane.isUnderWay else { return ([], 0) }
        lane.isUnderWay = false
        underWayCount -= 1
        free(lane.service, outcome)
        messageCount -= lane.items.count
        switch outcome {
        case nil:
            for item in lane.items { outstanding.remove(item.sequence) }
            return ([.remove(device: device, registeredBy: nil)], 0)
        case .gone(_, let end)?:
            // The device may have registered again meanwhile: then its messages are in the store, and it gets them.
            let waiting = postpone(lane, of: device, attempts: lane.attempts, until: now)
            return (waiting.edits + [.remove(device: device, registeredBy: end ?? now)], 0)
        case .delivered?, .refused?, .obsolete?:
            let done = lane.items.removeFirst()
            outstanding.remove(done.sequence)
            storeLane(lane, of: device)
            if done.message.endsRegistration, outcome != .obsolete {
                return ([.remove(device: device, registeredBy: done.message.createdAt)], 0)
            }
            return (done.isStored ? [.forget(topic: done.message.topic, device: device)] : [], 0)
        case .retry?, .misconfigured?, .foreign?:
            let asked: Double? = if case .retry(_, let seconds)? = outcome { seconds } else { nil }
            let attempts = lane.attempts + 1
            let delay = max(policy.delaySeconds(afterAttempts: attempts, jitter: jitter), asked ?? 0)
            let dueAt = now.advanced(bySeconds: min(delay, policy.lifetimeSeconds))
            var (edits, givenUp) = postpone(lane, of: device, attempts: attempts, until: dueAt)
            // A foreign token says nothing about the service, so the messages of other devices go on.
            if case .foreign? = outcome { return (edits, givenUp) }
            let shed = shed(lane.service, now: now, jitter: jitter)
            edits += shed.edits
            givenUp += shed.givenUp
            return (edits, givenUp)
        }
    }

    /// Moves the devices of a failing service to the store, except for the few that may stay in memory.
    private mutating func shed(_ name: String, now: Instant, jitter: Double) -> (edits: [Edit], givenUp: Int) {
        let most = policy.devicesOfFailingService
        guard var service = services[name], service.isFailing, service.readyCount > most else { return ([], 0) }
        let ready = service.takeReady()
        for device in ready.prefix(most) { service.appendReady(device) }
        services[name] = service
        var edits: [Edit] = []
        var givenUp = 0
        for (index, device) in ready.dropFirst(most).enumerated() {
            guard let lane = lanes.removeValue(forKey: device) else { continue }
            messageCount -= lane.items.count
            // The delays are spread, so that the devices return one after another.
            let spread = (jitter + Double(index) * 0.618_034).truncatingRemainder(dividingBy: 1)
            let dueAt = now.advanced(bySeconds: policy.putOffSeconds(jitter: spread))
            let waiting = postpone(lane, of: device, attempts: lane.attempts, until: dueAt)
            edits += waiting.edits
            givenUp += waiting.givenUp
        }
        return (edits, givenUp)
    }

    private mutating func storeLane(_ lane: Lane, of device: String) {
        guard !lane.items.isEmpty else { return }
        var lane = lane
        lane.attempts = 0
        lanes[device] = lane
        messageCount += lane.items.count
        lineUp(device, of: lane.service)
    }

    private mutating func postpone(
        _ lane: Lane, of device: String, attempts: Int, until dueAt: Instant
    ) -> (edits: [Edit], givenUp: Int) {
        var edits: [Edit] = []
        var (waiting, givenUp) = (0, 0)
        for (index, item) in lane.items.enumerated() {
            outstanding.remove(item.sequence)
            let topic = item.message.topic
            // A newer message of the topic came while this one was under way.
            if index == 0, lane.items.dropFirst().contains(where: { $0.message.topic == topic }) {
                if item.isStored { edits.append(.forget(topic: topic, device: device)) }
                continue
            }
            let end = min(item.message.expiresAt, item.message.createdAt.advanced(bySeconds: policy.lifetimeSeconds))
            guard dueAt < end else {
                givenUp += 1
                if item.message.endsRegistration {
                    edits.append(.remove(device: device, registeredBy: item.message.createdAt))
                } else if item.isStored {
                    edits.append(.forget(topic: topic, device: device))
                }
                continue
            }
            waiting += 1
            edits.append(
                .postpone(
                    PostponedPush(
                        device: device, topic: topic, message: item.message.stored, createdAt: item.message.createdAt,
                        attempts: attempts, dueAt: dueAt)))
        }
        if waiting > 0 { postpone(PostponedPushLane(device: device, dueAt: dueAt, attempts: attempts)) }
        return (edits, givenUp)
    }

    // MARK: Services

    private mutating func lineUp(_ device: String, of name: String) {
        var service = services.removeValue(forKey: name) ?? Service()
        service.appendReady(device)
        giveTurn(name, &service)
        services[name] = service
    }

    private mutating func free(_ name: String, _ outcome: PushOutcome?) {
        guard var service = services.removeValue(forKey: name) else { return }
        service.underWay -= 1
        switch outcome {
        case .retry?, .misconfigured?: service.isFailing = true
        case .delivered?, .gone?, .refused?: service.isFailing = false
        case .foreign?, .obsolete?, nil: break
        }
        giveTurn(name, &service)
        // A service without messages is removed.
        if service.underWay > 0 || service.readyCount > 0 { services[name] = service }
    }

    private mutating func giveTurn(_ name: String, _ service: inout Service) {
        guard !service.isInTurn, service.readyCount > 0 else { return }
        service.isInTurn = true
        turns.append(name)
    }
}

/// The changes whose messages are in memory and nowhere else. They are added in the order of the log.
private struct OutstandingSequences {
    private var counts: [Int64: Int] = [:]
    private var order: [Int64] = []
    private var start = 0

    /// The oldest change; nil where there is none.
    var oldest: Int64? { start < order.count ? order[start] : nil }

    mutating func add(_ sequence: Int64) {
        let count = counts[sequence, default: 0]
        counts[sequence] = count + 1
        // The messages of one change may be added in steps, and those of a step may be sent before the next.
        if count == 0, order.last != sequence || start == order.count { order.append(sequence) }
    }

    /// Removes one message of a change. O(1) on average.
    mutating func remove(_ sequence: Int64?) {
        guard let sequence, let count = counts[sequence] else { return }
        counts[sequence] = count > 1 ? count - 1 : nil
        while start < order.count, counts[order[start]] == nil { start += 1 }
        if start > 1_024, start * 2 > order.count {
            order.removeFirst(start)
            start = 0
        }
    }
}
