import MusterCore
import MusterGeometry
import MusterSimulator

/// A server's writer without its thread, its disk and its protocols: it takes the same steps with the engine as
/// `CommitPipeline` does, and can be ended between any two of them.
struct StormServer {
    private(set) var directory = Directory()
    private(set) var engine = Engine()
    private(set) var store = StormStore()
    private var decision = Decision()
    /// The last incident of each team.
    private var lastIncident: [TeamNumber: IncidentNumber] = [:]
    /// As many devices are decided anew at a time after an edit.
    private let reviewSlice: Int

    init(_ storm: Storm, reviewSlice: Int) {
        self.reviewSlice = reviewSlice
        edit(storm.founding, muster: nil, by: nil, now: Storm.start)
    }

    /// Ends, and starts again with what is stored.
    mutating func restart() { engine = store.engine(directory) }

    /// Stores how far every device was followed, as the server does from time to time.
    mutating func keepRecords() { store.keepAllRecords(engine) }

    /// Takes a step; what cannot be done is refused, as the server would.
    mutating func take(_ step: StormStep, now: Instant) {
        switch step {
        case .report(let observations): report(observations, now: now)
        case .say(let declaration):
            guard directory.users[declaration.subject] != nil, directory.users[declaration.author] != nil else {
                return
            }
            report([.declaration(declaration)], now: now)
        case .edit(.setMusterByRule(let regions)): edit([], muster: regions, by: nil, now: now)
        case .edit(let order):
            let edits = order.edits(in: directory)
            if !edits.isEmpty { edit(edits, muster: nil, by: Storm.teams[0].leader, now: now) }
        case .eraseHistory(let device):
            guard directory.devices[device] != nil else { return }
            store.keepRecord(of: device, engine, after: decision)
            store.erasePositions(of: device)
        case .sweep:
            engine.sweep(now: now, reviewLimit: reviewSlice, into: &decision)
            openIncidents(now: now)
            commit()
        default:
            // A fault is an answer to the leader, and changes nothing.
            do { try command(step, now: now) } catch { decision.discard() }
            commit()
        }
    }

    /// The device that a phone reports as: another number once it was handed to someone else.
    static func device(_ device: DeviceNumber, in directory: Directory) -> DeviceNumber? {
        [device, DeviceNumber(device.rawValue + 100)].first { directory.devices[$0] != nil }
    }

    /// Who gives a team's orders.
    static func leader(of team: TeamNumber) -> UserNumber {
        Storm.teams.first { $0.team == team }?.leader ?? UserNumber(1)
    }

    private mutating func report(_ observations: [Observation], now: Instant) {
        let known = observations.compactMap { observation -> Observation? in
            switch observation {
            case .position(let position, let device):
                Self.device(device, in: directory).map { .position(position, of: $0) }
            case .sighting(let sighting, let device):
                Self.device(device, in: directory).map { .sighting(sighting, of: $0) }
            case .listening(let listening, let device):
                Self.device(device, in: directory).map { .listening(listening, of: $0) }
            case .note, .signal, .range, .declaration: observation
            }
        }
        var tally = Tally()
        var next = 0
        while let question = engine.decideBatch(known, from: &next, now: now, into: &decision, tally: &tally) {
            append()
            switch question {
            case .isStored where store.holds(known[next]):
                if case .position(let position, let device) = known[next] {
                    engine.recordContact(of: device, at: position.receivedTime, now: now, into: &decision)
                }
                next += 1
            case .isStored:
                tally.count(engine.decide(known[next], now: now, into: &decision))
                next += 1
            case .trail(let device, let until):
                engine.restore(store.trail(of: device, until: until), of: device, into: &decision)
            }
        }
        commit()
    }

    /// Carries out edits: what is crossed is decided anew in their transaction, people and devices right behind it.
    private mutating func edit(_ edits: [Edit], muster: Set<RegionNumber>?, by author: UserNumber?, now: Instant) {
        let before = directory
        for edit in edits {
            store.append(edit.change)
            store.follow(edit)
        }
        let rollEntries = engine.rollEntries(following: edits, over: before, by: author, at: now)
        for (entry, team) in rollEntries {
            store.append(entry)
            store.append(.roll(entry, of: team))
        }
        let crossed = edits.filter(\.isOfWhatIsCrossed)
        if !crossed.isEmpty || muster != nil {
            for edit in crossed { engine.apply(edit) }
            if let muster { engine.setMusterByRule(muster) }
            engine.review(now: now, limit: reviewSlice, into: &decision)
        }
        commit()
        for edit in edits { directory.apply(edit) }
        if let muster { directory.musterRegionsByRule = muster }
        engine.enter(rollEntries.map(\.entry))
        var isReviewDue = false
        for edit in edits where !edit.isOfWhatIsCrossed && engine.apply(edit) { isReviewDue = true }
        if isReviewDue { review(now: now) }
    }

