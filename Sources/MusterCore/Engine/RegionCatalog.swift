import MusterGeometry

/// An index that is looked at for every observation. In an object of its own, and asked by the object's own methods,
/// looking takes no copy: as an element of an array it was retained ten times a question.
private final class IndexHolder: Sendable {
    let index: RegionIndex
    init(_ index: RegionIndex) { self.index = index }
    static let empty = IndexHolder(RegionIndex())

    @inline(never)
    func regions(containing place: Coordinate, into found: inout Answers<Int32>) {
        index.regions(containing: place, into: &found)
    }

    @inline(never)
    func approach(_ places: UnsafeBufferPointer<Coordinate>, measuring: Bool) -> Int {
        index.approach(places, measuring: measuring)
    }

    @inline(never)
    func nearby(_ place: Coordinate, within reach: Metres, into found: inout Answers<NearbyRegion>) {
        index.nearby(place, within: reach, into: &found)
    }

    @inline(never)
    func boundaryFreeRadius(around place: Coordinate, within limit: Metres) -> Metres {
        index.boundaryFreeRadius(around: place, within: limit)
    }
}

/// What there is to cross: the regions of every collection, and which collections a tracker is linked to. All look-ups
/// are by number into arrays.
struct RegionCatalog: Sendable {
    private var rules: [RegionRule?] = []
    /// By region: whether someone is to be told that a device stays in it. Looked at for every presence, and so in few
    /// bytes.
    private var tellsDwell: [Bool] = []
    // A collection's regions, and how they are crossed.
    private var indexes: [IndexHolder] = []
    private var policies: [CrossingPolicy] = []
    /// By collection: how many muster regions it has.
    private var musterCounts: [Int32] = []
    private var trackers: [TrackerRule?] = []
    private var musterByRule: Set<RegionNumber> = []
    /// What there is to cross, by whom and how: another number after every change of that. What was found before a
    /// change says nothing afterwards (see `BoundaryFreeRadius`).
    private(set) var stamp: UInt32 = 1

    /// What crossing a region takes.
    struct RegionRule: Hashable, Sendable {
        var collection: CollectionNumber
        var policy: CrossingPolicy
        /// What it says itself of what a wrong crossing would cost.
        var ownMode: RegionMode?
        /// Whether it says itself that people inside are safe.
        var isMusterItself: Bool
        /// Whether a rule says so.
        var isMusterByRule: Bool
        /// Whether people inside are safe.
        var isMuster: Bool { isMusterItself || isMusterByRule }
        /// What a wrong crossing would cost. Whoever is inside a muster region counts as safe, whatever it says itself.
        var mode: RegionMode { isMuster ? .insideIsSafe : ownMode ?? .standard }
        var dwellSeconds: Double?
        var exitDelaySeconds: Double
        /// How deep inside one can be, metres.
        var inradiusMetres: Double
    }

    /// What a tracker lets through, and where. Shared: every observation looks at it.
    final class TrackerRule: Sendable {
        let filter: PositionFilter
        let collections: [CollectionNumber]
        /// Those of them that are crossed under the raw policy.
        let raw: [CollectionNumber]
        /// Those that are crossed under the confident policy.
        let confident: [CollectionNumber]
        /// Those of the raw ones that hold a muster region: who is safe in it is decided confidently all the same.
        let sheltering: [CollectionNumber]

        init(
            filter: PositionFilter, collections: [CollectionNumber],
            policy: (CollectionNumber) -> CrossingPolicy, isSheltering: (CollectionNumber) -> Bool
        ) {
            self.filter = filter
            self.collections = collections
            raw = collections.filter { policy($0) == .raw }
            confident = collections.filter { policy($0) == .confident }
            sheltering = raw.filter(isSheltering)
        }

        /// Whether the confident policy follows its devices.
        @inline(__always)
        var isFollowed: Bool { !confident.isEmpty || !sheltering.isEmpty }

        func isLinked(to collection: CollectionNumber) -> Bool { collections.contains(collection) }

        /// Everything is stored and nothing crossed.
        static let none = TrackerRule(
            filter: .none, collections: [], policy: { _ in .raw }, isSheltering: { _ in false })
    }

    /// The rule of a tracker; without one everything is stored and nothing crossed.
    func tracker(_ number: TrackerNumber?) -> TrackerRule {
        guard let number, trackers.indices.contains(Int(number.rawValue)) else { return .none }
        return trackers[Int(number.rawValue)] ?? .none
    }

    /// Whether nobody waits to be told that a device stays in a region.
    @inline(__always)
    func reportsNoDwell(in region: RegionNumber) -> Bool {
        let index = Int(region.rawValue)
        return index < tellsDwell.count && !tellsDwell[index]
    }

