/// A smallest cell of an index's mesh, for pictures and tests of the mesh. Queries do not use it.
package struct IndexedCell: Sendable {
    /// The part of an outline in a cell.
    package struct Outline: Sendable {
        /// The region's number.
        package var region: Int32
        /// Whether the cell's corner counts as inside; as stored, with its flips.
        package var parity: Bool
        package var isHole: Bool
        /// Whether it is a circle whose rim crosses the cell.
        package var isRim: Bool
        /// Its edges, cut to the cell.
        package var edges: [Edge]
    }

    /// An edge cut to a cell: its lower end and its upper one, in leaf units of 1/63,488 of the cell's side.
    package struct Edge: Sendable {
        package var lowX: Int
        package var lowY: Int
        package var highX: Int
        package var highY: Int
    }

    /// The lower left corner, degrees.
    package var west: Double
    package var south: Double
    /// The size, degrees.
    package var width: Double
    package var height: Double
    /// 0 in the root, 1 in a cell of it that is cut, and so on.
    package var depth: Int
    /// Whether it has too many edges to be clipped to it; queries then use the regions' own doubles.
    package var isHeavy: Bool
    /// Outlines, in the order of their regions; those without edges and rim hold the whole cell.
    package var outlines: [Outline]

    /// The leaf units of the cell's left and lower side, of its right and upper side, and of the line left of the cell
    /// to which edges are lengthened that leave through the left side.
    package static let unitsRange = Int(LeafUnits.origin)...Int(LeafUnits.origin + LeafUnits.perCell)
    package static let sentinelUnits = Int(LeafUnits.sentinel)
    /// How near to an edge, in leaf units, a query uses doubles.
    package static let doubtUnits = Double(LeafUnits.doubt)
}

extension RegionIndex {
    /// All smallest cells of the mesh, empty ones too, row by row; none without a mesh.
    package var cells: [IndexedCell] {
        guard let mesh else { return [] }
        var cells: [IndexedCell] = []
        for row in 0..<mesh.grid.rows {
            for column in 0..<mesh.grid.columns {
                let word = CellWord(bits: mesh.root[row * mesh.grid.columns + column])
                mesh.append(word, mesh.grid.cell(column, row), depth: 0, to: &cells)
            }
        }
        return cells
    }

    /// How many bytes the mesh's arrays take, without the shapes that were given: cells, leaves, and the vertices laid
    /// flat.
    package var meshByteCount: Int {
        guard let memory = mesh?.memory else { return 0 }
        let words = memory.root.count + memory.hot.count + memory.cold.count
        return words * MemoryLayout<UInt32>.stride + memory.vertices.count * MemoryLayout<Double>.stride
            + memory.outlines.count * MemoryLayout<MeshOutline>.stride
    }
}

extension RegionMesh {
    fileprivate func append(_ word: CellWord, _ cell: MeshCell, depth: Int, to cells: inout [IndexedCell]) {
        guard word.isSubgrid else {
            cells.append(indexed(word, cell, depth: depth))
            return
        }
        let grid = grid.subgrid(cell, levels: word.levels)
        for row in 0..<grid.rows {
            for column in 0..<grid.columns {
                let inner = CellWord(bits: hot[word.firstWord + row * grid.columns + column])
                append(inner, grid.cell(column, row), depth: depth + 1, to: &cells)
            }
        }
    }

    private func indexed(_ word: CellWord, _ cell: MeshCell, depth: Int) -> IndexedCell {
        var result = IndexedCell(
            west: cell.west, south: cell.south, width: cell.width, height: cell.height, depth: depth,
            isHeavy: false, outlines: [])
        if word.isEmpty { return result }
        let header = LeafHeader(bits: hot[word.firstWord])
        result.isHeavy = header.isHeavy
        let blocks = word.firstWord + LeafHeader.wordCount
        let entries = blocks + header.blockCount * EdgeBlock.wordCount
        var first = 0
        for index in 0..<header.entryCount {
            let bits = hot[entries + index]
            if header.isWhole {
                result.outlines.append(
                    IndexedCell.Outline(
                        region: id(ofName: Int32(bits)), parity: true, isHole: false, isRim: false, edges: []))
                continue
            }
            let entry = EntryWord(bits: bits)
            let end = header.isHeavy ? 0 : Int(entry.end)
            let isRim = entry.isHole && entry.parity == 0 && end == first
            result.outlines.append(
                IndexedCell.Outline(
                    region: id(ofName: Int32(entry.name)), parity: entry.parity != 0, isHole: entry.isHole && !isRim,
                    isRim: isRim, edges: (first..<max(first, end)).map { edge($0, blocks) }))
            first = end
        }
        return result
    }

    private func edge(_ index: Int, _ blocks: Int) -> IndexedCell.Edge {
        let (block, lane) = index.quotientAndRemainder(dividingBy: EdgeBlock.edgeCount)
        let at = blocks + block * EdgeBlock.wordCount + lane
        let (latitudes, longitudes) = (hot[at], hot[at + EdgeBlock.edgeCount])
        return IndexedCell.Edge(
            lowX: Int(longitudes & 0xFFFF), lowY: Int(latitudes & 0xFFFF), highX: Int(longitudes >> 16),
            highY: Int(latitudes >> 16))
    }
}
