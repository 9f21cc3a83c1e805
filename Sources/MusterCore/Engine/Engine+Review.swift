/// The devices whose standings must be decided again because of edits, and what the edits changed. While a device is in
/// the queue, its standings make nobody safe.
struct ReviewQueue: Sendable {
    private(set) var scope = ReviewScope()
    /// Devices before the index `next` are decided; the others are waiting.
    private var devices: [DeviceNumber] = []
    private var next = 0
    /// Whether a device is waiting; the index is its number.
    private var isWaiting: [Bool] = []

    var isEmpty: Bool { next == devices.count }

    func holds(_ device: DeviceNumber) -> Bool {
        let index = Int(device.rawValue)
        return isWaiting.indices.contains(index) && isWaiting[index]
    }

    /// Adds the devices that further edits concern, and the scope of those edits.
    mutating func enqueue(_ added: [DeviceNumber], by scope: ReviewScope) {
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

    /// Removes the first `count` devices, in the order in which they were added.
    mutating func dequeue(_ count: Int) -> ArraySlice<DeviceNumber> {
        let taken = devices[next...].prefix(count)
        next += taken.count
        for device in taken { isWaiting[Int(device.rawValue)] = false }
        return taken
    }

    /// The devices that are still waiting.
    var waiting: ArraySlice<DeviceNumber> { devices[next...] }
}

/// Decides standings and safety again after edits of regions, links, policies and memberships.
extension Engine {
    /// The number of devices that are decided again in one transaction; it takes a tenth of a second of the writer's
    /// time. The owners of further devices have unknown safety (`Safety.Source.underReview`) until a later slice.
    public static let reviewSlice = 5_000

    /// Whether consequences of applied edits are still undecided, so that `review` must be called.
    public var isReviewDue: Bool { !scope.isEmpty || !reviewQueue.isEmpty }

    /// Decides again how the devices that edits concern stand, from each device's current estimate, and whether their
    /// owners are safe: one slice of devices per call. Reports no crossing; the device's next fix reports it if it
    /// still holds. Call this in the transaction of the edits or directly after it, and again while `isReviewDue`.
    ///
    /// - Parameter limit: the size of a slice.
    /// - Complexity: O(devices + people) for new edits, some nanoseconds each, and some microseconds for each device
    ///   of the slice.
    public func review(now: Instant, limit: Int = Engine.reviewSlice, into decision: inout Decision) {
        // The roll is counted once, after the last person of the slice.
        decision.defersRecount = true
        reviewSlice(now: now, limit: limit, into: &decision)
        keepRolls(now: now, into: &decision)
    }

    /// Does the same as `review` but counts no rolls, for a caller that decides more and counts them afterwards.
    func reviewSlice(now: Instant, limit: Int, into decision: inout Decision) {
        guard isReviewDue else { return }
        var queue = reviewQueue
        if !scope.isEmpty { queue.enqueue(devices(concernedBy: scope), by: scope) }
        let slice = queue.dequeue(limit)
        // From here on the owners' safety follows the devices of the slice, and disregards those that still wait.
        decision.reviewQueue = queue.isEmpty ? ReviewQueue() : queue
        for device in slice { reevaluate(device, in: queue.scope, now: now, into: &decision) }
        guard !scope.isEmpty else { return }
        for device in queue.waiting {
            deriveSafety(of: state(of: device, after: decision).user, now: now, decidedAt: now, into: &decision)
        }
        guard scope.isEveryone else { return }
        for index in people.indices {
            deriveSafety(of: UserNumber(Int32(index)), now: now, decidedAt: now, into: &decision)
        }
    }

    /// Queues the devices of every owner for a review. The process ended during a review, and the store does not record
    /// which devices were waiting. Until their review, their standings make nobody safe.
    public mutating func restartReview() {
        var everyone = ReviewScope()
        everyone.users = Set(devices.lazy.compactMap { $0.user })
        reviewQueue.enqueue(devices(concernedBy: everyone), by: everyone)
    }

    /// Adopts the progress of a review.
    mutating func adoptReview(_ decision: Decision) {
        guard let queue = decision.reviewQueue else { return }
        reviewQueue = queue
        scope = ReviewScope()
    }

    /// Whether a device still waits for its review.
    func isUnderReview(_ device: DeviceNumber, after decision: Decision) -> Bool {
        decision.reviewQueue?.holds(device) ?? reviewQueue.holds(device)
    }

