import MusterCore
import MusterGeometry
import MusterSimulator

/// Follows a storm beside the server, from what was sent, what was edited and what the log tells, and never asks the
/// engine: whoever is told as accounted for must be so by the evidence of that moment.
struct StormOracle {
    let storm: Storm
    /// What was told and is not so; as many as are worth reading.
    private(set) var faults: [String] = []
    private(set) var coverage = StormCoverage()
    var evidence: StormEvidence
    var told = StormTold()
    private var timers = StormTimers()
    private var followed = 0
    /// Who stands on the roll of an incident, as the log tells it.
    private(set) var rolls: [IncidentNumber: Set<UserNumber>] = [:]
    /// When a doubt alone ended that all are accounted for.
    private var endedByDoubtAt: [IncidentNumber: Instant] = [:]

    init(_ storm: Storm) {
        self.storm = storm
        evidence = StormEvidence(storm)
    }

    /// Holds what a server tells after a step against the evidence.
    ///
    /// - Parameter before: the directory as it was when the step came.
    mutating func follow(_ step: StormStep, of server: StormServer, before: Directory, now: Instant) {
        evidence.hear(step, in: before, now: now, during: openRolls)
        let former = told.safety
        timers.hear(step, in: before, now: now)
        while followed < server.store.log.count {
            follow(server.store.log[followed], in: server.directory, now: now)
            followed += 1
        }
        for fault in timers.faults(after: step, in: server.directory, now: now) { fail(fault, step, now: now) }
        coverage.timersRunOut = timers.runOut
        let concerned = people(concernedBy: step, in: server.directory)
        for (number, incident) in told.incidents where incident.isOpen {
            checkRoll(number, incident, of: server, step, now: now)
            for person in concerned where rolls[number]?.contains(person) ?? false {
                checkEvidence(for: person, in: incident, former: former[person], server.directory, step, now: now)
            }
        }
        for user in concerned where server.directory.users[user] != nil { checkTold(user, server, step, now: now) }
    }

    private var openRolls: [IncidentNumber: Set<UserNumber>] {
        rolls.filter { told.incidents[$0.key]?.isOpen ?? false }
    }

    mutating func fail(_ text: String, _ step: StormStep, now: Instant) {
        guard faults.count < 3 else { return }
        let second = now.seconds(since: Storm.start)
        faults.append("at \(second) s, \(String(describing: step).prefix(160)): \(text)")
    }

    /// Whose evidence a step can have changed: a report's one person, by anything else everyone.
    private func people(concernedBy step: StormStep, in directory: Directory) -> [UserNumber] {
        if case .report(let observations) = step, let first = observations.first {
            switch first {
            case .position(_, let device), .sighting(_, let device), .listening(_, let device), .note(_, let device),
                .signal(_, let device), .range(_, let device):
                return StormServer.device(device, in: directory).flatMap { directory.devices[$0]?.user }.map { [$0] }
                    ?? []
            case .declaration(let declaration): return [declaration.subject]
            }
        }
        return Array(Set(Storm.users).union(rolls.values.flatMap { $0 })).sorted()
    }
}

/// What the log tells.
extension StormOracle {
    private mutating func follow(_ change: Change, in directory: Directory, now: Instant) {
        told.follow(change)
        switch change {
        case .checkInTimer(let timer, let user): timers.follow(timer, of: user, now: now)
        case .incident(let incident): follow(incident, in: directory, now: now)
        case .roll(let line, of: _): follow(line, now: now)
        default: break
        }
    }

