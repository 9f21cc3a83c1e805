import MusterCore
import MusterGeometry

/// Edits that concern where people stand, and what is told of that.
extension World {
    static let otherTeam = TeamNumber(2)
    static let otherTracker = TrackerNumber(2)

    /// Takes the regions that rules make muster regions, as their follower does.
    mutating func setMusterByRule(_ regions: Set<RegionNumber>) {
        directory.musterRegionsByRule = regions
        engine.setMusterByRule(regions)
        engine.review(now: Self.time(now), into: &decision)
        settle()
    }

    /// Links the tracker to these collections, under a filter.
    mutating func link(_ collections: [CollectionNumber], filter: PositionFilter = .none) {
        edit(.putTracker(Tracker(number: Self.tracker, name: "crew", filter: filter, collections: collections)))
    }

    mutating func setPolicy(_ policy: CrossingPolicy) {
        edit(.putCollection(RegionCollection(number: Self.collection, name: "town", policy: policy)))
    }

    /// What was told of beliefs, in order.
    var beliefs: [Belief] {
        log.compactMap { change in
            if case .belief(let belief, of: Self.phone) = change { belief } else { nil }
        }
    }

    /// How Ana is.
    var ana: Safety { engine.safety(of: Self.ana) }
}