    private mutating func review(now: Instant) {
        guard engine.isReviewDue else { return }
        engine.review(now: now, limit: reviewSlice, into: &decision)
        commit()
    }

    /// Opens the incidents that check-in timers ask for, as `CommitPipeline+CheckIns` does.
    private mutating func openIncidents(now: Instant) {
        for person in decision.peopleToOpenIncidentsFor {
            append()
            guard let team = directory.users[person]?.team else { continue }
            // A real incident that is open already has the person on its roll.
            try? command(.start(team, .real), now: now)
        }
    }

    private mutating func command(_ step: StormStep, now: Instant) throws {
        switch step {
        case .startTimer(let storm):
            guard directory.users[storm.user] != nil else { return }
            let timer = CheckInTimer(
                intervalSeconds: storm.intervalSeconds, leaderAfterSeconds: storm.leaderAfterSeconds,
                sosAfterSeconds: storm.sosAfterSeconds, opensIncident: storm.opensIncident,
                setBy: Storm.teams[0].leader, lastWord: now, now: now)
            try engine.startTimer(timer, of: storm.user, into: &decision)
        case .checkIn(let user, let moment):
            try engine.checkIn(user, at: moment, by: user, now: now, into: &decision)
        case .endTimer(let user): try engine.endTimer(of: user, by: user, now: now, into: &decision)
        case .start(let team, let kind):
            let number = IncidentNumber(Int32(store.incidents.count + 1))
            let incident = Incident(
                number: number, team: team, kind: kind, startedAt: now, startedBy: Self.leader(of: team))
            try engine.start(incident, now: now, into: &decision)
            lastIncident[team] = number
        case .close(let team):
            guard let open = engine.openIncident(of: team) else { return }
            try engine.close(
                open.number, of: team, by: Self.leader(of: team), reason: "enough", now: now, into: &decision)
        case .reopen(let team):
            guard let number = lastIncident[team], let incident = store.incidents[number] else { return }
            try engine.reopen(
                incident, record: store.record(of: number), isUser: { directory.users[$0] != nil },
                by: Self.leader(of: team), reason: "too soon", now: now, into: &decision)
        case .addVisitor(let team, let state):
            guard let open = engine.openIncident(of: team) else { return }
            try engine.addVisitor(
                named: "visitor", state, note: nil, to: open.number, of: team, by: Self.leader(of: team), now: now,
                into: &decision)
        case .mark(let team, let place, let state):
            guard let (open, person) = present(at: place, in: team, where: { !directoryHolds($0) }) else { return }
            try engine.mark(
                person, state, note: nil, on: open.number, of: team, by: Self.leader(of: team), now: now,
                into: &decision)
        case .takeOff(let team, let place):
            guard let (open, person) = present(at: place, in: team, where: { _ in true }) else { return }
            try engine.takeOff(
                person, reason: "gone home", from: open.number, of: team, by: Self.leader(of: team), now: now,
                into: &decision)
        default: break
        }
    }

    private func directoryHolds(_ user: UserNumber) -> Bool { directory.users[user] != nil }

    private func present(
        at place: Int, in team: TeamNumber, where isMeant: (UserNumber) -> Bool
    ) -> (Incident, UserNumber)? {
        guard let open = engine.openIncident(of: team) else { return nil }
        let present = engine.roll(of: open.number).present.filter(isMeant)
        return present.isEmpty ? nil : (open, present[place % present.count])
    }

    private mutating func append() {
        decision.takeChanges { store.append($0) }
        decision.takeEntries { store.append($0) }
    }

    /// One transaction: what was decided is stored, then adopted.
    private mutating func commit() {
        append()
        store.keepStates(of: decision, engine)
        engine.adopt(&decision)
    }
}

extension Edit {
    fileprivate var isOfWhatIsCrossed: Bool {
        switch self {
        case .putTracker, .removeTracker, .putCollection, .removeCollection, .putRegion, .removeRegion: true
        default: false
        }
    }
}
