/// Finds the regions whose boundaries a segment between two places touches.
extension MeshQuery {
    /// Appends the names of the regions whose boundary has a point in common with a segment; in no particular order,
    /// and one may come several times.
    func append(touchedBy path: PathSegment, to names: inout [Int32]) {
        guard let turns = path.turns(into: -180, 180) else { return }
        for turn in turns {
            let walk = SegmentWalk(query: self, path: path.turned(by: turn))
            walk.visit(grid, words: root, &names)
        }
    }

    /// A vertex of an outline, exactly.
    @inline(__always)
    func point(_ vertex: Int, of outline: MeshOutline) -> UnrolledPoint {
        if outline.turnedRing >= 0 {
            return MeshSource.point(
                vertex - Int(outline.firstVertex), of: turnedRings[Int(outline.turnedRing)])
        }
        return UnrolledPoint(
            longitude: TurnedLongitude(degrees: vertices[2 * vertex], turns: 0), latitude: vertices[2 * vertex + 1])
    }
}

/// A walk through the cells along a segment.
private struct SegmentWalk {
    let query: MeshQuery
    let path: PathSegment

    /// Visits the cells of a grid that the segment may touch, and the cells within them.
    func visit(_ grid: CellGrid, words: UnsafePointer<UInt32>, _ names: inout [Int32]) {
        for row in grid.rows(from: path.south, to: path.north) {
            let (west, east) = longitudes(inRow: row, of: grid)
            for column in grid.columns(from: west, to: east) {
                let word = CellWord(bits: words[row * grid.columns + column])
                if word.isEmpty { continue }
                if word.isSubgrid {
                    let inner = grid.subgrid(grid.cell(column, row), levels: word.levels)
                    visit(inner, words: query.hot + word.firstWord, &names)
                } else {
                    compare(word, &names)
                }
            }
        }
    }

    /// Returns the longitudes between which the segment runs in a row, with a margin.
    private func longitudes(inRow row: Int, of grid: CellGrid) -> (west: Double, east: Double) {
        let rise = path.end.latitude - path.start.latitude
        guard abs(rise) > 1e-9 * grid.height else { return (path.west, path.east) }
        let margin = 1e-5 * grid.height
        let low = grid.south + Double(row) * grid.height - margin
        let high = grid.south + Double(row + 1) * grid.height + margin
        let start = path.start.longitude.rounded
        let run = path.end.longitude.rounded - start
        let one = start + max(0, min(1, (low - path.start.latitude) / rise)) * run
        let other = start + max(0, min(1, (high - path.start.latitude) / rise)) * run
        return (min(one, other) - 1e-12, max(one, other) + 1e-12)
    }

    /// Compares the segment with the edges and rims in a leaf.
    private func compare(_ word: CellWord, _ names: inout [Int32]) {
        let words = query.hot + word.firstWord
        let header = LeafHeader(bits: words[0])
        if header.isWhole { return }
        let entries = words + LeafHeader.wordCount + header.blockCount * EdgeBlock.wordCount
        var reader = LeafReader(entries, header, cold: query.cold + Int(words[1]))
        while reader.next() {
            var isTouched = false
            switch reader.kind {
            case .whole: continue
            case .rim: isTouched = path.touches(query.circles[reader.nextCircle()].circle)
            case .edges:
                let outline = query.outlines[Int(reader.cold[0] >> 1)]
                reader.forEachEdge { vertex in
                    isTouched = path.touches(query.point(vertex, of: outline), query.point(vertex + 1, of: outline))
                    return !isTouched
                }
            }
            if isTouched { names.append(Int32(truncatingIfNeeded: reader.entry.name)) }
        }
    }
}
