/// A region by its name, and how far away its boundary is at least here.
struct NearName {
    var name: Int32
    var metres: Double
}

extension MeshQuery {
    /// Appends the names of the regions whose boundary comes within a distance of a place, and how far away it is; a
    /// region may come several times, once for each cell and part.
    func append(near place: Coordinate, radiusMetres radius: Double, to found: inout [NearName]) {
        let search = NearSearch(
            query: self, place: place, radius: radius, point: SpacePoint(place),
            distance: EdgeDistance(from: place, radiusMetres: radius))
        for piece in Span(around: place, radiusMetres: radius).pieces {
            let turns = ((place.longitude - (piece.west + piece.east) / 2) / 360).rounded()
            search.visit(piece, grid, words: root, turn: 360 * turns, &found)
        }
    }
}

/// A walk through the cells near a place.
private struct NearSearch {
    let query: MeshQuery
    let place: Coordinate
    let radius: Double
    let point: SpacePoint
    let distance: EdgeDistance

    /// Looks at the cells of a grid that a box touches, and at those within.
    func visit(
        _ box: Span, _ grid: CellGrid, words: UnsafePointer<UInt32>, turn: Double, _ found: inout [NearName]
    ) {
        let columns = grid.columns(from: box.west, to: box.east)
        for row in grid.rows(from: box.south, to: box.north) {
            for column in columns {
                let word = CellWord(bits: words[row * grid.columns + column])
                if word.isEmpty { continue }
                if word.isSubgrid {
                    let inner = grid.subgrid(grid.cell(column, row), levels: word.levels)
                    visit(box, inner, words: query.hot + word.firstWord, turn: turn, &found)
                } else {
                    measure(word, turn: turn, &found)
                }
            }
        }
    }

    /// Measures what has edges or a rim in a leaf.
    private func measure(_ word: CellWord, turn: Double, _ found: inout [NearName]) {
        let words = query.hot + word.firstWord
        let header = LeafHeader(bits: words[0])
        if header.isWhole { return }
        let entries = words + LeafHeader.wordCount + header.blockCount * EdgeBlock.wordCount
        var reader = LeafReader(entries, header, cold: query.cold + Int(words[1]))
        while reader.next() {
            var best = Double.infinity
            switch reader.kind {
            case .whole: continue
            case .rim:
                let circle = query.circles[reader.nextCircle()]
                best = circle.distanceToRim(from: place, point, within: radius)
            case .edges:
                let outline = query.outlines[Int(reader.cold[0] >> 1)]
                reader.forEachEdge { vertex in
                    let edge = query.vertices + 2 * vertex
                    if outline.turnedRing < 0 || query.isBoundary(vertex, edge) {
                        best = distance.nearer(than: best, edge, turn: turn)
                    }
                    return true
                }
            }
            if best <= radius {
                found.append(NearName(name: Int32(truncatingIfNeeded: reader.entry.name), metres: best))
            }
        }
    }
}

extension MeshQuery {
    /// Whether an edge of a turned ring is a boundary: not one along a pole, nor a cut along the antimeridian.
    func isBoundary(_ vertex: Int, _ edge: UnsafePointer<Double>) -> Bool {
        if edge[1] == edge[3] && abs(edge[1]) == 90 { return false }
        guard edge[0] == edge[2], abs(edge[0].remainder(dividingBy: 360)) == 180 else { return true }
        var (low, high) = (0, cutCount)
        while low < high {
            let middle = (low + high) / 2
            if Int(cuts[middle]) < vertex { low = middle + 1 } else { high = middle }
        }
        return low == cutCount || Int(cuts[low]) != vertex
    }
}

extension MeshCircle {
    /// Metres from a place to the rim; infinite where it is clear that this is more than a radius.
    func distanceToRim(from place: Coordinate, _ point: SpacePoint, within limit: Double) -> Double {
        let chord = chord(to: point)
        let radius = circle.radius.value
        if SpacePoint.leastOnGround(chord) > radius + limit + 1e-6 { return .infinity }
        if SpacePoint.mostOnGround(chord) < radius - limit - 1e-6 { return .infinity }
        return abs(radius - circle.centre.distance(to: place).value)
    }
}