    /// The rule of a region; nil when it was removed.
    func rule(of region: RegionNumber) -> RegionRule? {
        guard rules.indices.contains(Int(region.rawValue)), var rule = rules[Int(region.rawValue)] else { return nil }
        rule.policy = policies[Int(rule.collection.rawValue)]
        return rule
    }

    /// Whether the presence that is told of a region is the one that its events are decided by; for muster regions of
    /// raw collections it is the confident one (`DeviceState.refuges`).
    func isShown(_ region: RegionNumber) -> Bool {
        guard let rule = rule(of: region) else { return true }
        return rule.policy == .confident || !rule.isMuster
    }

    /// Brings near what answers questions about places; see `Engine.approach`.
    func approach(_ places: UnsafeBufferPointer<Coordinate>, for tracker: TrackerRule) -> Int {
        var touched = 0
        for collection in tracker.collections where indexes.indices.contains(Int(collection.rawValue)) {
            let index = Int(collection.rawValue)
            let measuring = policies[index] == .confident || musterCounts[index] > 0
            touched &+= indexes[Int(collection.rawValue)].approach(places, measuring: measuring)
        }
        return touched
    }

    /// Appends the regions of a collection that hold a place or whose boundary is so near, in ascending order.
    func nearby(
        _ place: Coordinate, within reach: Metres, in collection: CollectionNumber,
        into found: inout Answers<NearbyRegion>
    ) {
        guard indexes.indices.contains(Int(collection.rawValue)) else { return }
        indexes[Int(collection.rawValue)].nearby(place, within: reach, into: &found)
    }

    /// Metres around a place within which no boundary of any region of these collections comes.
    func boundaryFreeRadius(
        around place: Coordinate, within limit: Metres, in collections: [CollectionNumber]
    ) -> Metres {
        var clear = limit
        for collection in collections where indexes.indices.contains(Int(collection.rawValue)) {
            clear = min(clear, indexes[Int(collection.rawValue)].boundaryFreeRadius(around: place, within: clear))
        }
        return clear
    }

    /// Replaces `found` by the numbers of a collection's regions that a straight way touches, ascending.
    func regions(
        crossedBy from: Coordinate, _ to: Coordinate, in collection: CollectionNumber,
        into found: inout Answers<Int32>
    ) {
        found.clear()
        guard indexes.indices.contains(Int(collection.rawValue)) else { return }
        let index = indexes[Int(collection.rawValue)].index
        found.withArray { index.regions(crossedBy: from, to, into: &$0) }
    }

    /// A collection's regions, as they are at this moment.
    func index(of collection: CollectionNumber) -> RegionIndex {
        indexes.indices.contains(Int(collection.rawValue)) ? indexes[Int(collection.rawValue)].index : RegionIndex()
    }

    /// Metres from a place to a region's boundary, positive inside; nil when the region was removed.
    func signedDistance(from place: Coordinate, to region: RegionNumber) -> Metres? {
        guard let rule = rule(of: region) else { return nil }
        return indexes[Int(rule.collection.rawValue)].index.signedDistance(from: place, to: region.rawValue)
    }

    /// Metres from a place to a region's boundary, positive inside; infinitely many where they are more than a limit.
    ///
    /// Faster than the distance alone for a limit of some tens of metres.
    func signedDistanceMetres(
        from place: Coordinate, to region: RegionNumber, in collection: CollectionNumber, limit: Double,
        _ found: inout Answers<NearbyRegion>
    ) -> Double {
        guard limit <= Self.farthestSearchMetres else { return signedDistance(from: place, to: region)?.value ?? .nan }
        found.clear()
        nearby(place, within: Metres(limit), in: collection, into: &found)
        for near in found where near.id == region.rawValue { return near.signedDistanceMetres }
        return -.infinity
    }

    /// Beyond this a search finds too many other regions.
    private static var farthestSearchMetres: Double { 200 }

    /// Replaces `found` by the numbers of the regions that hold a place, ascending.
    func regions(
        containing place: Coordinate, in collections: [CollectionNumber], into found: inout Answers<Int32>
    ) {
        found.clear()
        for collection in collections where indexes.indices.contains(Int(collection.rawValue)) {
            indexes[Int(collection.rawValue)].regions(containing: place, into: &found)
        }
        if collections.count > 1 { found.withArray { $0.sort() } }
    }
}

extension RegionCatalog {
    /// Notes that a tracker or its links changed: what was found for its devices says nothing any more.
    mutating func noteChange() { stamp &+= 1 }

    /// - Returns: whether its regions are crossed otherwise than before.
    mutating func put(_ collection: RegionCollection) -> Bool {
        makeRoom(for: collection.number)
        guard policies[Int(collection.number.rawValue)] != collection.policy else { return false }
        noteChange()
        policies[Int(collection.number.rawValue)] = collection.policy
        renewTrackers()
        return true
    }

