import MusterGeometry

// `RegionCatalog`: every region, with the index and the rules of its collection, as the engine uses them.

/// The regions of every collection, and the collections that each tracker is linked to. Every look-up indexes an array
/// by number.
struct RegionCatalog: Sendable {
    private var rules: [RegionRule?] = []
    /// By region number: whether the region reports a dwell. The engine reads this for every presence, so it takes one
    /// byte a region.
    private var tellsDwell: [Bool] = []
    /// By region number: the policy of a muster region that positions decide. The engine reads this for the presences
    /// of every observation, so it takes one byte a region.
    private var shelterPolicies: [CrossingPolicy?] = []
    // By collection number: the index of its regions, and its policy.
    private var indexes: [IndexHolder] = []
    private var policies: [CrossingPolicy] = []
    /// By collection number: its muster regions that positions decide.
    private var shelters: [CollectionShelters] = []
    /// By region number: a box that holds the region; nil for a region that positions do not decide.
    private var boxes: [BoundingBox?] = []
    private var trackers: [TrackerRule?] = []
    private var musterByRule: Set<RegionNumber> = []
    /// Looks up the regions of beacons and scanners.
    private(set) var beacons = BeaconCatalog()
    /// A number that changes with every edit of regions, links, policies and teams' trackers. A `BoundaryFreeRadius`
    /// that the engine found under another stamp is no longer valid.
    private(set) var stamp: UInt32 = 1

    /// The properties of a region that decide its crossings.
    struct RegionRule: Hashable, Sendable {
        var collection: CollectionNumber
        var policy: CrossingPolicy
        /// The mode that the region itself sets; nil when it sets none.
        var ownMode: RegionMode?
        /// Whether the region itself is marked as a muster region.
        var isMusterItself: Bool
        var isMusterByRule: Bool
        /// Whether it is a muster region: by itself or by a rule. A region without a place makes nobody safe.
        var isMuster: Bool { (isMusterItself || isMusterByRule) && beacon.map { $0.place != nil } ?? true }
        /// Whether it is a muster region that positions decide.
        var isShelter: Bool { isMuster && beacon == nil }
        /// The mode whose thresholds apply. A muster region has `.insideIsSafe`, whatever mode it sets itself.
        var mode: RegionMode { isMuster ? .insideIsSafe : ownMode ?? .standard }
        var dwellSeconds: Double?
        var exitDelaySeconds: Double
        /// The distance from the boundary to the point inside that is farthest from it, metres.
        var inradiusMetres: Double
        /// The radio that decides who is inside; nil for a region that positions decide.
        var beacon: BeaconRule?

        /// Whether sightings under a former rule do not count under this one.
        func asksForOtherBeacons(than former: RegionRule) -> Bool {
            former.beacon != beacon || (beacon != nil && isMuster && !former.isMuster)
        }
    }

    /// Returns a tracker's rule, and `.none` for nil or an unknown tracker.
    func tracker(_ number: TrackerNumber?) -> TrackerRule {
        guard let number, trackers.indices.contains(Int(number.rawValue)) else { return .none }
        return trackers[Int(number.rawValue)] ?? .none
    }

    /// Whether a known region reports no dwell.
    @inline(__always)
    func reportsNoDwell(in region: RegionNumber) -> Bool {
        let index = Int(region.rawValue)
        return index < tellsDwell.count && !tellsDwell[index]
    }

    /// The policy of a muster region that positions decide; nil for any other region.
    @inline(__always)
    func policy(ofShelter region: RegionNumber) -> CrossingPolicy? {
        let index = Int(region.rawValue)
        return shelterPolicies.indices.contains(index) ? shelterPolicies[index] : nil
    }

    /// The collection of a region; nil when the region was removed. It copies no rule.
    func collection(of region: RegionNumber) -> CollectionNumber? {
        let index = Int(region.rawValue)
        return rules.indices.contains(index) ? rules[index]?.collection : nil
    }

