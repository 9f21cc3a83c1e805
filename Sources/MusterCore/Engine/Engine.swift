/// Decides which regions observations cross and who is safe. The engine is pure and synchronous: it takes the time as a
/// value and does no I/O. `decide` changes no state. It writes into a `Decision`, which the caller passes to `adopt`
/// once it is on disk.
///
///     misplaced? → late? → filter → regions → crossings → safety
///
/// A device's state advances by sample time. An out-of-order fix, one whose sample time is before the last evaluated
/// one, is *late*: the engine stores it as history, and it moves no standing. It may only show that its device seems to
/// have left (`ShelterEvidence`).
public struct Engine: Sendable {
    var catalog = RegionCatalog()
    var devices: [DeviceState] = []
    var people: [PersonState] = []
    var teams: [TeamState] = []
    var ownership = Ownership()
    /// The changes of edits since the last review.
    var scope = ReviewScope()
    /// The devices that earlier edits concern and that still wait for review.
    var reviewQueue = ReviewQueue()
    /// The open incidents, each by its team.
    var incidents: [TeamNumber: Incident] = [:]
    /// The roll of each open incident.
    var rolls: [IncidentNumber: Roll] = [:]
    /// The PAR of each open incident.
    var courses: [IncidentNumber: PARCourse] = [:]
    /// The names of all crews.
    var crews: [CrewNumber: String] = [:]
    /// By open incident: since when everyone is accounted for.
    var accountedTimes: [IncidentNumber: AccountedTimes] = [:]
    /// The attendance rules of all teams.
    var attendance = AttendanceBook()
    /// The proximity rules of all teams.
    var proximity = ProximityBook()
    /// The newest measured range of each pair of devices.
    var ranges = LatestRanges()
    /// The devices with a range tag.
    var rangeTagged: Set<DeviceNumber> = []
    /// The time zones of schedules. The code that creates the engine must set them.
    public var zoneOffsets = ZoneOffsets.utcOnly

    /// How far ahead of the server's clock a sample may be and still change a state, seconds.
    public static let clockToleranceSeconds: Double = 60
    /// How long a device's presences outlive its last position, seconds: a fix after a longer gap starts with none.
    public static let stateLifetimeSeconds: Double = 30 * 86_400

    /// Creates an engine without a directory or states.
    public init() {}

    /// Decides one observation on top of what `decision` holds already, and adds the result to it.
    ///
    /// The caller must first have looked up what `question` asks about the observation.
    ///
    /// - Parameter now: the server's time, which measures silence and clocks that are ahead.
    /// - Returns: how the engine handled the observation.
    public func decide(_ observation: Observation, now: Instant, into decision: inout Decision) -> Verdict {
        switch observation {
        case .position(let position, let device):
            decidePosition(position, of: device, now: now, into: &decision)
        case .sighting(let sighting, let device):
            decideSighting(sighting, of: device, now: now, into: &decision)
        case .listening(let listening, let device):
            decideListening(listening, of: device, now: now, into: &decision)
        case .note(let note, let device):
            decideNote(note, of: device, now: now, into: &decision)
        case .signal(let signal, let device):
            decideSignal(signal, of: device, into: &decision)
        case .range(let range, let device):
            decideRange(range, of: device, now: now, into: &decision)
        case .declaration(let declaration):
            decideDeclaration(declaration, now: now, into: &decision)
        }
    }

    /// Whether a sample time is too far ahead of the server's clock to change a state.
    public static func isAhead(_ sampleTime: Instant, of now: Instant) -> Bool {
        sampleTime.seconds(since: now) > clockToleranceSeconds
    }

    /// Applies a decision that is on disk to the engine's state, and empties it for reuse.
    public mutating func adopt(_ decision: inout Decision) {
        decision.devices.replace(in: &devices)
        decision.people.replace(in: &people)
        adoptIncidents(decision)
        adoptReview(decision)
        if !decision.attendance.isEmpty { attendance.adopt(decision.attendance) }
        if !decision.proximity.isEmpty { proximity.adopt(decision.proximity) }
        if !decision.ranges.isEmpty { ranges.adopt(decision.ranges) }
        decision.reset()
    }

