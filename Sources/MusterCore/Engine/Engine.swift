/// Decides what observations cross and who is safe. Pure and synchronous: the time comes as a value, nothing is read
/// or written, and `decide` changes no state: what it decided is in the `Decision`, which `adopt` takes over once it
/// is on disk.
///
///     late? → filter → regions → crossings → safety
///
/// State moves by sample time, per device. A late observation is history and moves nothing.
public struct Engine: Sendable {
    var catalog = RegionCatalog()
    var devices: [DeviceState] = []
    var people: [PersonState] = []
    var teams: [TeamState] = []
    var ownership = Ownership()
    /// What edits have changed since the last review.
    var scope = ReviewScope()
    /// Whom that concerned and for whom it is not decided yet.
    var reviewQueue = ReviewQueue()
    /// The open incidents, each by its team.
    var incidents: [TeamNumber: Incident] = [:]
    /// Who is asked for in each open incident.
    var rolls: [IncidentNumber: Roll] = [:]
    /// Since when all are accounted for without doubt, where they are. After a restart it begins anew.
    var undoubtedSince: [IncidentNumber: Instant] = [:]

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
            decidePosition(position, of: device, now: now, into: &decision)
        case .sighting(let sighting, let device):
            decideSighting(sighting, of: device, now: now, into: &decision)
        case .note(let note, let device):
            decideNote(note, of: device, now: now, into: &decision)
        case .declaration(let declaration):
            decideDeclaration(declaration, now: now, into: &decision)
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
        adoptIncidents(decision)
        adoptReview(decision)
        decision.reset()
    }

    func decidePosition(
        _ position: Position, of device: DeviceNumber, now: Instant, into decision: inout Decision
    ) -> Verdict {
        let place = slot(of: device, in: &decision)
        let isMending = decision.devices.states[place].observeClock(position)
        decision.devices.states[place].hear(at: position.receivedTime)
        // What is known of a clock that is off stands in no position.
        if isMending || decision.devices.states[place].isWatched { decision.noteState(of: device) }
        let sampleTime = decision.devices.states[place].corrected(position.sampleTime)
        let former = decision.devices.states[place].evaluated
        if Self.isAhead(sampleTime, of: position.receivedTime) || former.map({ sampleTime <= $0 }) ?? false {
            return keepAsHistory(position, of: device, at: sampleTime, now: now, into: &decision)
        }
        let user = decision.devices.states[place].user
        let passage = move(
            &decision.devices.states[place], of: device, to: position, at: sampleTime, tracker: tracker(of: user),
            on: &decision.scratch)
        // A position that is stored says so itself.
        if passage != .stored { decision.noteState(of: device) }
        if isMending && passage != .stored { decision.noteRightClock(of: device, by: position) }
        if decision.noteChanges(of: device) || !isKnown(user, lastLocated: former, now: now, after: decision) {
            deriveSafety(of: user, now: now, decidedAt: sampleTime, into: &decision)
        }
        return passage == .stored ? .accepted : .filtered
    }

    /// Moves a device's state to a position that is newer than it. The tracker's filter decides what is stored, and
    /// what raw collections evaluate, as Amazon's does. The confident policy follows every position.
    ///
    /// - Parameter sampleTime: the position's, corrected by what is known of the device's clock.
    private func move(
        _ state: inout DeviceState, of device: DeviceNumber, to position: Position, at sampleTime: Instant,
        tracker: RegionCatalog.TrackerRule, on scratch: inout Scratch
    ) -> PositionFilter.Passage {
        let passage = tracker.filter == .none ? .stored : tracker.filter.passage(of: position, after: state.latest)
        if let evaluated = state.evaluated, sampleTime.seconds(since: evaluated) > Self.stateLifetimeSeconds {
            scratch.presencesChanged = !state.presences.isEmpty || !state.refuges.isEmpty
            state.presences.removeAll()
            state.refuges.removeAll()
        }
        let former = state.surestFix
        let wasChecking = state.track.isChecking
        let isFirst = state.follow(position, at: sampleTime, isStored: passage == .stored)
        if passage == .stored { scratch.changes.append(.position(position, of: device, isCurrent: true)) }
        var estimate = FixEstimate(state, of: device, at: sampleTime, tracker: tracker, isFirst: isFirst)
        estimate.passesFilter = passage != .ignored
        let evaluator = CrossingEvaluator(estimate: estimate)
        if !evaluator.isClear(position, state, in: catalog) {
            catalog.find(position, estimate, state, on: &scratch)
            var isAtRest = evaluator.move(&state.presences, by: state.track, in: catalog, on: &scratch)
            if !tracker.sheltering.isEmpty {
                catalog.findRefuges(estimate, state, on: &scratch)
                let isSheltered = CrossingEvaluator(estimate: estimate, scope: .refuges).move(
                    &state.refuges, by: state.track, in: catalog, on: &scratch)
                isAtRest = isAtRest && isSheltered
            }
            evaluator.noteBoundaryFreeRadius(
                around: position, isAtRest: isAtRest, &state, in: catalog, scratch.nearbyRegions)
        }
        if let former, passage != .ignored {
            var fix = ConfidentFix(position)
            fix.sampleTime = sampleTime
            evaluator.infer(from: former, to: fix, state, in: catalog, on: &scratch)
        }
        if wasChecking || state.track.isChecking {
            tellBelief(of: &state, device, tracker, wasChecking: wasChecking, on: &scratch)
        }
        return passage
    }

    private func keepAsHistory(
        _ position: Position, of device: DeviceNumber, at sampleTime: Instant, now: Instant,
        into decision: inout Decision
    ) -> Verdict {
        let state = state(of: device, after: decision)
        // Whoever was silent until now is heard.
        if !isHeard(state.user, after: decision) {
            deriveSafety(of: state.user, now: now, decidedAt: now, into: &decision)
        }
        // Under a filter the very sample that was evaluated last may have been left out of the store: it is known.
        let isLastEvaluated = sampleTime == state.evaluated
        guard !isLastEvaluated || tracker(of: state.user).filter == .none else {
            decision.noteState(of: device)
            return .filtered
        }
        decision.scratch.changes.append(.position(position, of: device, isCurrent: false))
        return .late
    }

    /// Tells that a device's fixes are no longer believed, where they seem to be, or that they are believed again.
    private func tellBelief(
        of state: inout DeviceState, _ device: DeviceNumber, _ tracker: RegionCatalog.TrackerRule, wasChecking: Bool,
        on scratch: inout Scratch
    ) {
        var seeming: [RegionNumber] = []
        if let candidate = state.track.candidateEstimate {
            catalog.regions(containing: candidate, in: tracker.collections, into: &scratch.inside)
            seeming = scratch.inside.prefix(Belief.Checking.regionLimit).map { RegionNumber($0) }
        }
        guard wasChecking != state.track.isChecking || seeming != state.seeming else { return }
        state.seeming = seeming
        guard let belief = state.belief else { return }
        scratch.changes.append(.belief(belief, of: device))
        scratch.beliefChanged = true
    }

    /// Notes that the server received something from a device that moves nothing else: a repetition, a note.
    public func hear(_ device: DeviceNumber, at moment: Instant, now: Instant, into decision: inout Decision) {
        guard devices.indices.contains(Int(device.rawValue)) else { return }
        let place = slot(of: device, in: &decision)
        decision.devices.states[place].hear(at: moment)
        decision.noteState(of: device)
        let user = decision.devices.states[place].user
        if !isHeard(user, after: decision) { deriveSafety(of: user, now: now, decidedAt: now, into: &decision) }
    }

    /// Where in the decision a device's state stands; it is laid there when nothing was decided of it yet.
    func slot(of device: DeviceNumber, in decision: inout Decision) -> Int {
        let index = Int(device.rawValue)
        if let place = decision.devices.slot(of: index) { return place }
        return decision.devices.lay(over: index, of: devices, else: DeviceState())
    }

    func state(of device: DeviceNumber, after decision: Decision) -> DeviceState {
        let index = Int(device.rawValue)
        if let decided = decision.devices[index] { return decided }
        return devices.indices.contains(index) ? devices[index] : DeviceState()
    }

    /// The rule of the tracker that a user's devices report to.
    func tracker(of user: UserNumber?) -> RegionCatalog.TrackerRule {
        guard let user, people.indices.contains(Int(user.rawValue)) else { return .none }
        return catalog.tracker(team(people[Int(user.rawValue)].team).tracker)
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
