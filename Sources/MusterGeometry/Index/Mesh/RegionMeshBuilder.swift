/// Builds the arrays of a `RegionMesh`: finds the parts of every cell of the root, cuts crowded cells, writes leaves.
///
/// All lists are flat arrays that are reused; no cell needs an allocation.
struct RegionMeshBuilder: ~Copyable {
    let source: MeshSource
    let sizing: MeshSizing
    let grid: CellGrid
    var root = Pile<UInt32>()
    var hot = Pile<UInt32>()
    var cold = Pile<UInt32>()
    var leaf = LeafDraft()
    var interned = KeyTable()
    /// The edges of all parts of the cells under way, each by its first vertex.
    var edges: Pile<UInt32>
    /// The parts of the cells under way, cell by cell.
    var parts: Pile<CellPart>
    /// Where the parts of each of these cells begin.
    private var starts = Pile<UInt32>()
    private var raster: MeshRaster
    private let regionCount: Int
    /// The sum of prefetched values; it has no meaning.
    private var touched = 0.0

    init(_ source: consuming MeshSource, regionCount: Int) {
        sizing = MeshSizing(edgeCount: source.edgeCount)
        let plan = sizing.root(source, regionCount: regionCount)
        grid = plan.grid
        // Reserved memory that is never touched costs nothing, but moving a grown array does.
        edges = Pile(capacity: plan.references)
        parts = Pile(capacity: 2 * source.edgeCount)
        raster = MeshRaster(edgeCount: 2 * source.edgeCount)
        self.source = source
        self.regionCount = regionCount
    }

    mutating func build() {
        for outline in 0..<source.outlines.count { rasterise(UInt32(outline)) }
        // About as many words as the leaves will take.
        hot = Pile(capacity: 3 * raster.references + 2 * raster.parts.count)
        cold = Pile(capacity: raster.references + raster.parts.count)
        Self.appendEmptyLeaf(to: &hot, &cold)
        let count = grid.columns * grid.rows
        let limit = MeshSizing.referenceLimit(edgeCount: source.edgeCount, regionCount: regionCount)
        let growth = max(1, limit / Double(max(1, raster.references + raster.parts.count)))
        orderParts(cellCount: count)
        root.extend(by: count).update(repeating: 0, count: count)
        for row in 0..<grid.rows {
            for column in 0..<grid.columns {
                let index = row * grid.columns + column
                let list = Int(starts[index])..<Int(starts[index + 1])
                if index + 2 < starts.count { approach(Int(starts[index + 1])..<Int(starts[index + 2])) }
                if list.isEmpty { continue }
                root[index] = word(list, grid.cell(column, row), depth: 0, growth: growth)
            }
        }
        hot.append(repeating: 0, count: RegionMesh.slackWords)
    }

    /// Writes the empty leaf that every mesh begins with.
    static func appendEmptyLeaf(to hot: inout Pile<UInt32>, _ cold: inout Pile<UInt32>) {
        // Unit 0 stands for no leaf.
        hot.append(repeating: 0, count: CellWord.wordsPerUnit)
        // The corner that leaves without edges read.
        cold.append(repeating: 0, count: ColdLeaf.cornerWords)
    }

    /// Reads a vertex of every part of a cell, so that their memory is on its way when they are used.
    @inline(__always)
    private mutating func approach(_ list: Range<Int>) {
        for index in list where parts.base[index].edgeCount > 0 {
            touched += source.vertices.base[2 * Int(parts.base[index].edge(0, in: edges))]
        }
    }

    /// Finds the parts of one outline in the cells of the root.
    private mutating func rasterise(_ number: UInt32) {
        let outline = source.outlines[Int(number)]
        let columns = grid.columns(from: outline.west, to: outline.east)
        let rows = grid.rows(from: outline.south, to: outline.north)
        if outline.circle >= 0 {
            let circle = source.circles[Int(outline.circle)]
            for row in rows {
                for column in columns {
                    add(circle, number, grid.cell(column, row), index: row * grid.columns + column)
                }
            }
            return
        }
        let reference = MeshRaster.Reference(
            x: grid.cornerX(columns.lowerBound), y: outline.south - 1, parity: outline.holdsSouth)
        listEdges(outline)
        raster.add(
            outline: number, vertices: source.vertices.base, from: reference,
            over: MeshRaster.Window(grid: grid, columns: columns, rows: rows), edgesTo: &edges)
    }

    private mutating func listEdges(_ outline: MeshOutline) {
        raster.edges.truncate(to: 0)
        let count = Int(outline.vertexCount) - 1
        let target = raster.edges.extend(by: count)
        for index in 0..<count { target[index] = outline.firstVertex + UInt32(index) }
        guard outline.turnedRing >= 0 else { return }
        // Without the edges to and from the NaN vertices between copies.
        var kept = 0
        for index in 0..<count {
            let at = source.vertices.base + 2 * Int(target[index])
            if at[0] == at[0] && at[2] == at[2] {
                target[kept] = target[index]
                kept += 1
            }
        }
        raster.edges.truncate(to: kept)
    }

    private mutating func add(_ circle: MeshCircle, _ outline: UInt32, _ cell: MeshCell, index: Int) {
        switch circle.location(ofBox: cell) {
        case .outside: return
        case .inside: raster.append(.whole(outline), cell: index)
        case .boundary: raster.append(.rim(outline), cell: index)
        }
    }

