/// The arrays of a mesh, allocated by its builder and deallocated by the mesh.
struct MeshMemory {
    let grid: CellGrid
    let root: UnsafeBufferPointer<UInt32>
    let hot: UnsafeBufferPointer<UInt32>
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

// Nobody writes to it once it is built, and the mesh that owns it is counted.
extension MeshMemory: @unchecked Sendable {}

extension RegionMeshBuilder {
    /// Gives away what was built.
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
    /// Opens the arrays of a mesh for questions.
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

/// A mesh opened for questions: where its `MeshQuery` is.
///
/// Whoever asks keeps the mesh alive meanwhile: a `RegionIndex` holds both, and is borrowed while it answers.
struct OpenMesh {
    let query: UnsafePointer<MeshQuery>

    /// Opens the arrays of a mesh.
    init(_ memory: MeshMemory) {
        let query = UnsafeMutablePointer<MeshQuery>.allocate(capacity: 1)
        query.initialize(to: MeshQuery(memory))
        self.query = UnsafePointer(query)
    }

    func deallocate() { query.deallocate() }

    /// Finds nothing: a grid without cells. What lies before the first leaf is read all the same: every place is in the
    /// empty cell, and whoever brings leaves near does not ask which.
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

// What it points to is immutable, and the mesh that is held beside it keeps it alive.
extension OpenMesh: @unchecked Sendable {}
