import MusterGeometry

/// What there is to cross: the regions of every collection, and which collections a tracker is linked to. All look-ups
/// are by number into arrays.
struct Atlas: Sendable {
    private var rules: [RegionRule?] = []
    private var indexes: [RegionIndex] = []
    private var trackers: [TrackerRule?] = []

    /// What crossing a region takes.
    struct RegionRule: Hashable, Sendable {
        var collection: CollectionNumber
        var isMuster: Bool
        var dwellSeconds: Double?
        var exitDelaySeconds: Double
    }

    /// What a tracker lets through, and where.
    struct TrackerRule: Hashable, Sendable {
        var filter = PositionFilter.none
        var collections: [CollectionNumber] = []
    }

    /// The rule of a tracker; without one everything is stored and nothing crossed.
    func tracker(_ number: TrackerNumber?) -> TrackerRule {
        guard let number, trackers.indices.contains(Int(number.rawValue)) else { return TrackerRule() }
        return trackers[Int(number.rawValue)] ?? TrackerRule()
    }

    /// The rule of a region; nil when it was removed.
    func rule(of region: RegionNumber) -> RegionRule? {
        rules.indices.contains(Int(region.rawValue)) ? rules[Int(region.rawValue)] : nil
    }

    /// Replaces `found` by the numbers of the linked regions that hold a place, ascending.
    func regions(containing place: Coordinate, for tracker: TrackerRule, into found: inout [Int32]) {
        found.removeAll(keepingCapacity: true)
        for collection in tracker.collections where indexes.indices.contains(Int(collection.rawValue)) {
            indexes[Int(collection.rawValue)].regions(containing: place, into: &found)
        }
        if tracker.collections.count > 1 { found.sort() }
    }

    mutating func put(_ region: Region) {
        while rules.count <= Int(region.number.rawValue) { rules.append(nil) }
        while indexes.count <= Int(region.collection.rawValue) { indexes.append(RegionIndex()) }
        rules[Int(region.number.rawValue)] = RegionRule(
            collection: region.collection, isMuster: region.isMuster, dwellSeconds: region.dwellSeconds,
            exitDelaySeconds: region.exitDelaySeconds)
        indexes[Int(region.collection.rawValue)].put(region.shape, as: region.number.rawValue)
    }

    mutating func remove(_ region: RegionNumber) {
        guard let rule = rule(of: region) else { return }
        rules[Int(region.rawValue)] = nil
        indexes[Int(rule.collection.rawValue)].remove(region.rawValue)
    }

    mutating func put(_ tracker: Tracker) {
        while trackers.count <= Int(tracker.number.rawValue) { trackers.append(nil) }
        trackers[Int(tracker.number.rawValue)] = TrackerRule(
            filter: tracker.filter, collections: tracker.collections)
    }

    mutating func remove(_ tracker: TrackerNumber) {
        if trackers.indices.contains(Int(tracker.rawValue)) { trackers[Int(tracker.rawValue)] = nil }
    }
}
