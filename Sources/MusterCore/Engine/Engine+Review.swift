/// The devices whose standings are still to be decided anew after edits, and what the edits changed. As long as a device
/// is in it, its standings make nobody safe.
struct ReviewQueue: Sendable {
    private(set) var scope = ReviewScope()
    /// Those from `next` on are waiting.
    private var devices: [DeviceNumber] = []
    private var next = 0
    /// By a device's number, whether it is waiting.
    private var isWaiting: [Bool] = []

    var isEmpty: Bool { next == devices.count }

    func holds(_ device: DeviceNumber) -> Bool {
        let index = Int(device.rawValue)
        return isWaiting.indices.contains(index) && isWaiting[index]
    }

    /// Adds the devices that further edits concern.
    mutating func add(_ added: [DeviceNumber], by scope: ReviewScope) {
        self.scope.formUnion(scope)
        devices.removeFirst(next)
        next = 0
        for device in added where !holds(device) {
            let index = Int(device.rawValue)
            if isWaiting.count <= index { isWaiting += repeatElement(false, count: index + 1 - isWaiting.count) }
            isWaiting[index] = true
            devices.append(device)
        }
    }

    /// Takes the first devices out, in the order in which they came.
    mutating func take(_ count: Int) -> ArraySlice<DeviceNumber> {
        let taken = devices[next...].prefix(count)
        next += taken.count
        for device in taken { isWaiting[Int(device.rawValue)] = false }
        return taken
    }

    /// Those that wait.
    var waiting: ArraySlice<DeviceNumber> { devices[next...] }
}

/// What edits of regions, links, policies and of who belongs where do to standings and safety.
extension Engine {
    /// As many devices are decided anew in one transaction: a tenth of a second of the writer's time. Of what more an
    /// edit concerns, the owners' safety is unknown (`Safety.Source.underReview`) until their turn has come.
    public static let reviewSlice = 5_000

    /// Whether edits were followed of which some consequence is not decided yet: then `review` is to be called.
    public var isReviewDue: Bool { !scope.isEmpty || !reviewQueue.isEmpty }

    /// Decides anew the standings of devices that edits concern, from where each is believed to be, and the safety of
    /// their owners: as many devices as one slice holds, while more wait. Tells no crossing: the next fix tells it, where
    /// it is still so. To be called in the transaction of the edits or right behind it, and again while `isReviewDue`.
    ///
    /// - Parameter limit: the size of a slice.
    /// - Complexity: O(devices + people) for new edits, some nanoseconds each, and some microseconds for each device
    ///   of the slice.
    public func review(now: Instant, limit: Int = Engine.reviewSlice, into decision: inout Decision) {
        guard isReviewDue else { return }
        // What an edit does to many is told as it is in the end, not as it passes.
        decision.defersRecount = true
        defer { keepRolls(now: now, into: &decision) }
        var queue = reviewQueue
        if !scope.isEmpty { queue.add(devices(concernedBy: scope), by: scope) }
        let slice = queue.take(limit)
        // From here on those of the slice count, and those who wait do not.
        decision.reviewQueue = queue.isEmpty ? ReviewQueue() : queue
        for device in slice { standAnew(device, queue.scope, now: now, into: &decision) }
        guard !scope.isEmpty else { return }
        for device in queue.waiting {
            deriveSafety(of: state(of: device, after: decision).user, now: now, decidedAt: now, into: &decision)
        }
        guard scope.isEveryone else { return }
        for index in people.indices {
            deriveSafety(of: UserNumber(Int32(index)), now: now, decidedAt: now, into: &decision)
        }
    }

    /// Takes over how far a review has come.
    mutating func adoptReview(_ decision: Decision) {
        guard let queue = decision.reviewQueue else { return }
        reviewQueue = queue
        scope = ReviewScope()
    }

    /// Whether a device's standings are not decided anew yet since edits that concern it.
    func isUnderReview(_ device: DeviceNumber, after decision: Decision) -> Bool {
        decision.reviewQueue?.holds(device) ?? reviewQueue.holds(device)
    }

    func devices(concernedBy scope: ReviewScope) -> [DeviceNumber] {
        guard scope.isOfPlaces || scope.isEveryone else {
            let owned = scope.users.sorted().flatMap { Array(ownership.devices(of: $0)) }
            return owned + scope.unsheltered.subtracting(owned).sorted()
        }
        return devices.indices.compactMap { index in
            let device = DeviceNumber(Int32(index))
            return concerns(scope, devices[index]) || scope.unsheltered.contains(device) ? device : nil
        }
    }

    /// Whether a device may stand otherwise after edits.
    private func concerns(_ scope: ReviewScope, _ state: DeviceState) -> Bool {
        guard let user = state.user, state.isLocated || !state.presences.isEmpty || !state.refuges.isEmpty else {
            return false
        }
        if scope.users.contains(user) { return true }
        let number = team(of: person(user)).tracker
        let tracker = number.map(atlas.tracker) ?? .none
        // The process may have ended between an edit and what followed from it.
        if scope.isEveryone, stands(state, besides: tracker) { return true }
        guard scope.isOfPlaces, let number else { return false }
        if scope.links[number] != nil { return true }
        if (state.presences + state.refuges).contains(where: { scope.regions.contains($0.region) }) { return true }
        if tracker.collections.contains(where: { scope.collections.contains($0) }) { return true }
        guard tracker.isFollowed, !state.track.isEmpty, !scope.regions.isEmpty else { return false }
        return scope.isNear(state.track.estimate, deviationMetres: state.track.deviationMetres)
    }

    /// Whether a device stands in a region that its tracker is not linked to.
    private func stands(_ state: DeviceState, besides tracker: Atlas.TrackerRule) -> Bool {
        func isLinked(_ presence: Presence) -> Bool {
            atlas.rule(of: presence.region).map { tracker.isLinked(to: $0.collection) } ?? false
        }
        return !(state.presences.allSatisfy(isLinked) && state.refuges.allSatisfy(isLinked))
    }

    /// Decides anew where a device stands.
    private func standAnew(
        _ device: DeviceNumber, _ scope: ReviewScope, now: Instant, into decision: inout Decision
    ) {
        var state = state(of: device, after: decision)
        let tracker = tracker(of: state.user)
        let number = team(of: person(state.user)).tracker
        let links = number.flatMap { scope.links[$0] } ?? []
        let isMoved = state.user.map { scope.users.contains($0) } ?? false
        let evidence = Evidence(
            state, of: device, at: state.evaluated ?? now, tracker: tracker, isFirst: !state.hasStood)
        func hasChanged(_ region: RegionNumber, _ rule: Atlas.RegionRule) -> Bool {
            isMoved || scope.regions.contains(region) || scope.collections.contains(rule.collection)
                || links.contains(rule.collection)
        }
        var edit = StandingEdit(
            moment: now, hasChanged: hasChanged, hasOtherPolicy: { scope.collections.contains($0.collection) })
        atlas.findConfident(evidence, state, on: &decision.bench)
        Standings(evidence: evidence).stand(&state.presences, anew: edit, in: atlas, on: &decision.bench)
        if scope.unsheltered.contains(device) { edit.hasChanged = { _, _ in true } }
        atlas.findRefuges(evidence, state, on: &decision.bench)
        Standings(evidence: evidence, scope: .refuges)
            .stand(&state.refuges, anew: edit, in: atlas, on: &decision.bench)
        decision.record(state, of: device)
        deriveSafety(of: state.user, now: now, decidedAt: now, into: &decision)
    }
}