    /// Returns the rule of a region; nil when the region was removed.
    func rule(of region: RegionNumber) -> RegionRule? {
        guard rules.indices.contains(Int(region.rawValue)), var rule = rules[Int(region.rawValue)] else { return nil }
        rule.policy = policies[Int(rule.collection.rawValue)]
        return rule
    }

    /// Whether a region and a box have a place in common, by the box that holds the region; true for a region without
    /// one.
    func isRegion(_ region: RegionNumber, near box: BoundingBox) -> Bool {
        let index = Int(region.rawValue)
        return boxes.indices.contains(index) ? boxes[index]?.touches(box) ?? true : true
    }

    /// Whether a muster region of a tracker's collections and a box have a place in common, by the boxes that hold the
    /// regions. For a collection with more than `shelterLimit` muster regions the answer is always true.
    ///
    /// - Complexity: O(muster regions), some nanoseconds each.
    func isShelter(of tracker: TrackerRule, near box: BoundingBox) -> Bool {
        tracker.collections.contains { collection in
            guard shelters.indices.contains(Int(collection.rawValue)) else { return false }
            let regions = shelters[Int(collection.rawValue)].regions
            return regions.count > Self.shelterLimit || regions.contains { isRegion($0, near: box) }
        }
    }

    /// The largest number of muster regions of a collection that are compared with the place of a person whose
    /// positions are coarse: the sweep does it for each such person every two seconds.
    private static let shelterLimit = 1_000

    /// Prefetches the memory that queries about these places read; see `Engine.approach`.
    func approach(_ places: UnsafeBufferPointer<Coordinate>, for tracker: TrackerRule) -> Int {
        var touched = 0
        for collection in tracker.collections where indexes.indices.contains(Int(collection.rawValue)) {
            let index = Int(collection.rawValue)
            let measuring = policies[index] == .confident || !shelters[index].regions.isEmpty
            touched &+= indexes[Int(collection.rawValue)].approach(places, measuring: measuring)
        }
        return touched
    }

    /// Appends the regions of a collection that hold a place or whose boundary is within `reach` of it, ascending by
    /// number.
    func nearby(
        _ place: Coordinate, within reach: Metres, in collection: CollectionNumber,
        into found: inout Answers<NearbyRegion>
    ) {
        guard indexes.indices.contains(Int(collection.rawValue)) else { return }
        indexes[Int(collection.rawValue)].nearby(place, within: reach, into: &found)
    }

    /// Appends the muster regions of a raw collection as `nearby` appends its regions.
    func nearbyShelters(
        _ place: Coordinate, within reach: Metres, in collection: CollectionNumber,
        into found: inout Answers<NearbyRegion>
    ) {
        guard shelters.indices.contains(Int(collection.rawValue)) else { return }
        shelters[Int(collection.rawValue)].index.nearby(place, within: reach, into: &found)
    }

    /// Returns a radius around a place, at most `limit`, within which no region of these collections has a boundary.
    func boundaryFreeRadius(
        around place: Coordinate, within limit: Metres, in collections: [CollectionNumber]
    ) -> Metres {
        var clear = limit
        for collection in collections where indexes.indices.contains(Int(collection.rawValue)) {
            clear = min(clear, indexes[Int(collection.rawValue)].boundaryFreeRadius(around: place, within: clear))
        }
        return clear
    }

    /// Returns the same radius for the muster regions of raw collections alone.
    func shelterFreeRadius(
        around place: Coordinate, within limit: Metres, in collections: [CollectionNumber]
    ) -> Metres {
        var clear = limit
        for collection in collections where shelters.indices.contains(Int(collection.rawValue)) {
            let index = shelters[Int(collection.rawValue)].index
            clear = min(clear, index.boundaryFreeRadius(around: place, within: clear))
        }
        return clear
    }

    /// Replaces `found` with the numbers of a collection's regions that the straight segment between two places
    /// touches, ascending.
    func regions(
        crossedBy from: Coordinate, _ to: Coordinate, in collection: CollectionNumber,
        into found: inout Answers<Int32>
    ) {
        found.clear()
        guard indexes.indices.contains(Int(collection.rawValue)) else { return }
        let index = indexes[Int(collection.rawValue)].index
        found.withArray { index.regions(crossedBy: from, to, into: &$0) }
    }

