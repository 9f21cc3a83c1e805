@testable import MusterGeometry

/// A broken invariant of a mesh.
enum MeshFault: Hashable, Sendable {
    /// A word, a leaf or its cold part reaches beyond its array.
    case beyondArray
    /// Entries do not ascend by region, or their edges overlap.
    case entryOrder
    /// An entry's edges are not those of an outline of its region.
    case foreignEdges
    /// A corner's parity is not that of the outline.
    case cornerParity
    /// A leaf names a region as holding a cell whose centre it does not hold.
    case wholeRegion
    /// An edge is missing in a leaf where one of its points lies.
    case missingEdge
}

extension RegionIndex {
    /// Returns the broken invariants of the mesh, which is always an empty set in correct code. It is slow: it compares
    /// corners with all edges.
    func checkInvariants() -> Set<MeshFault> {
        guard let mesh else { return [] }
        var check = MeshCheck(mesh: mesh)
        check.visit(mesh.grid, first: nil)
        check.findEdges()
        return check.faults
    }
}

private struct MeshCheck {
    let mesh: RegionMesh
    private(set) var faults: Set<MeshFault> = []

    private var memory: MeshMemory { mesh.memory }

    init(mesh: RegionMesh) { self.mesh = mesh }

    /// Checks the cells of a grid, whose words begin at one of the hot words, or are those of the root.
    mutating func visit(_ grid: CellGrid, first: Int?) {
        let words = first == nil ? memory.root : memory.hot
        let start = first ?? 0
        guard start + grid.columns * grid.rows <= words.count else {
            faults.insert(.beyondArray)
            return
        }
        for row in 0..<grid.rows {
            for column in 0..<grid.columns {
                let word = CellWord(bits: words[start + row * grid.columns + column])
                if word.isEmpty { continue }
                let cell = grid.cell(column, row)
                if word.isSubgrid {
                    visit(grid.subgrid(cell, levels: word.levels), first: word.firstWord)
                } else {
                    checkLeaf(word, cell)
                }
            }
        }
    }

    private mutating func checkLeaf(_ word: CellWord, _ cell: MeshCell) {
        let header = LeafHeader(bits: memory.hot[word.firstWord])
        let entries = word.firstWord + LeafHeader.wordCount + header.blockCount * EdgeBlock.wordCount
        let cold = Int(memory.hot[word.firstWord + 1])
        guard entries + header.entryCount <= memory.hot.count, cold + ColdLeaf.cornerWords <= memory.cold.count else {
            faults.insert(.beyondArray)
            return
        }
        let middle = Coordinate(
            validLatitude: max(-90, min(90, cell.south + cell.height / 2)),
            longitude: max(-180, min(180, cell.west + cell.width / 2)))
        if header.isWhole {
            for index in 0..<header.entryCount {
                let name = Int32(bitPattern: memory.hot[entries + index])
                if index > 0 && name <= Int32(bitPattern: memory.hot[entries + index - 1]) {
                    faults.insert(.entryOrder)
                }
                if !holds(name, middle) { faults.insert(.wholeRegion) }
            }
            return
        }
        guard let hot = memory.hot.baseAddress, let coldWords = memory.cold.baseAddress else { return }
        var reader = LeafReader(hot + entries, header, cold: coldWords + cold)
        var previous = EntryWord(bits: 0)
        while reader.next() {
            let entry = reader.entry
            if entry.name < previous.name || (!header.isHeavy && entry.end < previous.end) {
                faults.insert(.entryOrder)
            }
            if Int(entry.end) > max(header.blockCount * EdgeBlock.edgeCount, 1) { faults.insert(.beyondArray) }
            previous = entry
            if reader.kind == .edges { checkEdges(&reader) }
        }
    }

    private mutating func checkEdges(_ reader: inout LeafReader) {
        let number = Int(reader.cold[0] >> 1)
        let parity = reader.cold[0] & 1 != 0
        guard number < memory.outlines.count else {
            faults.insert(.beyondArray)
            return
        }
        let outline = memory.outlines[number]
        if outline.name != reader.entry.name || outline.isHole != reader.entry.isHole { faults.insert(.foreignEdges) }
        let vertices = Int(outline.firstVertex)..<Int(outline.firstVertex + outline.vertexCount) - 1
        var isOwn = true
        reader.forEachEdge { vertex in
            isOwn = vertices.contains(vertex)
            return isOwn
        }
        if !isOwn { faults.insert(.foreignEdges) }
        if holds(outline, reader.cornerX, reader.cornerY) != parity { faults.insert(.cornerParity) }
    }

    /// Whether a point is inside an outline, by the edges south of it.
    private func holds(_ outline: MeshOutline, _ x: Double, _ y: Double) -> Bool {
        guard let vertices = memory.vertices.baseAddress else { return false }
        var isInside = outline.holdsSouth
        for index in 0..<(Int(outline.vertexCount) - 1) {
            let edge = vertices + 2 * (Int(outline.firstVertex) + index)
            // Next to a vertex of NaN there is no edge.
            guard edge[0] == edge[0], edge[2] == edge[2], (edge[0] > x) != (edge[2] > x) else { continue }
            if isLeft(of: edge, x, y) == (edge[2] > edge[0]) { isInside.toggle() }
        }
        return isInside
    }

    private func holds(_ name: Int32, _ place: Coordinate) -> Bool {
        let rank = mesh.namesAreIDs ? mesh.rank(of: name) : Int(name)
        return rank.map { mesh.regions[$0].shape.contains(place) } ?? false
    }

    /// Looks for every edge in the leaves where its ends and its middle lie.
    mutating func findEdges() {
        for (number, outline) in memory.outlines.enumerated() where outline.circle < 0 {
            for index in 0..<(Int(outline.vertexCount) - 1) {
                let vertex = Int(outline.firstVertex) + index
                let (x, y) = (memory.vertices[2 * vertex], memory.vertices[2 * vertex + 1])
                let (dx, dy) = (memory.vertices[2 * vertex + 2] - x, memory.vertices[2 * vertex + 3] - y)
                for share in [0, 0.5, 1] where !isListed(vertex, number, x + share * dx, y + share * dy) {
                    faults.insert(.missingEdge)
                }
            }
        }
    }

    /// Whether an edge is in the leaf of a point; a point off the grid, or none, has no leaf.
    private func isListed(_ edge: Int, _ outline: Int, _ x: Double, _ y: Double) -> Bool {
        guard abs(x) <= 180, abs(y) <= 90 else { return true }
        let query = mesh.open.query
        var local = query.pointee.locate(Coordinate(validLatitude: y, longitude: x))
        query.pointee.descend(&local)
        if local.word.isEmpty { return false }
        let header = query.pointee.header(local)
        let words = query.pointee.hot + local.word.firstWord
        let entries = words + LeafHeader.wordCount + header.blockCount * EdgeBlock.wordCount
        if header.isWhole { return false }
        var reader = LeafReader(entries, header, cold: query.pointee.cold + Int(words[1]))
        var isFound = false
        while reader.next() {
            guard reader.kind == .edges else { continue }
            let isSame = Int(reader.cold[0] >> 1) == outline
            reader.forEachEdge { vertex in
                if isSame && vertex == edge { isFound = true }
                return true
            }
        }
        return isFound
    }
}
