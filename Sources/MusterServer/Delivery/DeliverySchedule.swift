import MusterCore
import MusterStore

/// Decides which delivery may be attempted when: the webhook retry, with exponential backoff (`DeliveryPolicy`). Pure:
/// the caller supplies time and randomness.
///
/// Deliveries about one subject to one target form a lane. The first delivery of a lane is attempted until it arrives
/// or is given up; only then the next. So a receiver sees each device's events in order. Lanes do not wait for each
/// other, and neither do targets.
struct DeliverySchedule {
    let policy: DeliveryPolicy
    private var targets: [TargetNumber: TargetLanes] = [:]
    private var underWay: [DeliveryNumber: Place] = [:]
    private var agenda = Agenda<Place>()
    /// The index of the target to begin the next round with, so that no target is always the last.
    private var round = 0
    private(set) var pendingCount = 0

    /// The place of a lane: its target, and its number within the target.
    private struct Place {
        let target: TargetNumber
        let lane: Int64
    }

    private struct TargetLanes {
        var lanes: [Int64: DeliveryLane] = [:]
        var ready = FIFOQueue<Int64>()
        var pending = 0
        var underWay = 0
        var isEnabled = true
        /// The last delivery that may begin; nil for all.
        var through: DeliveryNumber?
        var circuit = TargetCircuit()
        /// The end of the pause that the target requested by `Retry-After`.
        var pausedUntil: Instant?
        /// When to look for deliveries that are too old among the lanes that cannot begin.
        var reviewAt: Instant?
    }

    /// A step to take now.
    enum Step: Hashable {
        case send(DeliveryNumber, to: TargetNumber)
        /// The delivery became too old before its (next) attempt, and becomes a dead letter.
        case giveUp(DeliveryNumber, attempts: Int)
    }

    /// The change to store about a delivery after an attempt.
    enum Verdict: Hashable {
        case complete
        case retry(at: Instant, attempts: Int)
        case giveUp(attempts: Int)
        /// The schedule no longer knows the delivery; there is nothing to store.
        case nothing
    }

    init(_ policy: DeliveryPolicy = DeliveryPolicy()) { self.policy = policy }

    /// For each target with waiting deliveries: their number, and whether the target is only probed.
    var waiting: [TargetNumber: (pending: Int, isProbing: Bool)] {
        targets.filter { $0.value.pending > 0 }.mapValues { ($0.pending, $0.circuit.probeAt != nil) }
    }

    /// Whether the target's circuit breaker is open: because deliveries failed, the server sends the target only one at
    /// a time, as a probe.
    func isProbing(_ target: TargetNumber) -> Bool { targets[target]?.circuit.probeAt != nil }

    /// The number of attempts under way.
    var underWayCount: Int { underWay.count }

    /// Adds a delivery to the end of its lane.
    mutating func add(_ delivery: PendingDelivery, now: Instant) {
        let entry = LaneEntry(
            number: delivery.number, createdAt: delivery.createdAt, nextAttemptAt: delivery.nextAttemptAt,
            attempts: delivery.attempts)
        let lane = Self.lane(of: delivery)
        pendingCount += 1
        targets[delivery.target, default: TargetLanes()].pending += 1
        guard targets[delivery.target]?.lanes[lane] == nil else {
            targets[delivery.target]?.lanes[lane]?.rest.append(entry)
            return
        }
        targets[delivery.target]?.lanes[lane] = DeliveryLane(head: entry, state: .waiting)
        line(up: lane, of: delivery.target, now: now)
    }

    /// Deliveries without a subject have no order. Each has a lane of its own, numbered above all subjects.
    private static func lane(of delivery: PendingDelivery) -> Int64 {
        delivery.subject == .nobody ? delivery.number.rawValue + (1 << 32) : Int64(delivery.subject.code)
    }

    /// Puts a lane on the agenda until its first delivery is due, or in its target's queue when it is. A delivery that
    /// is held is due when it is too old.
    private mutating func line(up lane: Int64, of target: TargetNumber, now: Instant) {
        guard let head = targets[target]?.lanes[lane]?.head else { return }
        if isHeld(head, of: target), now < end(of: head) {
            targets[target]?.lanes[lane]?.state = .held
            agenda.add(Place(target: target, lane: lane), at: end(of: head))
        } else if head.nextAttemptAt <= now || end(of: head) <= now {
            targets[target]?.lanes[lane]?.state = .ready
            targets[target]?.ready.append(lane)
        } else {
            targets[target]?.lanes[lane]?.state = .waiting
            agenda.add(Place(target: target, lane: lane), at: min(head.nextAttemptAt, end(of: head)))
        }
    }