    private mutating func follow(_ incident: Incident, in directory: Directory, now: Instant) {
        switch incident.turn {
        case .started:
            let people = directory.users.all.filter { $0.team == incident.team && $0.role != .gateway }
            rolls[incident.number] = Set(people.map(\.number))
            for person in people { evidence.enrol(person.number, in: incident.number) }
        case .allAccounted:
            coverage.allAccounted += 1
            let missing = (rolls[incident.number] ?? []).filter { !isAccounted($0, in: incident.number) }
            if !missing.isEmpty { fail("all accounted is told while \(missing) are not", .sweep, now: now) }
        case .notAllAccounted:
            coverage.notAllAccounted += 1
            let missing = (rolls[incident.number] ?? []).filter { !isAccounted($0, in: incident.number) }
            let isByDoubt = !missing.isEmpty && missing.allSatisfy { told.safety[$0]?.isChecking ?? false }
            endedByDoubtAt[incident.number] = isByDoubt ? now : nil
        case .closed:
            coverage.closed += 1
            checkClosing(of: incident, in: directory, now: now)
            evidence.end(incident.number)
        case .reopened: coverage.reopened += 1
        case .parRequested, .parReported, .parComplete, .parOverdue, .parTimerSet, .handedOver: break
        }
    }

    private mutating func follow(_ line: IncidentEntry, now: Instant) {
        switch line.event {
        case .joined:
            rolls[line.incident, default: []].insert(line.person)
            evidence.enrol(line.person, in: line.incident)
        // A real incident that takes a drill's place takes over its visitors and removed users by such lines.
        case .returned, .visitor, .removed: rolls[line.incident, default: []].insert(line.person)
        case .takenOff:
            if line.author == nil { fail("somebody went off the roll by nobody's word", .sweep, now: now) }
            rolls[line.incident]?.remove(line.person)
        default: break
        }
        if line.person.rawValue < 0 || line.event == .removed || evidence.isMarked(line.person, in: line.incident) {
            evidence.mark(line)
        }
    }

    private mutating func checkClosing(of incident: Incident, in directory: Directory, now: Instant) {
        switch incident.closing?.how {
        case .byHand(let user, let reason):
            if directory.users[user] == nil && user != StormServer.leader(of: incident.team) || reason.isEmpty {
                fail("closed without a person's name and reason", .sweep, now: now)
            }
        case .automatic:
            let settings = directory.teams[incident.team]?.incidents
            let stayed = incident.allAccountedAt.map { now.seconds(since: $0) } ?? 0
            if settings?.closes(incident.kind) != true || stayed < settings?.closesAfterSeconds ?? .infinity {
                fail("closed by itself", .sweep, now: now)
            }
        case .takenOver:
            if incident.kind != .drill { fail("a real incident was taken over", .sweep, now: now) }
        case .allAccounted, .teamGone, nil: fail("closed by nobody", .sweep, now: now)
        }
    }

    func isAccounted(_ person: UserNumber, in incident: IncidentNumber) -> Bool {
        if evidence.isMarked(person, in: incident) {
            return evidence.marks[incident]?[person]?.safety.isAccounted ?? false
        }
        return told.safety[person]?.isAccounted ?? false
    }
}

/// What is held against what.
extension StormOracle {
    private mutating func checkRoll(
        _ number: IncidentNumber, _ incident: Incident, of server: StormServer, _ step: StormStep, now: Instant
    ) {
        let roll = rolls[number] ?? []
        let isAll = !roll.isEmpty && roll.allSatisfy { isAccounted($0, in: number) }
        // After a doubt alone ended it, it begins again after 30 s, at the next sweep.
        let pauseSeconds = 30 + Storm.sweepSeconds
        let pauses = isAll && endedByDoubtAt[number].map { now.seconds(since: $0) < pauseSeconds } ?? false
        if isAll != (incident.allAccountedAt != nil), !pauses {
            let missing = roll.filter { !isAccounted($0, in: number) }.sorted()
            fail("all accounted is told: \(incident.allAccountedAt != nil), missing are \(missing)", step, now: now)
        }
        if step.isReport { return }
        let kept = server.engine.roll(of: number)
        if kept != Roll(server.store.record(of: number)) {
            fail("the roll in memory is not what its record makes", step, now: now)
        }
        if Set(kept.present) != roll {
            fail("on the roll are \(kept.present), told were \(roll.sorted())", step, now: now)
        }
        if server.engine.openIncident(of: incident.team)?.number != number {
            fail("an incident is told as open that is not", step, now: now)
        }
        coverage.steps += 1
    }

