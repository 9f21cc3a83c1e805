/// Decides what observations cross and who is safe. Pure and synchronous: the time comes as a value, nothing is read
/// or written, and `decide` changes no state: what it decided is in the `Decision`, which `adopt` takes over once it
/// is on disk.
///
///     late? → filter → regions → crossings → safety
///
/// State moves by sample time, per device. A late observation is history and moves nothing.
public struct Engine: Sendable {
    var atlas = Atlas()
    var devices: [DeviceState] = []
    var people: [PersonState] = []
    var teams: [TeamState] = []
    var ownership = Ownership()
    /// The open incidents, each by its team.
    var incidents: [TeamNumber: Incident] = [:]
    /// People who were removed while they stood on a roll, which does not say so yet.
    var departed: [UserNumber: PersonState] = [:]

    /// How far ahead of the server's clock a sample may be and still move a state.
    public static let clockToleranceSeconds: Double = 60
    /// How long a device's standing in regions outlives its last position.
    public static let stateLifetimeSeconds: Double = 30 * 86_400

    /// An engine that knows nothing yet.
    public init() {}

    /// Decides one observation on top of what `decision` has decided before, and adds to it.
    ///
    /// The caller has settled what `question` asks of it.
    ///
    /// - Parameter now: the server's time, for silence and for clocks that run ahead.
    /// - Returns: what became of the observation.
    public func decide(_ observation: Observation, now: Instant, into decision: inout Decision) -> Verdict {
        switch observation {
        case .position(let position, let device):
            decide(position, of: device, now: now, into: &decision)
        case .sighting(let sighting, let device):
            decide(sighting, of: device, now: now, into: &decision)
        case .note(let note, let device):
            decide(note, of: device, into: &decision)
        case .declaration(let declaration):
            decide(declaration, now: now, into: &decision)
        }
    }

    /// Whether a sample time is so far ahead of the server's clock that it moves no state.
    public static func isAhead(_ sampleTime: Instant, of now: Instant) -> Bool {
        sampleTime.seconds(since: now) > clockToleranceSeconds
    }

    /// Takes over what was decided, once it is durable, and empties the decision for its next use.
    public mutating func adopt(_ decision: inout Decision) {
        decision.devices.replace(in: &devices)
        decision.people.replace(in: &people)
        for (team, incident) in decision.incidents { incidents[team] = incident.isOpen ? incident : nil }
        if decision.hasStruckDeparted { departed.removeAll() }
        decision.reset()
    }

    func decide(
        _ position: Position, of device: DeviceNumber, now: Instant, into decision: inout Decision
    ) -> Verdict {
        let place = place(of: device, in: &decision)
        let isAhead = Self.isAhead(position.sampleTime, of: now)
        if isAhead { decision.devices.states[place].lead = ClockLead(position) }
        if isAhead || decision.devices.states[place].evaluated.map({ position.sampleTime <= $0 }) ?? false {
            return keepAsHistory(
                position, of: device, isAhead: isAhead, state: decision.devices.states[place], into: &decision)
        }
        let user = decision.devices.states[place].user
        let former = decision.devices.states[place].evaluated
        let tracker = tracker(of: user)
        let isMending = decision.devices.states[place].mendClock(by: position)
        let passage = move(
            &decision.devices.states[place], of: device, to: position, tracker: tracker, on: &decision.bench)
        // A position that is stored says so itself.
        if isMending && passage != .stored { decision.noteRightClock(of: device, by: position) }
        guard passage != .ignored else { return .filtered }
        if decision.bench.presencesChanged || !isKnown(user, lastHeard: former, now: now, after: decision) {
            decision.noteChange(of: device)
            deriveSafety(of: user, now: now, decidedAt: position.sampleTime, into: &decision)
        }
        return passage == .stored ? .accepted : .filtered
    }

    /// Moves a device's state to a position that is newer than it.
    private func move(
        _ state: inout DeviceState, of device: DeviceNumber, to position: Position, tracker: Atlas.TrackerRule,
        on bench: inout Workbench
    ) -> PositionFilter.Passage {
        let passage = tracker.filter == .none ? .stored : tracker.filter.passage(of: position, after: state.latest)
        guard passage != .ignored else { return passage }
        if let evaluated = state.evaluated, position.sampleTime.seconds(since: evaluated) > Self.stateLifetimeSeconds {
            bench.presencesChanged = !state.presences.isEmpty
            state.presences.removeAll()
        }
        let former = state.surestFix
        state.noteInterval(to: position.sampleTime)
        state.evaluated = position.sampleTime
        if passage == .stored {
            state.keep(position)
            bench.changes.append(.position(position, of: device, isCurrent: true))
        }
        let standings = Standings(evidence: Evidence(position, of: device, tracker: tracker, state: &state))
        if !standings.isClear(position, state, in: atlas) {
            atlas.find(position, standings.evidence, state, on: &bench)
            let isAtRest = standings.move(&state, in: atlas, on: &bench)
            standings.noteClearance(around: position, isAtRest: isAtRest, &state, in: atlas, bench.findings)
        }
        if let former { standings.infer(from: former, to: ConfidentFix(position), state, in: atlas, on: &bench) }
        return passage
    }

    private func keepAsHistory(
        _ position: Position, of device: DeviceNumber, isAhead: Bool, state: DeviceState,
        into decision: inout Decision
    ) -> Verdict {
        // Under a filter the very sample that was evaluated last may have been left out of the store: it is known.
        let isLastEvaluated = position.sampleTime == state.evaluated
        let filter = tracker(of: state.user).filter
        guard isAhead || !isLastEvaluated || filter == .none else { return .filtered }
        decision.bench.changes.append(.position(position, of: device, isCurrent: false))
        return .late
    }

    /// Where in the decision a device's state stands; it is laid there when nothing was decided of it yet.
    private func place(of device: DeviceNumber, in decision: inout Decision) -> Int {
        let index = Int(device.rawValue)
        if let place = decision.devices.place(of: index) { return place }
        return decision.devices.lay(over: index, of: devices, else: DeviceState())
    }

    func state(of device: DeviceNumber, after decision: Decision) -> DeviceState {
        let index = Int(device.rawValue)
        if let decided = decision.devices[index] { return decided }
        return devices.indices.contains(index) ? devices[index] : DeviceState()
    }

    /// The rule of the tracker that a user's devices report to.
    func tracker(of user: UserNumber?) -> Atlas.TrackerRule {
        guard let user, people.indices.contains(Int(user.rawValue)) else { return .none }
        return atlas.tracker(team(people[Int(user.rawValue)].team).tracker)
    }

    /// What holds for a person by their team; without one, nothing is crossed and silence is the usual.
    func team(of person: PersonState?) -> TeamState { team(person?.team) }

    func team(_ team: TeamNumber?) -> TeamState {
        guard let team, teams.indices.contains(Int(team.rawValue)) else { return TeamState() }
        return teams[Int(team.rawValue)]
    }

    func person(_ user: UserNumber?) -> PersonState? {
        guard let user, people.indices.contains(Int(user.rawValue)) else { return nil }
        return people[Int(user.rawValue)]
    }
}

/// What became of an observation.
public enum Verdict: Hashable, Sendable {
    /// It is stored, and moved its device's state.
    case accepted
    /// It is stored as history; no state moved.
    case late
    /// The tracker's filter left it out of the store.
    case filtered
}