    /// Whether a delivery waits until a person or a timer releases it.
    private func isHeld(_ entry: LaneEntry, of target: TargetNumber) -> Bool {
        targets[target]?.through.map { $0 < entry.number } ?? false
    }

    private func end(of entry: LaneEntry) -> Instant { entry.createdAt.advanced(bySeconds: policy.lifetimeSeconds) }

    /// Applies the directory. A target that is not enabled receives nothing, and one that is run by hand only what was
    /// released; one that no longer exists is dropped.
    mutating func follow(now: Instant, _ find: (TargetNumber) -> Target?) {
        for number in Array(targets.keys) {
            guard let target = find(number) else {
                pendingCount -= targets.removeValue(forKey: number)?.pending ?? 0
                continue
            }
            targets[number]?.isEnabled = target.isEnabled
            let through = target.mode.through.map { DeliveryNumber($0) }
            guard targets[number]?.through != through else { continue }
            targets[number]?.through = through
            for (lane, state) in targets[number]?.lanes.mapValues(\.state) ?? [:] {
                if case .held = state { line(up: lane, of: number, now: now) }
            }
        }
    }

    /// Lets a target be tried at once, because an admin changed it.
    mutating func renew(_ target: TargetNumber) {
        targets[target]?.circuit.succeed()
        targets[target]?.pausedUntil = nil
    }

    // MARK: Beginning

    /// Returns at most `limit` steps to take now. Call it again until it returns none.
    mutating func steps(now: Instant, limit: Int) -> [Step] {
        while let place = agenda.popDue(now) {
            guard let lane = targets[place.target]?.lanes[place.lane], isDue(lane, at: now) else { continue }
            targets[place.target]?.lanes[place.lane]?.state = .ready
            targets[place.target]?.ready.append(place.lane)
        }
        var steps: [Step] = []
        let order = targets.filter { !$0.value.ready.isEmpty }.keys.sorted()
        guard !order.isEmpty else { return [] }
        round += 1
        var hasBegun = true
        while hasBegun, steps.count < limit {
            hasBegun = false
            // Each round takes one lane of each target, so that a target with many lanes does not take all that is
            // left.
            for index in order.indices where steps.count < limit {
                let target = order[(index + round) % order.count]
                guard let step = nextStep(of: target, now: now) else { continue }
                steps.append(step)
                hasBegun = true
            }
        }
        for target in order where steps.count < limit {
            steps += review(target, now: now, limit: limit - steps.count)
        }
        return steps
    }

    /// Whether a lane on the agenda may begin, or is to be given up. A lane that changed its state meanwhile has a
    /// later place on the agenda, or none.
    private func isDue(_ lane: DeliveryLane, at now: Instant) -> Bool {
        switch lane.state {
        case .ready, .underWay: false
        case .waiting: lane.head.nextAttemptAt <= now || end(of: lane.head) <= now
        case .held: end(of: lane.head) <= now
        }
    }

    private mutating func nextStep(of target: TargetNumber, now: Instant) -> Step? {
        guard mayBegin(target, now: now) else { return nil }
        let isProbe = isProbing(target)
        while let lane = targets[target]?.ready.popFirst() {
            guard let head = targets[target]?.lanes[lane]?.head else { continue }
            guard now < end(of: head) else {
                advance(lane, of: target, now: now)
                return .giveUp(head.number, attempts: Int(head.attempts))
            }
            guard !isHeld(head, of: target) else {
                line(up: lane, of: target, now: now)
                continue
            }
            targets[target]?.lanes[lane]?.state = .underWay(isProbe: isProbe)
            targets[target]?.underWay += 1
            underWay[head.number] = Place(target: target, lane: lane)
            return .send(head.number, to: target)
        }
        return nil
    }

    /// Whether a target has a lane ready and may receive an attempt.
    private func mayBegin(_ number: TargetNumber, now: Instant) -> Bool {
        guard let target = targets[number], !target.ready.isEmpty else { return false }
        guard target.isEnabled, target.pausedUntil.map({ $0 <= now }) ?? true else { return false }
        if let probeAt = target.circuit.probeAt { return probeAt <= now && target.underWay == 0 }
        if target.underWay == 0 { return true }
        return target.underWay < policy.attemptsPerTarget && underWay.count < policy.attemptsInAll
    }

    /// Gives up deliveries that became too old in lanes that cannot begin. Checks them only from time to time.
    private mutating func review(_ target: TargetNumber, now: Instant, limit: Int) -> [Step] {
        guard targets[target]?.ready.isEmpty == false, !mayBegin(target, now: now) else {
            targets[target]?.reviewAt = nil
            return []
        }
        if let due = targets[target]?.reviewAt, due <= now {
            let expired = expiredLanes(of: target, now: now, limit: limit)
            let lanes = Set(expired.map(\.lane))
            targets[target]?.ready.removeAll { lanes.contains($0) }
            for lane in lanes { advance(lane, of: target, now: now) }
            // There may be more than these, so the review stays due.
            if !expired.isEmpty { return expired.map(\.step) }
        } else if targets[target]?.reviewAt != nil {
            return []
        }
        targets[target]?.reviewAt = now.advanced(bySeconds: min(30, policy.lifetimeSeconds / 4))
        return []
    }