    private func devices(concernedBy scope: ReviewScope) -> [DeviceNumber] {
        guard scope.isOfPlaces || scope.isEveryone else {
            let owned = scope.users.sorted().flatMap { Array(ownership.devices(of: $0)) }
            return owned + scope.musterPresencesToRebuild.subtracting(owned).sorted()
        }
        return devices.indices.compactMap { index in
            let device = DeviceNumber(Int32(index))
            return concerns(scope, devices[index]) || scope.musterPresencesToRebuild.contains(device) ? device : nil
        }
    }

    /// Whether edits may change where a device stands.
    private func concerns(_ scope: ReviewScope, _ state: DeviceState) -> Bool {
        guard let user = state.user, state.isLocated || state.hasStandings else { return false }
        if scope.users.contains(user) { return true }
        let number = team(of: person(user)).tracker
        let tracker = number.map(catalog.tracker) ?? .none
        // The process may have ended between an edit and its review.
        if scope.isEveryone, stands(state, besides: tracker) { return true }
        guard scope.isOfPlaces, let number else { return false }
        if scope.links[number] != nil { return true }
        if (state.presences + state.musterPresences).contains(where: { scope.regions.contains($0.region) }) {
            return true
        }
        if state.hasMemory, state.memory.tracks.contains(where: { scope.regions.contains($0.region) }) { return true }
        if tracker.collections.contains(where: { scope.collections.contains($0) }) { return true }
        guard tracker.isFollowed, !state.track.isEmpty, !scope.regions.isEmpty else { return false }
        return scope.isNear(state.track.estimate, deviationMetres: state.track.deviationMetres)
    }

    /// Whether a device has a presence in a region that its tracker is not linked to.
    private func stands(_ state: DeviceState, besides tracker: RegionCatalog.TrackerRule) -> Bool {
        func isLinked(_ presence: Presence) -> Bool {
            catalog.rule(of: presence.region).map { tracker.isLinked(to: $0.collection) } ?? false
        }
        return !(state.presences.allSatisfy(isLinked) && state.musterPresences.allSatisfy(isLinked))
    }

    /// Decides again how a device stands in the regions that edits changed, and whether its owner is safe.
    private func reevaluate(
        _ device: DeviceNumber, in scope: ReviewScope, now: Instant, into decision: inout Decision
    ) {
        var state = state(of: device, after: decision)
        let before = state
        // The review uses a track of the newest position alone. The track is not kept, so that the next fix asks for
        // the earlier positions too.
        let hasTrack = !state.track.isEmpty
        if !hasTrack { state.restoreTrack() }
        let tracker = tracker(of: state.user)
        let number = team(of: person(state.user)).tracker
        let links = number.flatMap { scope.links[$0] } ?? []
        let isMoved = state.user.map { scope.users.contains($0) } ?? false
        let estimate = FixEstimate(
            state, of: device, at: state.evaluated ?? now, tracker: tracker, isFirst: !state.hasStood)
        func hasChanged(_ region: RegionNumber, _ rule: RegionCatalog.RegionRule) -> Bool {
            isMoved || scope.regions.contains(region) || scope.collections.contains(rule.collection)
                || links.contains(rule.collection)
        }
        var edit = CrossingEdit(
            moment: now, hasChanged: hasChanged, hasOtherPolicy: { scope.collections.contains($0.collection) })
        catalog.collectConfidentRegions(by: estimate, presences: state.presences, on: &decision.scratch)
        CrossingEvaluator(estimate: estimate)
            .reevaluate(&state.presences, after: edit, in: catalog, on: &decision.scratch)
        if scope.musterPresencesToRebuild.contains(device) { edit.hasChanged = { _, _ in true } }
        catalog.collectMusterRegions(by: estimate, presences: state.musterPresences, on: &decision.scratch)
        CrossingEvaluator(estimate: estimate, scope: .musterRegions)
            .reevaluate(&state.musterPresences, after: edit, in: catalog, on: &decision.scratch)
        endUnheard(&state, of: device, into: &decision)
        noteJump(by: &state, since: before, tracker: tracker, on: &decision.scratch)
        if !hasTrack { state.track = ConfidentTrack() }
        decision.record(state, of: device)
        deriveSafety(of: state.user, now: now, decidedAt: now, into: &decision)
        followAttendance(of: state.user, now: now, into: &decision)
    }
}
