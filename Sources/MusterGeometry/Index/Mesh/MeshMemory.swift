/// The arrays of a mesh, allocated by its builder and deallocated by the mesh. `RegionMesh` describes how they belong
/// together.
struct MeshMemory {
    let grid: CellGrid
    /// A word for each cell of the grid; see `CellWord`.
    let root: UnsafeBufferPointer<UInt32>
    /// The inner cells, and the part of each leaf that every query reads.
    let hot: UnsafeBufferPointer<UInt32>
    /// The part of each leaf that a query reads only where rounded edges do not decide; see `ColdLeaf`.
    let cold: UnsafeBufferPointer<UInt32>
    /// Longitude and latitude in turn; see `MeshOutline`.
    let vertices: UnsafeBufferPointer<Double>
    let outlines: UnsafeBufferPointer<MeshOutline>
    let circles: UnsafeBufferPointer<MeshCircle>
    let turnedRings: UnsafeBufferPointer<Ring>
    let cuts: UnsafeBufferPointer<UInt32>

    func deallocate() {
        root.deallocate()
        hot.deallocate()
        cold.deallocate()
        vertices.deallocate()
        outlines.deallocate()
        circles.deallocate()
        cuts.deallocate()
        _ = UnsafeMutableBufferPointer(mutating: turnedRings).deinitialize()
        turnedRings.deallocate()
    }
}

// No code writes to the memory once it is built, and the mesh that owns it is reference-counted.
extension MeshMemory: @unchecked Sendable {}

extension RegionMeshBuilder {
    /// Returns the built arrays; the caller owns them.
    consuming func finish() -> MeshMemory {
        let rings = UnsafeMutableBufferPointer<Ring>.allocate(capacity: max(1, source.turnedRings.count))
        let used = UnsafeMutableBufferPointer(rebasing: rings[..<source.turnedRings.count])
        _ = used.initialize(fromContentsOf: source.turnedRings)
        return MeshMemory(
            grid: grid, root: root.release(), hot: hot.release(), cold: cold.release(),
            vertices: source.vertices.release(), outlines: source.outlines.release(),
            circles: source.circles.release(), turnedRings: UnsafeBufferPointer(used),
            cuts: source.cuts.release())
    }
}

extension MeshQuery {
    /// Opens the arrays of a mesh for queries.
    init(_ memory: MeshMemory) {
        // A pile has memory also where it has no elements.
        guard let root = memory.root.baseAddress, let hot = memory.hot.baseAddress,
            let cold = memory.cold.baseAddress, let vertices = memory.vertices.baseAddress,
            let outlines = memory.outlines.baseAddress, let circles = memory.circles.baseAddress,
            let turnedRings = memory.turnedRings.baseAddress, let cuts = memory.cuts.baseAddress
        else { preconditionFailure("every array of a mesh has memory") }
        self.init(
            root: root, hot: hot, cold: cold, vertices: vertices, outlines: outlines, circles: circles,
            turnedRings: turnedRings, cuts: cuts, cutCount: memory.cuts.count, grid: memory.grid,
            perWidth: 1 / memory.grid.width, perHeight: 1 / memory.grid.height,
            columnsEnd: CellDistance(count: memory.grid.columns), rowsEnd: CellDistance(count: memory.grid.rows))
    }
}

/// A mesh opened for queries: the address of its `MeshQuery`.
///
/// The caller of a query keeps the mesh alive meanwhile: a `RegionIndex` holds both, and is borrowed while it answers.
struct OpenMesh {
    let query: UnsafePointer<MeshQuery>

    /// Opens the arrays of a mesh.
    init(_ memory: MeshMemory) {
        let query = UnsafeMutablePointer<MeshQuery>.allocate(capacity: 1)
        query.initialize(to: MeshQuery(memory))
        self.query = UnsafePointer(query)
    }

    func deallocate() { query.deallocate() }

    /// An opened mesh that finds nothing: a grid without cells. Queries and prefetching still read the words before the
    /// first leaf, because every place is in the empty cell.
    static let nothing: OpenMesh = {
        let grid = CellGrid(west: 0, south: 0, width: 1, height: 1, columns: 0, rows: 0)
        var hot = Pile<UInt32>()
        var cold = Pile<UInt32>()
        RegionMeshBuilder.appendEmptyLeaf(to: &hot, &cold)
        hot.append(repeating: 0, count: RegionMesh.slackWords)
        let memory = MeshMemory(
            grid: grid, root: Pile(capacity: 1).release(), hot: hot.release(), cold: cold.release(),
            vertices: Pile(capacity: 1).release(),
            outlines: Pile(capacity: 1).release(), circles: Pile(capacity: 1).release(),
            turnedRings: UnsafeBufferPointer(UnsafeMutableBufferPointer<Ring>.allocate(capacity: 1)),
            cuts: Pile(capacity: 1).release())
        return OpenMesh(memory)
    }()
}

// The memory that it points to is immutable, and the mesh beside it keeps it alive.
extension OpenMesh: @unchecked Sendable {}