    /// Ready lanes whose first delivery is too old.
    private func expiredLanes(of target: TargetNumber, now: Instant, limit: Int) -> [(lane: Int64, step: Step)] {
        guard let lanes = targets[target]?.lanes else { return [] }
        return lanes.lazy.compactMap { key, lane -> (lane: Int64, step: Step)? in
            guard case .ready = lane.state, end(of: lane.head) <= now else { return nil }
            return (key, .giveUp(lane.head.number, attempts: Int(lane.head.attempts)))
        }.prefix(limit).map { $0 }
    }

    /// The next time at which a step becomes possible; nil when only an outcome or a new delivery makes one possible.
    func nextMoment(now: Instant) -> Instant? {
        targets.values.reduce(agenda.earliest) { earliest, target in
            guard !target.ready.isEmpty else { return earliest }
            let opening = target.isEnabled ? [target.pausedUntil, target.circuit.probeAt].compactMap { $0 }.max() : nil
            let next = [earliest, opening.flatMap { $0 > now ? $0 : nil }, target.reviewAt].compactMap { $0 }
            return next.min()
        }
    }

    // MARK: Ending

    /// Applies the outcome of an attempt.
    ///
    /// - Parameter jitter: a random number in [0, 1).
    mutating func finish(
        _ number: DeliveryNumber, _ outcome: DeliveryOutcome, now: Instant, jitter: Double
    ) -> Verdict {
        guard let place = underWay.removeValue(forKey: number) else { return .nothing }
        guard case .underWay(let isProbe)? = targets[place.target]?.lanes[place.lane]?.state,
            let head = targets[place.target]?.lanes[place.lane]?.head
        else { return .nothing }
        targets[place.target]?.underWay -= 1
        judge(place, outcome, isProbe: isProbe, now: now, jitter: jitter)
        let attempts = head.attempts + 1
        switch outcome {
        case .vanished, .delivered:
            advance(place.lane, of: place.target, now: now)
            return outcome == .vanished ? .nothing : .complete
        case .rejected, .withheld, .gone:
            advance(place.lane, of: place.target, now: now)
            return .giveUp(attempts: Int(attempts))
        case .unreachable, .failed:
            var delay = policy.delaySeconds(afterAttempts: Int(attempts), jitter: jitter)
            if case .failed(_, let asked?) = outcome { delay = max(delay, min(asked, policy.longestRetryAfterSeconds)) }
            let next = now.advanced(bySeconds: delay)
            guard next < end(of: head) else {
                advance(place.lane, of: place.target, now: now)
                return .giveUp(attempts: Int(attempts))
            }
            targets[place.target]?.lanes[place.lane]?.head.attempts = attempts
            targets[place.target]?.lanes[place.lane]?.head.nextAttemptAt = next
            line(up: place.lane, of: place.target, now: now)
            return .retry(at: next, attempts: Int(attempts))
        }
    }

    /// Updates the health of the target from an outcome.
    private mutating func judge(
        _ place: Place, _ outcome: DeliveryOutcome, isProbe: Bool, now: Instant, jitter: Double
    ) {
        let policy = policy
        func fail(of lane: Int64?) {
            targets[place.target]?.circuit.fail(lane: lane, isProbe: isProbe, at: now, policy, jitter: jitter)
        }
        switch outcome {
        case .vanished, .withheld: break
        case .delivered, .rejected, .gone: targets[place.target]?.circuit.succeed()
        case .unreachable: fail(of: nil)
        case .failed(_, let asked):
            fail(of: place.lane)
            guard let asked else { return }
            let until = now.advanced(bySeconds: min(asked, policy.longestRetryAfterSeconds))
            let former = targets[place.target]?.pausedUntil ?? until
            targets[place.target]?.pausedUntil = max(until, former)
        }
    }

    /// Removes a lane's first delivery, and lets the next take its place.
    private mutating func advance(_ lane: Int64, of target: TargetNumber, now: Instant) {
        pendingCount -= 1
        targets[target]?.pending -= 1
        guard let next = targets[target]?.lanes[lane]?.rest.popFirst() else {
            targets[target]?.lanes[lane] = nil
            return
        }
        targets[target]?.lanes[lane]?.head = next
        line(up: lane, of: target, now: now)
    }
}
