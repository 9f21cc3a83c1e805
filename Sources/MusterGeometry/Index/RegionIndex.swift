/// The spatial index of regions, in place of an R-tree: it finds which of many regions hold a place. It is exact: it
/// answers as `Shape.contains` does.
///
/// Most regions are in an immutable mesh, which is built for fast queries. Regions that were put since are in a small
/// delta beside it, and regions that were removed are struck off. Changes are fast, and queries stay fast as long as
/// the delta is small. `rebuild` returns a plan when it no longer is, from which any thread can build a mesh of all
/// regions.
///
/// A value: a copy keeps its answers while the original changes.
public struct RegionIndex: Sendable {
    private(set) var mesh: RegionMesh?
    /// The opened mesh, or one that finds nothing. It is valid as long as the mesh is.
    private(set) var open = OpenMesh.nothing
    private(set) var delta = DeltaRegions()
    /// The names of the mesh's regions that were removed or put again.
    private(set) var struckOff = NameSet()
    /// The number of changes so far.
    private var changes: UInt64 = 0
    /// The number of adopted meshes.
    private var generation: UInt64 = 0

    public init() {}

    /// Creates an index of many regions at once. When a number occurs several times, its last shape counts.
    ///
    /// - Complexity: about 0.3 µs a vertex.
    public init(_ shapes: some Sequence<(id: Int32, shape: Shape)>) {
        var regions: [IndexedRegion] = []
        for (id, shape) in shapes {
            changes += 1
            regions.append(IndexedRegion(id: id, shape: shape, stamp: changes))
        }
        let built = RegionIndexRebuild(regions, generation: generation).build()
        mesh = built.mesh
        open = built.mesh.open
        namesAreIDs = built.mesh.namesAreIDs
        for region in built.others { delta.put(region) }
    }

    /// Whether leaves name regions by their numbers.
    private var namesAreIDs = true

    /// Whether the mesh's answer must still be completed.
    @inline(__always)
    var needsTranslation: Bool { !namesAreIDs || struckOff.count > 0 }

    /// Whether the mesh's answer is complete, except at a pole.
    @inline(__always)
    var isAnsweredByMesh: Bool { !needsTranslation && delta.count == 0 }

    /// The number of regions.
    public var count: Int { (mesh?.regions.count ?? 0) - struckOff.count + delta.count }

    /// Returns the shape of the region with a number; nil when there is none.
    public func shape(of id: Int32) -> Shape? {
        if let region = delta.region(of: id) { return region.shape }
        guard let mesh, let rank = mesh.rank(of: id), !struckOff.contains(mesh.name(ofRank: rank)) else { return nil }
        return mesh.regions[rank].shape
    }

    /// Puts a shape under a number, in place of the shape that had it.
    ///
    /// - Complexity: O(n) in the number of the shape's vertices, whatever else is in the index (amortised).
    public mutating func put(_ shape: Shape, as id: Int32) {
        remove(id)
        changes += 1
        delta.put(IndexedRegion(id: id, shape: shape, stamp: changes))
    }

    /// Removes the region with a number; does nothing when there is none.
    ///
    /// - Complexity: that of the few cells that it lies in.
    public mutating func remove(_ id: Int32) {
        if delta.remove(id) { return }
        guard let mesh, let rank = mesh.rank(of: id) else { return }
        struckOff.insert(mesh.name(ofRank: rank), of: mesh.nameCount)
    }

    /// A plan for a mesh of all present regions; nil as long as the delta is too small to matter, at a sixteenth of the
    /// regions.
    ///
    /// Build it on any thread, and pass the result to `adopt`. Regions that are put or removed in between stay so.
    public var rebuild: RegionIndexRebuild? {
        let inMesh = mesh?.regions.count ?? 0
        let pending = delta.meshCount + struckOff.count
        guard pending > max(Self.smallDelta, inMesh / 16) else { return nil }
        return everything
    }

    /// The size of a delta that is small beside any mesh.
    private static var smallDelta: Int { 64 }

    /// A plan for a mesh of all regions, however small the delta is.
    var everything: RegionIndexRebuild {
        var regions = delta.regions
        if let mesh {
            for (rank, region) in mesh.regions.enumerated() where !struckOff.contains(mesh.name(ofRank: rank)) {
                regions.append(region)
            }
        }
        return RegionIndexRebuild(regions, generation: generation)
    }

    /// Installs the mesh that a rebuild of this index made. Regions that changed since the rebuild was requested form
    /// the new delta.
    ///
    /// It ignores a rebuild that was requested before the last adopted one, which may lack changes that that one has.
    ///
    /// - Precondition: the rebuild is of this index, or of the one that this is a copy of as it was.
    /// - Complexity: O(n) in the number of regions, and in the vertices of those that changed in between.
    public mutating func adopt(_ built: BuiltRegions) {
        guard built.generation == generation else { return }
        var struck = NameSet()
        for (rank, region) in built.mesh.regions.enumerated() where stamp(of: region.id) != region.stamp {
            struck.insert(built.mesh.name(ofRank: rank), of: built.mesh.nameCount)
        }
        var changed = DeltaRegions()
        for region in delta.regions {
            let isBuilt = built.mesh.rank(of: region.id).map { built.mesh.regions[$0].stamp == region.stamp } ?? false
            if !isBuilt { changed.put(region) }
        }
        mesh = built.mesh
        open = built.mesh.open
        namesAreIDs = built.mesh.namesAreIDs
        delta = changed
        struckOff = struck
        generation += 1
    }

    /// Returns the number of the change that put the region which has a number now; nil when no region has it.
    private func stamp(of id: Int32) -> UInt64? {
        if let stamp = delta.stamp(of: id) { return stamp }
        guard let mesh, let rank = mesh.rank(of: id), !struckOff.contains(mesh.name(ofRank: rank)) else { return nil }
        return mesh.regions[rank].stamp
    }
}