    /// Returns the current index of a collection's regions; an empty one for an unknown collection.
    func index(of collection: CollectionNumber) -> RegionIndex {
        indexes.indices.contains(Int(collection.rawValue)) ? indexes[Int(collection.rawValue)].index : RegionIndex()
    }

    /// Returns the distance from a place to a region's boundary, positive inside; nil when the region was removed.
    func signedDistance(from place: Coordinate, to region: RegionNumber) -> Metres? {
        guard let rule = rule(of: region) else { return nil }
        return indexes[Int(rule.collection.rawValue)].index.signedDistance(from: place, to: region.rawValue)
    }

    /// Returns the distance in metres from a place to a region's boundary, positive inside. It may be ±∞ where the
    /// boundary is farther away than `limit`, and is −∞ or not a number when the region was removed.
    ///
    /// With a limit of some tens of metres this is faster than the exact distance.
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

    /// The largest limit for which a search is worth it: a wider one finds too many other regions.
    private static var farthestSearchMetres: Double { 200 }

    /// Replaces `found` with the numbers of the regions of these collections that hold a place, ascending.
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
    /// Invalidates the boundary-free radius of every device.
    mutating func noteChange() { stamp &+= 1 }

    /// - Returns: whether the collection's policy changed.
    mutating func put(_ collection: RegionCollection) -> Bool {
        makeRoom(for: collection.number)
        guard policies[Int(collection.number.rawValue)] != collection.policy else { return false }
        noteChange()
        policies[Int(collection.number.rawValue)] = collection.policy
        for region in shelters[Int(collection.number.rawValue)].regions {
            shelterPolicies[Int(region.rawValue)] = collection.policy
        }
        shelters[Int(collection.number.rawValue)].setIndexed(
            collection.policy == .raw, from: indexes[Int(collection.number.rawValue)].index)
        renewTrackers()
        return true
    }

    private mutating func renewTrackers() {
        trackers = trackers.map { tracker in
            tracker.map {
                TrackerRule(
                    filter: $0.filter, collections: $0.collections, worksAtZero: $0.worksAtZero, policy: policy,
                    isSheltering: isSheltering)
            }
        }
    }

    private func isSheltering(_ collection: CollectionNumber) -> Bool {
        shelters.indices.contains(Int(collection.rawValue)) && !shelters[Int(collection.rawValue)].regions.isEmpty
    }

    /// Records whether a region is one of its collection's muster regions that positions decide, and its shape in the
    /// collection's index.
    private mutating func setShelter(_ region: RegionNumber, in collection: CollectionNumber, to isShelter: Bool) {
        shelterPolicies[Int(region.rawValue)] = isShelter ? policy(of: collection) : nil
        let wasSheltering = isSheltering(collection)
        let index = indexes[Int(collection.rawValue)].index
        guard shelters[Int(collection.rawValue)].set(region, to: isShelter, from: index) else { return }
        noteChange()
        if wasSheltering != isSheltering(collection) { renewTrackers() }
    }

    mutating func put(_ region: Region) {
        if let former = rule(of: region.number), former.collection != region.collection { remove(region.number) }
        while rules.count <= Int(region.number.rawValue) {
            rules.append(nil)
            tellsDwell.append(false)
            shelterPolicies.append(nil)
            boxes.append(nil)
        }
        tellsDwell[Int(region.number.rawValue)] = region.dwellSeconds != nil
        boxes[Int(region.number.rawValue)] = region.beacon == nil ? region.shape?.boundingBox : nil
        makeRoom(for: region.collection)
        let former = rules[Int(region.number.rawValue)]
        rules[Int(region.number.rawValue)] = RegionRule(
            collection: region.collection, policy: policy(of: region.collection),
            ownMode: region.mode, isMusterItself: region.isMuster,
            isMusterByRule: musterByRule.contains(region.number),
            dwellSeconds: region.dwellSeconds, exitDelaySeconds: region.exitDelaySeconds,
            inradiusMetres: region.shape?.inradius.value ?? 0, beacon: BeaconRule(region))
        let isShelter = rules[Int(region.number.rawValue)]?.isShelter == true
        noteChange()
        beacons.put(region)
        if let shape = region.shape, region.beacon == nil {
            change(region.collection) { $0.put(shape, as: region.number.rawValue) }
        } else if former != nil, former?.beacon == nil {
            change(region.collection) { $0.remove(region.number.rawValue) }
        }
        setShelter(region.number, in: region.collection, to: isShelter)
    }

