import MusterGeometry

/// What there is to cross: the regions of every collection, and which collections a tracker is linked to. All look-ups
/// are by number into arrays.
struct Atlas: Sendable {
    private var rules: [RegionRule?] = []
    private var collections: [Section] = []
    private var trackers: [TrackerRule?] = []

    /// A collection's regions.
    private struct Section: Sendable {
        var policy = CrossingPolicy.confident
        var index = RegionIndex()
    }

    /// What crossing a region takes.
    struct RegionRule: Hashable, Sendable {
        var collection: CollectionNumber
        var policy: CrossingPolicy
        var mode: RegionMode
        var isMuster: Bool
        var dwellSeconds: Double?
        var exitDelaySeconds: Double
        /// How deep inside one can be, metres.
        var inradiusMetres: Double
    }

    /// What a tracker lets through, and where.
    struct TrackerRule: Hashable, Sendable {
        var filter = PositionFilter.none
        var collections: [CollectionNumber] = []
        /// Those of them that are crossed under the raw policy.
        var raw: [CollectionNumber] = []
        /// Those that are crossed under the confident policy.
        var confident: [CollectionNumber] = []
    }

    /// The rule of a tracker; without one everything is stored and nothing crossed.
    func tracker(_ number: TrackerNumber?) -> TrackerRule {
        guard let number, trackers.indices.contains(Int(number.rawValue)) else { return TrackerRule() }
        return trackers[Int(number.rawValue)] ?? TrackerRule()
    }

    /// The rule of a region; nil when it was removed.
    func rule(of region: RegionNumber) -> RegionRule? {
        guard rules.indices.contains(Int(region.rawValue)), var rule = rules[Int(region.rawValue)] else { return nil }
        rule.policy = collections[Int(rule.collection.rawValue)].policy
        return rule
    }

    /// Appends the regions of a collection that hold a place or whose boundary is so near, in ascending order.
    func nearby(
        _ place: Coordinate, within reach: Metres, in collection: CollectionNumber, into found: inout [NearbyRegion]
    ) {
        guard collections.indices.contains(Int(collection.rawValue)) else { return }
        collections[Int(collection.rawValue)].index.nearby(place, within: reach, into: &found)
    }

    /// Metres from a place to a region's boundary, positive inside; nil when the region was removed.
    func signedDistance(from place: Coordinate, to region: RegionNumber) -> Metres? {
        guard let rule = rule(of: region) else { return nil }
        return collections[Int(rule.collection.rawValue)].index.signedDistance(from: place, to: region.rawValue)
    }

    /// Replaces `found` by the numbers of the regions that hold a place, ascending.
    func regions(containing place: Coordinate, in collections: [CollectionNumber], into found: inout [Int32]) {
        found.removeAll(keepingCapacity: true)
        for collection in collections where self.collections.indices.contains(Int(collection.rawValue)) {
            self.collections[Int(collection.rawValue)].index.regions(containing: place, into: &found)
        }
        if collections.count > 1 { found.sort() }
    }
}

extension Atlas {
    mutating func put(_ collection: RegionCollection) {
        makeRoom(for: collection.number)
        guard collections[Int(collection.number.rawValue)].policy != collection.policy else { return }
        collections[Int(collection.number.rawValue)].policy = collection.policy
        trackers = trackers.map { tracker in
            tracker.map { TrackerRule(filter: $0.filter, collections: $0.collections, policy: policy) }
        }
    }

    mutating func put(_ region: Region) {
        if let former = rule(of: region.number), former.collection != region.collection { remove(region.number) }
        while rules.count <= Int(region.number.rawValue) { rules.append(nil) }
        makeRoom(for: region.collection)
        rules[Int(region.number.rawValue)] = RegionRule(
            collection: region.collection, policy: policy(of: region.collection),
            mode: region.mode ?? (region.isMuster ? .insideIsSafe : .standard), isMuster: region.isMuster,
            dwellSeconds: region.dwellSeconds, exitDelaySeconds: region.exitDelaySeconds,
            inradiusMetres: region.shape.inradius.value)
        collections[Int(region.collection.rawValue)].index.put(region.shape, as: region.number.rawValue)
    }

    mutating func remove(_ region: RegionNumber) {
        guard let rule = rule(of: region) else { return }
        rules[Int(region.rawValue)] = nil
        collections[Int(rule.collection.rawValue)].index.remove(region.rawValue)
    }

    mutating func put(_ tracker: Tracker) {
        while trackers.count <= Int(tracker.number.rawValue) { trackers.append(nil) }
        trackers[Int(tracker.number.rawValue)] = TrackerRule(
            filter: tracker.filter, collections: tracker.collections, policy: policy)
    }

    mutating func remove(_ tracker: TrackerNumber) {
        if trackers.indices.contains(Int(tracker.rawValue)) { trackers[Int(tracker.rawValue)] = nil }
    }

    private func policy(of collection: CollectionNumber) -> CrossingPolicy {
        collections.indices.contains(Int(collection.rawValue))
            ? collections[Int(collection.rawValue)].policy : .confident
    }

    private mutating func makeRoom(for collection: CollectionNumber) {
        while collections.count <= Int(collection.rawValue) { collections.append(Section()) }
    }
}

extension Atlas.TrackerRule {
    init(
        filter: PositionFilter, collections: [CollectionNumber], policy: (CollectionNumber) -> CrossingPolicy
    ) {
        self.init(
            filter: filter, collections: collections, raw: collections.filter { policy($0) == .raw },
            confident: collections.filter { policy($0) == .confident })
    }
}