    func decidePosition(
        _ position: Position, of device: DeviceNumber, now: Instant, into decision: inout Decision
    ) -> Verdict {
        if position.isAtZero, isMisplaced(position, of: device, after: decision) {
            return keepMisplaced(position, of: device, now: now, into: &decision)
        }
        let place = slot(of: device, in: &decision)
        let isMending = decision.devices.states[place].observeClock(position)
        decision.devices.states[place].recordContact(at: position.receivedTime)
        // No stored position shows what the engine knows of a wrong clock.
        let isWatched = decision.devices.states[place].isWatched
        if isMending || isWatched { decision.noteState(of: device) }
        // `sampleTime(of:)` copies the state, so it is called only for a watched clock.
        let sampleTime =
            isWatched ? decision.devices.states[place].sampleTime(of: position) : position.sampleTime
        let former = decision.devices.states[place].evaluated
        if Self.isAhead(sampleTime, of: position.receivedTime) || former.map({ sampleTime <= $0 }) ?? false {
            return keepAsHistory(position, of: device, at: sampleTime, now: now, into: &decision)
        }
        let user = decision.devices.states[place].user
        let wasCoarse = decision.devices.states[place].track.fineAgeSeconds > 0
        let passage = advance(
            &decision.devices.states[place], of: device, to: position, at: sampleTime, tracker: tracker(of: user),
            on: &decision.scratch)
        // The log holds a stored position. Only the device's record shows any other.
        if passage != .stored { decision.noteState(of: device) }
        if isMending && passage != .stored { decision.noteRightClock(of: device, by: position) }
        // After coarse fixes that a standing had outlived, a good fix may support the standing again without changing
        // it.
        let isFineAgain = wasCoarse && decision.devices.states[place].track.fineAgeSeconds == 0
        if decision.noteChanges(of: device) || isFineAgain
            || !isKnown(user, lastLocated: former, now: now, after: decision)
        {
            deriveSafety(of: user, now: now, decidedAt: sampleTime, into: &decision)
            followAttendance(of: user, now: now, into: &decision)
        }
        followProximity(of: device, ownedBy: user, now: now, into: &decision)
        return passage == .stored ? .accepted : .filtered
    }