    /// Replaces the beacon that a device itself sends, as scanners hear it.
    ///
    /// - Returns: whether the beacon changed.
    @discardableResult
    mutating func setTag(_ device: DeviceNumber, to beacon: Beacon?) -> Bool { beacons.setTag(device, to: beacon) }

    /// Replaces the set of regions that rules make muster regions.
    ///
    /// - Returns: the regions that came into the set or left it.
    mutating func setMusterByRule(_ regions: Set<RegionNumber>) -> Set<RegionNumber> {
        let changed = regions.symmetricDifference(musterByRule)
        for region in changed where rules.indices.contains(Int(region.rawValue)) {
            guard var rule = rules[Int(region.rawValue)] else { continue }
            rule.isMusterByRule = regions.contains(region)
            rules[Int(region.rawValue)] = rule
            setShelter(region, in: rule.collection, to: rule.isShelter)
        }
        musterByRule = regions
        return changed
    }

    mutating func remove(_ region: RegionNumber) {
        guard let rule = rule(of: region) else { return }
        rules[Int(region.rawValue)] = nil
        boxes[Int(region.rawValue)] = nil
        noteChange()
        setShelter(region, in: rule.collection, to: false)
        beacons.remove(region)
        if rule.beacon == nil { change(rule.collection) { $0.remove(region.rawValue) } }
    }

    mutating func put(_ tracker: Tracker) {
        noteChange()
        while trackers.count <= Int(tracker.number.rawValue) { trackers.append(nil) }
        trackers[Int(tracker.number.rawValue)] = TrackerRule(
            filter: tracker.filter, collections: tracker.collections, worksAtZero: tracker.worksAtZero, policy: policy,
            isSheltering: isSheltering)
    }

    /// A plan that rebuilds the first index that edits have made slow; nil when no index is slow.
    var rebuild: RegionCatalogRebuild? {
        for (number, holder) in indexes.enumerated() {
            let collection = CollectionNumber(Int32(number))
            if let plan = holder.index.rebuild {
                return RegionCatalogRebuild(collection: collection, isOfShelters: false, plan: plan)
            }
            if let plan = shelters[number].index.index.rebuild {
                return RegionCatalogRebuild(collection: collection, isOfShelters: true, plan: plan)
            }
        }
        return nil
    }

    mutating func adopt(_ built: BuiltCollection) {
        if built.isOfShelters {
            shelters[Int(built.collection.rawValue)].adopt(built.regions)
        } else {
            change(built.collection) { $0.adopt(built.regions) }
        }
    }

    mutating func remove(_ tracker: TrackerNumber) {
        noteChange()
        if trackers.indices.contains(Int(tracker.rawValue)) { trackers[Int(tracker.rawValue)] = nil }
    }

    private func policy(of collection: CollectionNumber) -> CrossingPolicy {
        policies.indices.contains(Int(collection.rawValue)) ? policies[Int(collection.rawValue)] : .confident
    }

    private mutating func change(_ collection: CollectionNumber, _ body: (inout RegionIndex) -> Void) {
        IndexHolder.change(&indexes[Int(collection.rawValue)], body)
    }

    private mutating func makeRoom(for collection: CollectionNumber) {
        while indexes.count <= Int(collection.rawValue) {
            indexes.append(.empty)
            policies.append(.confident)
            shelters.append(CollectionShelters())
        }
    }
}
