import MusterGeometry

/// What edits have changed of what there is to cross, and so whose standings are to be decided anew.
struct ReviewScope: Sendable {
    /// Regions that were put, removed, or became muster regions or no longer.
    var regions: Set<RegionNumber> = []
    /// Where those are that are still there; nil once they are too many to look at one by one.
    private(set) var boxes: [BoundingBox]? = []
    /// Collections whose policy changed.
    var collections: Set<CollectionNumber> = []
    /// The collections that a tracker was linked to, or no longer is.
    var links: [TrackerNumber: Set<CollectionNumber>] = [:]
    /// Who reports to another tracker than before.
    var users: Set<UserNumber> = []
    /// Whether the safety of all is to be derived anew.
    var isEveryone = false

    /// As many boxes are looked at one by one.
    private static let boxLimit = 64

    var isEmpty: Bool {
        regions.isEmpty && collections.isEmpty && links.isEmpty && users.isEmpty && !isEveryone
    }

    /// Adds a region that is there.
    ///
    /// - Parameter box: where it is; nil: anywhere.
    mutating func add(_ region: RegionNumber, within box: BoundingBox?) {
        regions.insert(region)
        guard let box else { return boxes = nil }
        boxes?.append(box)
        if boxes?.count ?? 0 > Self.boxLimit { boxes = nil }
    }

    /// Whether a device may be inside of a region that was put.
    func isNear(_ place: Coordinate, deviationMetres: Double) -> Bool {
        guard let boxes else { return true }
        let pad = (4 * deviationMetres + 100) / 110_000
        // Towards the poles longitudes say little, and of a device that may be anywhere the place does.
        guard pad < 1, abs(place.latitude) < 85 else { return true }
        let eastPad = pad * 12
        return boxes.contains { box in
            guard place.latitude >= box.south - pad, place.latitude <= box.north + pad else { return false }
            let width = (box.east - box.west + 360).truncatingRemainder(dividingBy: 360)
            let offset = (place.longitude - box.west + eastPad + 720).truncatingRemainder(dividingBy: 360)
            return box.east - box.west >= 360 || offset <= width + 2 * eastPad
        }
    }
}

extension Engine {
    /// Decides anew, after edits, where those stand whom they concern, from where each is believed to be, and who is
    /// safe. No crossing is told: the next fix tells it, where it is still so. To be called in the transaction of the
    /// edits, or right behind it.
    ///
    /// - Complexity: O(devices + people), some nanoseconds each, and about a microsecond for each device near a region
    ///   that changed.
    public mutating func review(now: Instant, into decision: inout Decision) {
        let scope = scope
        self.scope = ReviewScope()
        // What an edit does to many is told as it is in the end, not as it passes.
        decision.defersRecount = true
        defer { keepRolls(now: now, into: &decision) }
        if !scope.regions.isEmpty || !scope.collections.isEmpty || !scope.links.isEmpty {
            for index in devices.indices where concerns(scope, devices[index]) {
                standAnew(DeviceNumber(Int32(index)), scope, now: now, into: &decision)
            }
        } else {
            for device in scope.users.sorted().flatMap({ Array(ownership.devices(of: $0)) }) {
                standAnew(device, scope, now: now, into: &decision)
            }
        }
        guard scope.isEveryone else { return }
        for index in people.indices {
            deriveSafety(of: UserNumber(Int32(index)), now: now, decidedAt: now, into: &decision)
        }
    }

    /// Whether a device may stand otherwise after edits.
    private func concerns(_ scope: ReviewScope, _ state: DeviceState) -> Bool {
        guard let user = state.user, state.isLocated || !state.presences.isEmpty || !state.refuges.isEmpty else {
            return false
        }
        if scope.users.contains(user) { return true }
        guard let number = team(of: person(user)).tracker else { return false }
        if scope.links[number] != nil { return true }
        if (state.presences + state.refuges).contains(where: { scope.regions.contains($0.region) }) { return true }
        let tracker = atlas.tracker(number)
        if tracker.collections.contains(where: { scope.collections.contains($0) }) { return true }
        guard tracker.isFollowed, !state.track.isEmpty, !scope.regions.isEmpty else { return false }
        return scope.isNear(state.track.estimate, deviationMetres: state.track.deviationMetres)
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
        let edit = StandingEdit(
            moment: now,
            hasChanged: { region, rule in
                isMoved || scope.regions.contains(region) || scope.collections.contains(rule.collection)
                    || links.contains(rule.collection)
            },
            hasOtherPolicy: { scope.collections.contains($0.collection) })
        atlas.findConfident(evidence, state, on: &decision.bench)
        Standings(evidence: evidence).stand(&state.presences, anew: edit, in: atlas, on: &decision.bench)
        atlas.findRefuges(evidence, state, on: &decision.bench)
        Standings(evidence: evidence, scope: .refuges)
            .stand(&state.refuges, anew: edit, in: atlas, on: &decision.bench)
        decision.record(state, of: device)
        deriveSafety(of: state.user, now: now, decidedAt: now, into: &decision)
    }
}
