import MusterCore
import MusterStore
import MusterWire

/// The compiled rules. The writer matches every change against them while it stores the change, so that the deliveries
/// they send are as durable as the change.
///
/// Only the writer's thread uses it.
final class RuleBook {
    let eventMapper: EventMapper
    private let directory: () -> Directory
    private var index = PatternIndex()
    /// Enabled rules with at least one target of the directory.
    private var followed: [RuleNumber: FollowedRule] = [:]
    /// The patterns of enabled rules that make regions muster regions.
    var safetyPatterns: [RuleNumber: EventPattern] = [:]
    /// The regions that those rules make muster regions.
    var musterRegions: Set<RegionNumber> = []
    /// The trackers for which every stored position is an event.
    private var emitters: Set<TrackerNumber> = []
    private var fixes = RecentFixes()
    private var found: [Int32] = []

    /// The directory as of the last commit.
    var currentDirectory: Directory { directory() }

    /// The parts of a rule that are needed to send an event.
    private struct FollowedRule {
        var name: String
        var targets: [(id: String, target: TargetNumber, input: TargetInput)]
    }

    /// The largest body that a target receives, in bytes. Where an input would exceed it, the target receives the event
    /// itself.
    static let bodyLimit = 1 << 20

    /// Compiles the rules of a directory.
    ///
    /// - Parameter directory: returns the current directory each time it is called.
    init(origin: EventOrigin, directory: @escaping () -> Directory) {
        eventMapper = EventMapper(origin: origin)
        self.directory = directory
        let directory = directory()
        for tracker in directory.trackers.all where tracker.emitsPositionEvents { emitters.insert(tracker.number) }
        for rule in directory.rules.all { replaceRule(rule) }
        musterRegions = evaluateAll(safetyPatterns, in: directory)
    }

    /// Whether no enabled rule has a target, so that no change needs matching.
    var isIdle: Bool { followed.isEmpty }

    /// Remembers the positions in a request's observations, to find the fixes of its crossings.
    func rememberFixes(_ observations: [Observation]) {
        if !isIdle { fixes.append(observations) }
    }

    /// Drops what `rememberFixes` remembered. Call this at the end of the transaction.
    func endTransaction() { fixes.removeAll() }

    /// Sends a change to the targets of the rules that match it.
    ///
    /// - Parameter store: the store to read fixes from that `rememberFixes` did not receive.
    func follow(
        _ change: Change, _ sequence: LogSequence, at moment: Instant, in transaction: any StoreTransaction,
        over store: any Store
    ) throws {
        guard mayConcern(change) else { return }
        let directory = directory()
        let logged = LoggedChange(sequence: sequence, committedAt: moment, change: change)
        let mapped = try eventMapper.event(of: logged, in: directory) { device, sampleTime in
            try fixes.position(of: device, at: sampleTime) ?? store.fix(of: device, at: sampleTime)
        }
        guard let (event, subject) = mapped else { return }
        let envelope = event.envelope
        index.matches(envelope, into: &found)
        for number in found {
            guard let rule = followed[RuleNumber(number)] else { continue }
            let reference = RuleReference(
                name: rule.name, arn: eventMapper.origin.arn(ofRule: rule.name), receivedTime: moment)
            for target in rule.targets {
                guard let kind = directory.targets[target.target]?.kind else { continue }
                var body = target.input.body(of: event, envelope: envelope, rule: reference)
                if body.bytes.count > Self.bodyLimit { body = .init(bytes: envelope.json, isJSON: true) }
                var delivery = NewDelivery(
                    target: target.target, subject: subject, rule: "\(rule.name)/\(target.id)", event: event.id,
                    contentType: body.isJSON ? "application/json" : "text/plain; charset=utf-8", body: body.bytes,
                    createdAt: moment)
                if kind == .sms {
                    delivery.contentType += TextOrigin(change, subject: subject).parameters
                    delivery.subject = .nobody
                }
                try transaction.put(delivery)
            }
        }
    }

    /// Rejects most changes that no rule can match, before anything is rendered.
    private func mayConcern(_ change: Change) -> Bool {
        switch change {
        case .position(_, let device, _):
            guard !emitters.isEmpty else { return false }
            let directory = directory()
            let tracker = directory.devices[device].flatMap { directory.tracker(of: $0) }
            return tracker.map { emitters.contains($0.number) } ?? false
        case .sighting, .note, .range, .presence, .belief, .pause, .roll, .region, .directory, .document, .dataset,
            .action:
            return false
        case .signal, .crossing, .declaration, .safety, .reminder, .checkInTimer, .attendance, .proximity, .incident,
            .posted:
            return true
        }
    }

    /// Applies an edit of a rule or tracker.
    func follow(_ edit: Edit) {
        switch edit {
        case .putRule(let rule): replaceRule(rule)
        case .removeRule(let number): remove(number)
        case .putTracker(let tracker):
            if tracker.emitsPositionEvents { emitters.insert(tracker.number) } else { emitters.remove(tracker.number) }
        case .removeTracker(let number): emitters.remove(number)
        default: break
        }
    }

    private func replaceRule(_ rule: Rule) {
        remove(rule.number)
        // Ignores a rule whose pattern or input an earlier version accepted and this one does not.
        guard rule.isEnabled, let pattern = try? EventPattern(parsing: rule.pattern) else { return }
        safetyPatterns[rule.number] = Self.safetyPattern(of: rule)
        let targets = rule.targets.compactMap { target -> (id: String, target: TargetNumber, input: TargetInput)? in
            guard case .target(let number) = target.destination, let input = try? TargetInput(target.input) else {
                return nil
            }
            return (target.id, number, input)
        }
        guard !targets.isEmpty else { return }
        followed[rule.number] = FollowedRule(name: rule.name, targets: targets)
        index.put(pattern, as: rule.number.rawValue)
    }

    private func remove(_ number: RuleNumber) {
        safetyPatterns[number] = nil
        if followed.removeValue(forKey: number) != nil { index.remove(number.rawValue) }
    }
}

/// The reports of one transaction's requests, to find the fix that decided a crossing. They are indexed only when a
/// crossing happens.
private struct RecentFixes {
    private var requests: [[Observation]] = []
    private var indexedRequests = 0
    private var positions: [Key: Position] = [:]

    private struct Key: Hashable {
        var device: DeviceNumber
        var sampleTime: Instant
    }

    mutating func append(_ observations: [Observation]) { requests.append(observations) }

    mutating func removeAll() {
        guard !requests.isEmpty else { return }
        self = RecentFixes()
    }

    mutating func position(of device: DeviceNumber, at sampleTime: Instant) -> Position? {
        for observations in requests[indexedRequests...] {
            for case .position(let position, let device) in observations {
                positions[Key(device: device, sampleTime: position.sampleTime)] = position
            }
        }
        indexedRequests = requests.count
        return positions[Key(device: device, sampleTime: sampleTime)]
    }
}
