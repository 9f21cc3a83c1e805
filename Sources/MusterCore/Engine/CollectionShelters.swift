import MusterGeometry

/// The muster regions of one collection that positions decide.
struct CollectionShelters: Sendable {
    private(set) var regions: Set<RegionNumber> = []
    /// An index of these regions alone, so that a search for them finds no others; empty in a confident collection,
    /// whose regions are all searched for.
    private(set) var index = IndexHolder.empty
    private var isIndexed = false

    /// Adds a region, replaces its shape, or removes it.
    ///
    /// - Parameter all: the index of the whole collection, with the region's present shape.
    /// - Returns: whether a region was added or removed.
    mutating func set(_ region: RegionNumber, to isShelter: Bool, from all: RegionIndex) -> Bool {
        let wasShelter = regions.contains(region)
        guard isShelter || wasShelter else { return false }
        if isShelter { regions.insert(region) } else { regions.remove(region) }
        if isIndexed {
            let shape = isShelter ? all.shape(of: region.rawValue) : nil
            IndexHolder.change(&index) { index in
                if let shape { index.put(shape, as: region.rawValue) } else { index.remove(region.rawValue) }
            }
        }
        return wasShelter != isShelter
    }

    /// Begins or ends the index.
    ///
    /// - Parameter all: the index of the whole collection.
    mutating func setIndexed(_ isIndexed: Bool, from all: RegionIndex) {
        self.isIndexed = isIndexed
        index = .empty
        guard isIndexed, !regions.isEmpty else { return }
        index = IndexHolder(
            RegionIndex(
                regions.sorted().compactMap { region in
                    all.shape(of: region.rawValue).map { (id: region.rawValue, shape: $0) }
                }))
    }

    /// Installs a rebuilt index.
    mutating func adopt(_ built: BuiltRegions) {
        IndexHolder.change(&index) { $0.adopt(built) }
    }
}
