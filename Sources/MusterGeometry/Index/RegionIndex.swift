/// Which of many regions hold a place. Exact: it answers as `Shape.contains` does.
///
/// Most regions are in an immutable mesh, made for questions; what was put since the mesh was built is in a small
/// delta beside it, and what was removed is struck off. Both are quick, and questions stay quick as long as the delta
/// is small: `rebuild` says when it is not, and makes a mesh of all, on any thread.
///
/// A value: a copy keeps its answers while the original changes.
public struct RegionIndex: Sendable {
    private(set) var mesh: RegionMesh?
    /// The mesh's, or one that finds nothing; valid as long as the mesh is there.
    private(set) var open = OpenMesh.nothing
    private(set) var delta = DeltaRegions()
    /// The names of the mesh's regions that were removed or put again.
    private(set) var struckOff = NameSet()
    /// How many changes there were.
    private var changes: UInt64 = 0
    /// How many meshes were adopted.
    private var generation: UInt64 = 0

    /// An empty index.
    public init() {}

    /// An index of many regions, made at once. Where a number comes several times, the last shape has it.
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

    /// Whether leaves call regions by their numbers.
    private var namesAreIDs = true

    /// Whether what the mesh answers is not yet the answer.
    @inline(__always)
    var needsSettling: Bool { !namesAreIDs || struckOff.count > 0 }

    /// Whether what the mesh answers is the answer, except at a pole.
    @inline(__always)
    var isAnsweredByMesh: Bool { !needsSettling && delta.count == 0 }

    /// The number of regions.
    public var count: Int { (mesh?.regions.count ?? 0) - struckOff.count + delta.count }

    /// Puts a shape under a number, in place of the shape that had it.
    ///
    /// - Complexity: O(n) in the number of the shape's vertices, whatever else is in the index (amortised).
    public mutating func put(_ shape: Shape, as id: Int32) {
        remove(id)
        changes += 1
        delta.put(IndexedRegion(id: id, shape: shape, stamp: changes))
    }

    /// Removes the region with a number; nothing happens when there is none.
    ///
    /// - Complexity: that of the few cells that it lies in.
    public mutating func remove(_ id: Int32) {
        if delta.remove(id) { return }
        guard let mesh, let rank = mesh.rank(of: id) else { return }
        struckOff.insert(mesh.name(ofRank: rank), of: mesh.nameCount)
    }

    /// What makes a mesh of all regions there are now; nil as long as the delta is too small to matter, a sixteenth of
    /// the regions.
    ///
    /// Build it on any thread, and hand the result to `adopt`. What is put or removed in between stays true.
    public var rebuild: RegionIndexRebuild? {
        let inMesh = mesh?.regions.count ?? 0
        let pending = delta.meshCount + struckOff.count
        guard pending > max(Self.smallDelta, inMesh / 16) else { return nil }
        return everything
    }

    /// A delta of so many regions is small beside any mesh.
    private static var smallDelta: Int { 64 }

    /// What makes a mesh of all regions, whether that is worth it or not.
    var everything: RegionIndexRebuild {
        var regions = delta.regions
        if let mesh {
            for (rank, region) in mesh.regions.enumerated() where !struckOff.contains(mesh.name(ofRank: rank)) {
                regions.append(region)
            }
        }
        return RegionIndexRebuild(regions, generation: generation)
    }

    /// Takes the mesh that a rebuild of this index made, and keeps as delta what changed since the rebuild was asked
    /// for.
    ///
    /// A rebuild from before the last one adopted is dropped: it may lack what that one has.
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

    /// The number of the change that put the region that has a number now.
    private func stamp(of id: Int32) -> UInt64? {
        if let stamp = delta.stamp(of: id) { return stamp }
        guard let mesh, let rank = mesh.rank(of: id), !struckOff.contains(mesh.name(ofRank: rank)) else { return nil }
        return mesh.regions[rank].stamp
    }
}
