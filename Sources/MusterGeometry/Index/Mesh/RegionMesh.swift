/// Many regions in a grid of grids, never changed: the main part of a `RegionIndex`.
///
/// The box of all regions is cut into the cells of a root grid. A cell is empty, a leaf, or cut again. A leaf knows the
/// regions that hold the whole cell, and of the others the edges in the cell, cut to it and rounded to 16 bits. Whether
/// a point is in a region follows from the parity of the region at the cell's corner and the edges between; where a
/// point is too near to an edge for the rounded edges to tell, and where a leaf has too many, the answer comes from the
/// region's own doubles, exactly.
///
/// - `root`: a `CellWord` a cell, row by row from the south.
/// - `hot`: leaves and the words of cut cells, each at a multiple of four words. A leaf is a `LeafHeader`, the offset
///   of its cold part, blocks of `ClippedEdge`s, an `EntryWord` for each outline in order, and the numbers of the
///   circles whose rim crosses the cell. A leaf that has only whole regions holds their names, and equal ones are one.
/// - `cold`: for each leaf with edges the corner (two doubles), and for each entry with edges its outline and the
///   corner's parity, and runs of edges by their first vertex.
///
/// Invariants (`checkInvariants` in the tests): every word points into its array; entries ascend by region; the edges
/// of an entry are those of its outline that come near the cell; parities at corners are exact.
final class RegionMesh: Sendable {
    /// The pointers into `memory` that queries use.
    let open: OpenMesh
    /// The arrays, which are the mesh's own.
    let memory: MeshMemory
    /// Ascending by number.
    let regions: [IndexedRegion]
    /// Whether leaves name regions by their numbers; else by their places in `regions`.
    let namesAreIDs: Bool
    /// The names of the regions that hold a pole, ascending; the grid is not asked there.
    let atNorthPole: [Int32]
    let atSouthPole: [Int32]
    private let rankOfID: KeyTable

    /// The grid of the root.
    var grid: CellGrid { memory.grid }
    /// The words of the root's cells.
    var root: UnsafeBufferPointer<UInt32> { memory.root }
    /// The leaves and cut cells.
    var hot: UnsafeBufferPointer<UInt32> { memory.hot }

    /// How many words may be read beyond the end of `hot`.
    static var slackWords: Int { 64 }

    /// Builds a mesh.
    ///
    /// - Parameter regions: ascending by number, each number once, each shape one for a mesh; fewer than
    ///   `EntryWord.nameLimit`.
    /// - Complexity: O(edges · log) in usual cases, about 0.3 µs an edge.
    init(_ regions: [IndexedRegion]) {
        let limit = Int32(EntryWord.nameLimit)
        namesAreIDs = regions.allSatisfy { $0.id >= 0 && $0.id < limit }
        self.regions = regions
        var ranks = KeyTable()
        for (rank, region) in regions.enumerated() { ranks.set(KeyTable.key(region.id), to: Int32(rank)) }
        rankOfID = ranks
        atNorthPole = Self.names(of: regions, holding: 90, areIDs: namesAreIDs)
        atSouthPole = Self.names(of: regions, holding: -90, areIDs: namesAreIDs)
        var builder = RegionMeshBuilder(MeshSource(regions, namesAreIDs: namesAreIDs), regionCount: regions.count)
        builder.build()
        memory = builder.finish()
        open = OpenMesh(memory)
    }

    deinit {
        open.deallocate()
        memory.deallocate()
    }

    private static func names(of regions: [IndexedRegion], holding latitude: Double, areIDs: Bool) -> [Int32] {
        let pole = Coordinate(validLatitude: latitude, longitude: 0)
        var result: [Int32] = []
        for (rank, region) in regions.enumerated() where region.shape.mayHold(latitude: latitude) {
            if region.shape.contains(pole) { result.append(areIDs ? region.id : Int32(rank)) }
        }
        return result
    }

    /// The place of a region among `regions`.
    func rank(of id: Int32) -> Int? { rankOfID.value(KeyTable.key(id)).map { Int($0) } }

    /// Returns the name that leaves use for a region.
    @inline(__always)
    func name(ofRank rank: Int) -> Int32 { namesAreIDs ? regions[rank].id : Int32(rank) }

    /// Returns the number of the region with a name.
    @inline(__always)
    func id(ofName name: Int32) -> Int32 { namesAreIDs ? name : regions[Int(name)].id }

    /// The limit of the names in use, which are below it.
    var nameCount: Int { namesAreIDs ? (regions.last.map { Int($0.id) } ?? -1) + 1 : regions.count }
}

extension KeyTable {
    /// The key of a region's number.
    @inline(__always)
    static func key(_ id: Int32) -> UInt64 { UInt64(UInt32(bitPattern: id)) }
}

extension Shape {
    /// Whether a pole may be in the shape: it reaches there, or goes round the globe.
    fileprivate func mayHold(latitude: Double) -> Bool {
        switch self {
        case .polygon(let polygon): Ring.mayHold(latitude, polygon.exterior)
        case .multiPolygon(let polygons): polygons.contains { Ring.mayHold(latitude, $0.exterior) }
        case .circle: true
        }
    }
}

extension Ring {
    fileprivate static func mayHold(_ pole: Double, _ positions: [Coordinate]) -> Bool {
        positions.contains { $0.latitude == pole } || (positions.count > 1 && !isPlain(positions))
    }
}