    /// Orders the raster's parts by cell, and within a cell as found, and appends them to `parts` and `starts`.
    private mutating func orderParts(cellCount: Int) {
        let first = starts.count
        starts.append(repeating: 0, count: cellCount + 1)
        let start = starts.base + first
        for index in 0..<raster.cells.count { start[Int(raster.cells.base[index]) + 1] += 1 }
        var sum = UInt32(parts.count)
        for cell in 0...cellCount {
            sum += start[cell]
            start[cell] = sum
        }
        _ = parts.extend(by: raster.parts.count)
        for index in 0..<raster.parts.count {
            let cell = Int(raster.cells.base[index])
            parts.base[Int(start[cell])] = raster.parts.base[index]
            start[cell] += 1
        }
        // Each now stands at the end of its cell, which is where the next begins.
        for cell in stride(from: cellCount, to: 0, by: -1) { start[cell] = start[cell - 1] }
        start[0] = UInt32(parts.count - raster.parts.count)
        raster.forgetParts()
    }

    /// Writes the contents of a cell.
    ///
    /// - Parameter growth: how many times as many references the cells within may have as the cell itself.
    private mutating func word(_ list: Range<Int>, _ cell: MeshCell, depth: Int, growth: Double) -> UInt32 {
        if list.isEmpty { return CellWord.empty.bits }
        var weight = 0
        var references = list.count
        for index in list {
            let part = parts.base[index]
            weight += part.isRim ? MeshSizing.rimWeight : part.edgeCount
            references += part.edgeCount
        }
        if weight > sizing.splitLimit && depth < MeshSizing.depthLimit
            && min(cell.width, cell.height) > MeshSizing.leastCell && cell.width * MeshSizing.narrowest >= grid.width,
            let levels = levels(for: list, weight, cell, limit: growth * Double(references)),
            let word = cut(list, references, cell, levels: levels, depth: depth, growth: growth)
        {
            return word
        }
        return writeLeaf(list, cell).bits
    }

    /// Returns how often to halve a crowded cell; nil when that would not help, or would need more references than the
    /// limit.
    private func levels(for list: Range<Int>, _ weight: Int, _ cell: MeshCell, limit: Double) -> Int? {
        var levels = 1
        while levels < MeshSizing.levelLimit && weight > MeshSizing.edgesPerCutCell << (2 * levels) { levels += 1 }
        let extent = extent(of: list, cell)
        while levels > 0 {
            let side = Double(1 << levels)
            let wanted = Double(weight) + extent * side + Double(list.count) * side * side
            let hardlyLess = Double(weight) + extent * side > 0.6 * Double(weight) * side * side
            if wanted <= limit && !hardlyLess { return levels }
            levels -= 1
        }
        return nil
    }

    /// The sum of the widths and heights of all edges in shares of the cell.
    private func extent(of list: Range<Int>, _ cell: MeshCell) -> Double {
        var sum = 0.0
        for index in list {
            let part = parts.base[index]
            for number in 0..<part.edgeCount {
                let ends = source.vertices.base + 2 * Int(part.edge(number, in: edges))
                sum += min(1, abs(ends[2] - ends[0]) / cell.width) + min(1, abs(ends[3] - ends[1]) / cell.height)
            }
            if part.isRim { sum += 2 }
        }
        return sum
    }

    /// Cuts a cell into a grid of smaller ones, unless that has too many references.
    private mutating func cut(
        _ list: Range<Int>, _ references: Int, _ cell: MeshCell, levels: Int, depth: Int, growth: Double
    ) -> UInt32? {
        let inner = grid.subgrid(cell, levels: levels)
        let count = inner.columns * inner.rows
        let (edgeMark, partMark, startMark) = (edges.count, parts.count, starts.count)
        for index in list { distribute(parts[index], cell, over: inner) }
        let found = raster.references + raster.parts.count
        let ratio = Double(found) / Double(references)
        guard ratio <= growth else {
            raster.forgetParts()
            edges.truncate(to: edgeMark)
            return nil
        }
        orderParts(cellCount: count)
        let unit = hot.count / CellWord.wordsPerUnit
        precondition(unit < CellWord.offsetLimit, "the references are limited")
        hot.append(repeating: 0, count: count)
        for index in 0..<count {
            let inside = Int(starts[startMark + index])..<Int(starts[startMark + index + 1])
            let (row, column) = index.quotientAndRemainder(dividingBy: inner.columns)
            let bits = word(
                inside, inner.cell(column, row), depth: depth + 1, growth: max(1, growth / max(ratio, 1e-3)))
            hot[unit * CellWord.wordsPerUnit + index] = bits
        }
        edges.truncate(to: edgeMark)
        parts.truncate(to: partMark)
        starts.truncate(to: startMark)
        return CellWord.subgrid(unit: unit, levels: levels).bits
    }

    /// Distributes a part over the cells of a cut.
    private mutating func distribute(_ part: CellPart, _ cell: MeshCell, over inner: CellGrid) {
        let count = inner.columns * inner.rows
        if part.isWhole {
            for index in 0..<count { raster.append(part, cell: index) }
        } else if part.isRim {
            let circle = source.circles[Int(source.outlines[Int(part.outline)].circle)]
            for index in 0..<count {
                let (row, column) = index.quotientAndRemainder(dividingBy: inner.columns)
                add(circle, part.outline, inner.cell(column, row), index: index)
            }
        } else {
            raster.edges.truncate(to: 0)
            let target = raster.edges.extend(by: part.edgeCount)
            for number in 0..<part.edgeCount { target[number] = part.edge(number, in: edges) }
            raster.add(
                outline: part.outline, vertices: source.vertices.base,
                from: MeshRaster.Reference(x: cell.cornerX, y: cell.cornerY, parity: part.parity),
                over: MeshRaster.Window(grid: inner, columns: 0..<inner.columns, rows: 0..<inner.rows),
                edgesTo: &edges)
        }
    }
}