    /// Advances a device's state to a newer position. The tracker's filter decides which positions are stored and which
    /// ones raw collections evaluate, as Amazon Location's does. The confident policy evaluates every position.
    ///
    /// - Parameter sampleTime: the position's sample time, corrected for the known error of the device's clock.
    private func advance(
        _ state: inout DeviceState, of device: DeviceNumber, to position: Position, at sampleTime: Instant,
        tracker: RegionCatalog.TrackerRule, on scratch: inout Scratch
    ) -> PositionFilter.Passage {
        let passage = tracker.filter == .none ? .stored : tracker.filter.passage(of: position, after: state.latest)
        if let evaluated = state.evaluated, sampleTime.seconds(since: evaluated) > Self.stateLifetimeSeconds {
            scratch.presencesChanged = !state.presences.isEmpty || !state.musterPresences.isEmpty
            state.presences.removeAll()
            state.musterPresences.removeAll()
        }
        let former = state.surestFix
        let (wasChecking, fixBefore) = (state.track.isChecking, state.fix(before: sampleTime))
        let isFirst = state.follow(position, at: sampleTime, isStored: passage == .stored)
        if passage == .stored { scratch.changes.append(.position(position, of: device, isCurrent: true)) }
        var estimate = FixEstimate(state, of: device, at: sampleTime, tracker: tracker, isFirst: isFirst)
        estimate.passesFilter = passage != .ignored
        let evaluator = CrossingEvaluator(estimate: estimate)
        if !evaluator.isClear(position, state, in: catalog) {
            catalog.collectNearbyRegions(
                at: position, by: estimate, presences: state.presences, on: &scratch)
            let isAtRest = evaluator.evaluate(&state.presences, by: state.track, in: catalog, on: &scratch)
            evaluator.noteBoundaryFreeRadius(
                around: position, isAtRest: isAtRest, &state, in: catalog, scratch.nearbyRegions)
        }
        if !tracker.sheltering.isEmpty, !evaluator.isClearOfShelters(state, in: catalog) {
            catalog.collectMusterRegions(by: estimate, presences: state.musterPresences, on: &scratch)
            let evaluator = CrossingEvaluator(estimate: estimate, scope: .musterRegions)
            let isAtRest = evaluator.evaluate(&state.musterPresences, by: state.track, in: catalog, on: &scratch)
            evaluator.noteShelterFreeRadius(isAtRest: isAtRest, &state, in: catalog, scratch.nearbyRegions)
        }
        if tracker.isFollowed {
            noteShelterEvidence(
                &state, by: position, after: fixBefore, isFirstStanding: isFirst, tracker: tracker, on: &scratch)
        }
        if let former, passage != .ignored, CrossingEvaluator.isFarEnough(former.coordinate, position.coordinate) {
            var fix = ConfidentFix(position)
            fix.sampleTime = sampleTime
            evaluator.infer(from: former, to: fix, state.presences, in: catalog, on: &scratch)
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
        let isOwnFix = state.isLocatedByBeacon && !Self.isAhead(sampleTime, of: position.receivedTime)
        let evidence = shelterEvidence(of: state, byOlder: position, at: sampleTime, on: &decision.scratch)
        let isEvidence = evidence != state.shelterEvidence
        if isOwnFix || isEvidence {
            let place = slot(of: device, in: &decision)
            if isOwnFix { decision.devices.states[place].rememberOwnFix(position) }
            decision.devices.states[place].shelterEvidence = evidence
            decision.noteState(of: device)
        }
        // The owner may have counted as silent until now, or the device's clock may have proved wrong.
        if isOwnFix || isEvidence || state.isWatched || !isHeard(state.user, after: decision) {
            deriveSafety(of: state.user, now: now, decidedAt: now, into: &decision)
            if isEvidence { followAttendance(of: state.user, now: now, into: &decision) }
        }
        // A filter may have kept the last evaluated sample out of the store: then this is a repetition of it.
        let isLastEvaluated = sampleTime == state.evaluated
        guard !isLastEvaluated || tracker(of: state.user).filter == .none else {
            decision.noteState(of: device)
            return .filtered
        }
        decision.scratch.changes.append(.position(position, of: device, isCurrent: false))
        return .late
    }

    /// Reports that the engine no longer believes a device's fixes, that they seem to be in other regions than it
    /// reported last, or that it believes them again.
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

    /// Records that the server received a repetition or a note from a device, which changes no other state of the
    /// device.
    public func recordContact(
        of device: DeviceNumber, at moment: Instant, now: Instant, into decision: inout Decision
    ) {
        guard devices.indices.contains(Int(device.rawValue)) else { return }
        let place = slot(of: device, in: &decision)
        decision.devices.states[place].recordContact(at: moment)
        decision.noteState(of: device)
        let user = decision.devices.states[place].user
        if !isHeard(user, after: decision) { deriveSafety(of: user, now: now, decidedAt: now, into: &decision) }
    }

    /// Returns the index of a device's state in `decision.devices.states`. Copies the engine's state of the device
    /// there first when the decision does not hold one yet.
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

    /// Returns the rule of the tracker that a user's devices report to.
    func tracker(of user: UserNumber?) -> RegionCatalog.TrackerRule {
        guard let user, people.indices.contains(Int(user.rawValue)) else { return .none }
        guard let team = people[Int(user.rawValue)].team, teams.indices.contains(Int(team.rawValue)) else {
            return .none
        }
        // This runs for every observation, so it does not copy the team.
        return catalog.tracker(teams[Int(team.rawValue)].tracker)
    }

    /// Returns the state of a person's team. A person without a team has no tracker and the default silence limit.
    func team(of person: PersonState?) -> TeamState { team(person?.team) }

    func team(_ team: TeamNumber?) -> TeamState {
        guard let team, teams.indices.contains(Int(team.rawValue)) else { return TeamState() }
        return teams[Int(team.rawValue)]
    }

    /// Returns after how long a silence the safety of a team's members is unknown, seconds. It does not copy the team.
    func silenceSeconds(of team: TeamNumber?) -> Double {
        guard let team, teams.indices.contains(Int(team.rawValue)) else { return Team.defaultSilenceSeconds }
        return teams[Int(team.rawValue)].silenceSeconds
    }

    func person(_ user: UserNumber?) -> PersonState? {
        guard let user, people.indices.contains(Int(user.rawValue)) else { return nil }
        return people[Int(user.rawValue)]
    }
}

/// How the engine handled an observation.
public enum Verdict: Hashable, Sendable {
    /// The engine accepted it as current. A position advanced its device's state.
    case accepted
    /// The engine stores it as history and changed no state for it.
    case late
    /// The tracker's filter kept it out of the store.
    case filtered
}