    /// Whoever is told as accounted for is so by the evidence.
    private mutating func checkEvidence(
        for person: UserNumber, in incident: Incident, former: Safety?, _ directory: Directory, _ step: StormStep,
        now: Instant
    ) {
        guard isAccounted(person, in: incident.number) else { return }
        if evidence.isMarked(person, in: incident.number) {
            coverage.byMark += 1
            let fault = evidence.faultOfMark(on: person, in: incident, directory, now: now)
            if let fault { fail("\(person) is accounted for by a mark: \(fault)", step, now: now) }
            return
        }
        guard let safety = told.safety[person], directory.users[person] != nil else {
            return fail("\(person) is accounted for, and is gone", step, now: now)
        }
        let fault: String?
        if safety.source == .region {
            coverage.byRegion += 1
            let isNew = former?.state != .safe && step.isReport
            fault = evidence.faultOfPlace(of: person, safety, isNew: isNew, directory, now: now)
        } else {
            coverage.byWord += 1
            fault = evidence.faultOfWord(for: person, safety, directory, now: now)
        }
        if let fault { fail("\(person) is told as \(safety): \(fault)", step, now: now) }
    }

    /// Safety, presence, belief and what is stored never contradict each other.
    private mutating func checkTold(_ user: UserNumber, _ server: StormServer, _ step: StormStep, now: Instant) {
        guard let safety = told.safety[user] else { return }
        if server.engine.safety(of: user) != safety || server.store.safety[user] != safety {
            fail("\(user) is told as \(safety), and is \(server.engine.safety(of: user))", step, now: now)
        }
        guard safety.source == .region, let region = safety.region else { return }
        let devices = server.directory.devices(of: user)
        if !devices.contains(where: { told.standings[$0]?[region] == .inside }) {
            fail("\(user) is safe in \(region), and no device of theirs was told to be inside of it", step, now: now)
        }
        let silence = server.directory.users[user]?.team.flatMap { server.directory.teams[$0]?.silenceSeconds } ?? 0
        let speaking = devices.filter { evidence.isSurelyLocated($0, within: silence, now: now) }
        if safety.doubt == nil, speaking.contains(where: { told.checking.contains($0) }) {
            fail("\(user) is safe without doubt, and their fixes are being checked", step, now: now)
        }
    }
}

/// How often things happened that the storm is about.
struct StormCoverage {
    var steps = 0
    var byRegion = 0
    var byWord = 0
    var byMark = 0
    var allAccounted = 0
    var notAllAccounted = 0
    var closed = 0
    var reopened = 0
    var timersRunOut = 0

    static func += (left: inout Self, right: Self) {
        left.steps += right.steps
        left.byRegion += right.byRegion
        left.byWord += right.byWord
        left.byMark += right.byMark
        left.allAccounted += right.allAccounted
        left.notAllAccounted += right.notAllAccounted
        left.closed += right.closed
        left.reopened += right.reopened
        left.timersRunOut += right.timersRunOut
    }
}

/// What the log has told last.
struct StormTold {
    private(set) var safety: [UserNumber: Safety] = [:]
    private(set) var incidents: [IncidentNumber: Incident] = [:]
    /// By device and region.
    private(set) var standings: [DeviceNumber: [RegionNumber: Standing]] = [:]
    /// The devices whose fixes are being checked.
    private(set) var checking: Set<DeviceNumber> = []

    mutating func follow(_ change: Change) {
        switch change {
        case .safety(let safety, let user): self.safety[user] = safety
        case .presence(let report): standings[report.device, default: [:]][report.region] = report.standing
        case .belief(let belief, let device):
            if belief.checking == nil { checking.remove(device) } else { checking.insert(device) }
        case .incident(let incident): incidents[incident.number] = incident
        case .directory(.user(let user), removed: true): safety[user] = nil
        case .directory(.device(let device), removed: true):
            standings[device] = nil
            checking.remove(device)
        default: break
        }
    }
}

extension StormStep {
    /// Whether it is a request of a device.
    var isReport: Bool { if case .report = self { true } else { false } }
}