    private mutating func renewTrackers() {
        trackers = trackers.map { tracker in
            tracker.map {
                TrackerRule(
                    filter: $0.filter, collections: $0.collections, policy: policy, isSheltering: isSheltering)
            }
        }
    }

    private func isSheltering(_ collection: CollectionNumber) -> Bool {
        musterCounts.indices.contains(Int(collection.rawValue)) && musterCounts[Int(collection.rawValue)] > 0
    }

    /// Counts a muster region that came or went.
    private mutating func count(_ change: Int32, in collection: CollectionNumber) {
        guard change != 0 else { return }
        noteChange()
        let wasSheltering = isSheltering(collection)
        musterCounts[Int(collection.rawValue)] += change
        if wasSheltering != isSheltering(collection) { renewTrackers() }
    }

    mutating func put(_ region: Region) {
        if let former = rule(of: region.number), former.collection != region.collection { remove(region.number) }
        while rules.count <= Int(region.number.rawValue) {
            rules.append(nil)
            tellsDwell.append(false)
        }
        tellsDwell[Int(region.number.rawValue)] = region.dwellSeconds != nil
        makeRoom(for: region.collection)
        let wasMuster = rules[Int(region.number.rawValue)]?.isMuster == true
        rules[Int(region.number.rawValue)] = RegionRule(
            collection: region.collection, policy: policy(of: region.collection),
            ownMode: region.mode, isMusterItself: region.isMuster,
            isMusterByRule: musterByRule.contains(region.number),
            dwellSeconds: region.dwellSeconds, exitDelaySeconds: region.exitDelaySeconds,
            inradiusMetres: region.shape.inradius.value)
        let isMuster = rules[Int(region.number.rawValue)]?.isMuster == true
        noteChange()
        count((isMuster ? 1 : 0) - (wasMuster ? 1 : 0), in: region.collection)
        change(region.collection) { $0.put(region.shape, as: region.number.rawValue) }
    }

    /// Takes the regions that rules make muster regions.
    ///
    /// - Returns: those for which that changed.
    mutating func setMusterByRule(_ regions: Set<RegionNumber>) -> Set<RegionNumber> {
        let changed = regions.symmetricDifference(musterByRule)
        for region in changed where rules.indices.contains(Int(region.rawValue)) {
            guard var rule = rules[Int(region.rawValue)] else { continue }
            let wasMuster = rule.isMuster
            rule.isMusterByRule = regions.contains(region)
            rules[Int(region.rawValue)] = rule
            count((rule.isMuster ? 1 : 0) - (wasMuster ? 1 : 0), in: rule.collection)
        }
        musterByRule = regions
        return changed
    }

    mutating func remove(_ region: RegionNumber) {
        guard let rule = rule(of: region) else { return }
        rules[Int(region.rawValue)] = nil
        noteChange()
        count(rule.isMuster ? -1 : 0, in: rule.collection)
        change(rule.collection) { $0.remove(region.rawValue) }
    }

    mutating func put(_ tracker: Tracker) {
        noteChange()
        while trackers.count <= Int(tracker.number.rawValue) { trackers.append(nil) }
        trackers[Int(tracker.number.rawValue)] = TrackerRule(
            filter: tracker.filter, collections: tracker.collections, policy: policy, isSheltering: isSheltering)
    }

    /// What makes a fast index of the first collection whose index has become slow; nil when none has.
    var rebuild: RegionCatalogRebuild? {
        for (number, holder) in indexes.enumerated() {
            guard let plan = holder.index.rebuild else { continue }
            return RegionCatalogRebuild(collection: CollectionNumber(Int32(number)), plan: plan)
        }
        return nil
    }

    mutating func adopt(_ built: BuiltCollection) {
        change(built.collection) { $0.adopt(built.regions) }
    }

    mutating func remove(_ tracker: TrackerNumber) {
        noteChange()
        if trackers.indices.contains(Int(tracker.rawValue)) { trackers[Int(tracker.rawValue)] = nil }
    }

    private func policy(of collection: CollectionNumber) -> CrossingPolicy {
        policies.indices.contains(Int(collection.rawValue)) ? policies[Int(collection.rawValue)] : .confident
    }

    private mutating func change(_ collection: CollectionNumber, _ body: (inout RegionIndex) -> Void) {
        var index = indexes[Int(collection.rawValue)].index
        // Held here alone from now on, so that it is changed in place.
        indexes[Int(collection.rawValue)] = .empty
        body(&index)
        indexes[Int(collection.rawValue)] = IndexHolder(index)
    }

    private mutating func makeRoom(for collection: CollectionNumber) {
        while indexes.count <= Int(collection.rawValue) {
            indexes.append(.empty)
            policies.append(.confident)
            musterCounts.append(0)
        }
    }
}
