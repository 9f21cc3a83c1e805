/// A plan that makes a new mesh of an index's regions; a value that any thread may build.
public struct RegionIndexRebuild: Sendable {
    private let regions: [IndexedRegion]
    private let generation: UInt64

    init(_ regions: [IndexedRegion], generation: UInt64) {
        self.regions = regions
        self.generation = generation
    }

    /// Builds the mesh. Takes a while: about 0.3 µs a vertex.
    public func build() -> BuiltRegions {
        var admitted: [IndexedRegion] = []
        var others: [IndexedRegion] = []
        admitted.reserveCapacity(regions.count)
        // Ascending, and of one number the last change alone.
        for region in regions.sorted(by: { ($0.id, $0.stamp) < ($1.id, $1.stamp) }) {
            if admitted.last?.id == region.id { admitted.removeLast() }
            if others.last?.id == region.id { others.removeLast() }
            if admitted.count < EntryWord.nameLimit && region.shape.isForMesh {
                admitted.append(region)
            } else {
                others.append(region)
            }
        }
        return BuiltRegions(mesh: RegionMesh(admitted), others: others, generation: generation)
    }
}

/// What a rebuild made, for `RegionIndex.adopt`.
public struct BuiltRegions: Sendable {
    let mesh: RegionMesh
    /// The regions that are not for a mesh.
    let others: [IndexedRegion]
    let generation: UInt64
}
