extension RegionCatalog {
    /// A tracker's filter and links. It is a class because the engine reads it for every observation and must not copy
    /// it.
    final class TrackerRule: Sendable {
        let filter: PositionFilter
        let collections: [CollectionNumber]
        /// Whether devices may be at 0° north, 0° east.
        let worksAtZero: Bool
        /// The linked collections with the raw policy.
        let raw: [CollectionNumber]
        /// The linked collections with the confident policy.
        let confident: [CollectionNumber]
        /// The raw collections that hold a muster region. The confident policy decides who is safe in those muster
        /// regions too.
        let sheltering: [CollectionNumber]

        init(
            filter: PositionFilter, collections: [CollectionNumber], worksAtZero: Bool = false,
            policy: (CollectionNumber) -> CrossingPolicy, isSheltering: (CollectionNumber) -> Bool
        ) {
            self.filter = filter
            self.collections = collections
            self.worksAtZero = worksAtZero
            raw = collections.filter { policy($0) == .raw }
            confident = collections.filter { policy($0) == .confident }
            sheltering = raw.filter(isSheltering)
        }

        /// Whether the confident policy decides anything for the tracker's devices.
        @inline(__always)
        var isFollowed: Bool { !confident.isEmpty || !sheltering.isEmpty }

        func isLinked(to collection: CollectionNumber) -> Bool { collections.contains(collection) }

        /// The rule without a tracker: the engine stores every position and crosses no region.
        static let none = TrackerRule(
            filter: .none, collections: [], policy: { _ in .raw }, isSheltering: { _ in false })
    }
}
