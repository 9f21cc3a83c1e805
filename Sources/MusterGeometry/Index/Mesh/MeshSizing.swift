/// How fine a mesh is: the targets from which its size follows, and the limits of it.
struct MeshSizing: BitwiseCopyable, Sendable {
    /// How many edges a cell of the root is to have on average.
    var edgesPerCell: Double
    /// A cell with more edges than this is cut into smaller ones.
    var splitLimit: Int

    /// Creates the sizes for a number of edges. With millions of edges, memory misses cost more than comparisons.
    init(edgeCount: Int) {
        let isLarge = edgeCount > 2_000_000
        edgesPerCell = isLarge ? 18 : 6
        splitLimit = isLarge ? 60 : 24
    }

    /// The most cells on a side of the root.
    static var rootLimit: Int { 4096 }
    /// Cells are not cut when they are smaller than this, degrees: about 0.2 m.
    static var leastCell: Double { 2e-6 }
    static var depthLimit: Int { 8 }
    /// Cells are not cut when the root's are more times as wide. With the five halvings of a cut that makes 22, and of
    /// the 40 bits that a place has within a cell of the root 18 are left: an error of an eighth of a leaf's unit,
    /// which `LeafUnits.doubt` covers.
    static var narrowest: Double { 0x1p17 }
    /// The most halvings in one cut.
    static var levelLimit: Int { 5 }
    /// How many edges a cell of a cut is to have at most on average.
    static var edgesPerCutCell: Int { 4 }
    /// As how many edges the rim of a circle counts.
    static var rimWeight: Int { 8 }

    /// The most references from cells to edges and regions that a mesh may hold: so many times the edges and regions,
    /// and a floor for small meshes. A cut that would exceed its cell's share is not made, and the cell answers on
    /// doubles, edge by edge. So the memory of a mesh is O(edges + regions) whatever they look like: about 12 bytes a
    /// reference.
    static func referenceLimit(edgeCount: Int, regionCount: Int) -> Double {
        min(max(24 * Double(edgeCount + regionCount), 0x1p20), 0x1p28)
    }

    /// The root of a mesh. The number of its cells on a side is chosen for so many edges in each cell on average.
    ///
    /// A grid of G × G cells over a box of W × H has E + G·(Σ|dx|/W + Σ|dy|/H) references to E edges whose lengths are
    /// dx and dy.
    ///
    /// - Returns: the grid, and about how many references to edges it will have.
    func root(_ source: borrowing MeshSource, regionCount: Int) -> (grid: CellGrid, references: Int) {
        var extent = MeshExtent()
        extent.add(source)
        let width = max((extent.box.east - extent.box.west) * (1 + 1e-9), 4 * Self.leastCell)
        let height = max((extent.box.north - extent.box.south) * (1 + 1e-9), 4 * Self.leastCell)
        let linear = extent.eastward / width + extent.northward / height
        let root = (linear * linear + 4 * edgesPerCell * extent.edges).squareRoot()
        var side = max(4, ((linear + root) / (2 * edgesPerCell)).rounded(.up))
        side = min(side, Double(Self.rootLimit))
        // Whole regions count too: the boxes of all outlines in cells, and references to edges, bounded as a whole.
        let limit = Self.referenceLimit(edgeCount: source.edgeCount, regionCount: regionCount) / 2
        let (area, girth) = extent.boxes(source, width, height)
        while side > 1 && area * side * side + (girth + linear) * side + extent.edges > limit { side *= 0.8 }
        let columns = max(1, Int(min(side, width / Self.leastCell)))
        let rows = max(1, Int(min(side, height / Self.leastCell)))
        let grid = CellGrid(
            west: extent.box.west, south: extent.box.south, width: width / Double(columns),
            height: height / Double(rows), columns: columns, rows: rows)
        let references =
            extent.edges + extent.eastward * Double(columns) / width + extent.northward * Double(rows) / height
        return (grid, Int(min(limit, references)))
    }
}

/// The sums from which the size of a root is computed.
private struct MeshExtent {
    var box = Span(west: .infinity, east: -.infinity, south: .infinity, north: -.infinity)
    var edges = 0.0
    var eastward = 0.0
    var northward = 0.0

    mutating func add(_ source: borrowing MeshSource) {
        for index in 0..<source.outlines.count {
            let outline = source.outlines[index]
            box = box.union(outline.clamped)
            guard outline.circle < 0 else {
                edges += Double(MeshSizing.rimWeight)
                eastward += 2 * (outline.east - outline.west)
                northward += 2 * (outline.north - outline.south)
                continue
            }
            edges += Double(outline.vertexCount) - 1
            var at = source.vertices.base + 2 * Int(outline.firstVertex)
            for _ in 1..<Int(outline.vertexCount) {
                let (dx, dy) = (abs(at[2] - at[0]), abs(at[3] - at[1]))
                at += 2
                // Beside a vertex that is no number.
                if dx + dy >= 0 {
                    eastward += dx
                    northward += dy
                }
            }
        }
        if edges == 0 { box = Span(west: 0, east: 1, south: 0, north: 1) }
    }

    /// The areas and half the girths of all outlines' boxes, in shares of the whole.
    func boxes(_ source: borrowing MeshSource, _ width: Double, _ height: Double) -> (area: Double, girth: Double) {
        var area = 0.0
        var girth = 0.0
        for index in 0..<source.outlines.count {
            let box = source.outlines[index].clamped
            let (across, along) = ((box.east - box.west) / width, (box.north - box.south) / height)
            area += across * along
            girth += across + along
        }
        return (area, girth)
    }
}
