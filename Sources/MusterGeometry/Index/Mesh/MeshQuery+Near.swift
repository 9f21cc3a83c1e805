/// A box and a place, in shares of a cell from its lower left corner; both may lie beside the cell.
struct LocalBox {
    var west: Double
    var east: Double
    var south: Double
    var north: Double
    var u: Double
    var v: Double

    /// Returns the box and place relative to one of the cells of a grid.
    @inline(__always)
    func scaled(by columns: Double, _ rows: Double) -> LocalBox {
        LocalBox(
            west: west * columns, east: east * columns, south: south * rows, north: north * rows, u: u * columns,
            v: v * rows)
    }

    @inline(__always)
    func moved(to column: Int, _ row: Int) -> LocalBox {
        let (x, y) = (Double(column), Double(row))
        return LocalBox(west: west - x, east: east - x, south: south - y, north: north - y, u: u - x, v: v - y)
    }

    /// Returns the cells of a grid that the box touches on one axis, with a small margin like that of listed edges.
    @inline(__always)
    static func cells(_ low: Double, _ high: Double, count: Int) -> Range<Int> {
        let margin = 1e-5
        let first = low - margin
        let last = high + margin
        guard last >= 0, first < Double(count) else { return 0..<0 }
        return (first > 0 ? Int(first) : 0)..<(last < Double(count) ? Int(last) + 1 : count)
    }
}

/// Finds the regions whose boundary comes within a distance of a place, by a walk through the cells near it.
struct NearWalk {
    private let query: UnsafePointer<MeshQuery>
    private let place: Coordinate
    private let radius: Double
    private let distance: EdgeDistance
    /// The place in space, once a circle asks for it.
    private var point: SpacePoint?

    init(_ query: UnsafePointer<MeshQuery>, from place: Coordinate, radiusMetres: Double) {
        self.query = query
        self.place = place
        radius = radiusMetres
        distance = EdgeDistance(from: place, radiusMetres: radiusMetres)
    }

    /// Appends the names of the regions whose boundary comes within the radius, in place of their numbers, and how far
    /// away it is; a region may come several times, once for each cell and part.
    @inline(__always)
    mutating func append(to found: inout Answers<NearbyRegion>) {
        if let reach = distance.planarReach,
            place.longitude - reach.east > -180, place.longitude + reach.east < 180
        {
            let (longitude, latitude) = (place.longitude, place.latitude)
            let box = Span(
                west: longitude - reach.east, east: longitude + reach.east, south: latitude - reach.north,
                north: latitude + reach.north)
            visit(box, turn: 0, &found)
        } else {
            appendRoundTheGlobe(to: &found)
        }
    }

    @inline(never)
    private mutating func appendRoundTheGlobe(to found: inout Answers<NearbyRegion>) {
        for piece in Span(around: place, radiusMetres: radius).pieces {
            let turns = (((piece.west + piece.east) / 2 - place.longitude) / 360).rounded()
            visit(piece, turn: 360 * turns, &found)
        }
    }

    /// Visits the cells that a box touches.
    ///
    /// - Parameter turn: what to add to the place's longitude: whole turns, so that it is near the box.
    @inline(__always)
    private mutating func visit(_ box: Span, turn: Double, _ found: inout Answers<NearbyRegion>) {
        let grid = query.pointee.grid
        let local = LocalBox(
            west: (box.west - grid.west) * query.pointee.perWidth,
            east: (box.east - grid.west) * query.pointee.perWidth,
            south: (box.south - grid.south) * query.pointee.perHeight,
            north: (box.north - grid.south) * query.pointee.perHeight,
            u: (place.longitude + turn - grid.west) * query.pointee.perWidth,
            v: (place.latitude - grid.south) * query.pointee.perHeight)
        let size = CellSize(width: grid.width, height: grid.height, turn: turn)
        let columns = LocalBox.cells(local.west, local.east, count: grid.columns)
        for row in LocalBox.cells(local.south, local.north, count: grid.rows) {
            for column in columns {
                let word = CellWord(bits: query.pointee.root[row &* grid.columns &+ column])
                if !word.isEmpty { visit(word, local.moved(to: column, row), size, &found) }
            }
        }
    }

    /// The size of a cell in degrees, and the turn by which the place was moved to it.
    private struct CellSize {
        var width: Double
        var height: Double
        var turn: Double
    }

    private mutating func visit(
        _ word: CellWord, _ local: LocalBox, _ size: CellSize, _ found: inout Answers<NearbyRegion>
    ) {
        if !word.isSubgrid { return measure(word, local, size, &found) }
        let side = 1 << word.levels
        let inner = local.scaled(by: Double(side), Double(side))
        let innerSize = CellSize(
            width: size.width / Double(side), height: size.height / Double(side), turn: size.turn)
        for row in LocalBox.cells(inner.south, inner.north, count: side) {
            for column in LocalBox.cells(inner.west, inner.east, count: side) {
                let cell = CellWord(bits: query.pointee.hot[word.firstWord &+ row &* side &+ column])
                if !cell.isEmpty { visit(cell, inner.moved(to: column, row), innerSize, &found) }
            }
        }
    }

    /// Measures the regions that have edges or a rim in a leaf.
    @inline(__always)
    private mutating func measure(
        _ word: CellWord, _ local: LocalBox, _ size: CellSize, _ found: inout Answers<NearbyRegion>
    ) {
        let words = query.pointee.hot + word.firstWord
        let header = LeafHeader(bits: words[0])
        if header.isWhole { return }
        guard !header.isIntricate, let reach = distance.planarReach else {
            return measureEdges(words, header, near: nil, turn: size.turn, &found)
        }
        // Rounding an edge to units moves it by less than one; the metres of a degree are right to a share.
        let across = Float(size.width / reach.east * radius)
        let along = Float(size.height / reach.north * radius)
        let limit = Float(radius) + 2 * max(across, along) / Float(LeafUnits.perCell)
        let blocks = words + LeafHeader.wordCount
        let point = LeafPoint(u: local.u, v: local.v)
        withUnsafeTemporaryAllocation(of: Float.self, capacity: EdgeBlock.edgeLimit + 1) { scratch in
            guard let squares = scratch.baseAddress else { return }
            let least = MeshQuery.squares(blocks, header.blockCount, point, across, along, into: squares)
            if least > limit * limit { return }
            measureEdges(
                words, header, near: NearSquares(squares: squares, limit: limit * limit), turn: size.turn, &found)
        }
    }

    /// About how far the clipped edges of a leaf are: those beyond the limit are too far.
    private struct NearSquares {
        var squares: UnsafeMutablePointer<Float>
        var limit: Float

        @inline(__always)
        func isNear(_ edges: Range<Int>) -> Bool {
            for edge in edges where squares[edge] <= limit { return true }
            return false
        }
    }

    /// Measures on doubles the entries that may be near.
    @inline(never)
    private mutating func measureEdges(
        _ words: UnsafePointer<UInt32>, _ header: LeafHeader, near: NearSquares?, turn: Double,
        _ found: inout Answers<NearbyRegion>
    ) {
        let query = query
        let entries = words + LeafHeader.wordCount + header.blockCount * EdgeBlock.wordCount
        var reader = LeafReader(entries, header, cold: query.pointee.cold + Int(words[1]))
        while reader.next() {
            var best = Double.infinity
            switch reader.kind {
            case .whole: continue
            case .rim:
                let here = point ?? SpacePoint(place)
                point = here
                best = query.pointee.circles[reader.nextCircle()].distanceToRim(from: place, here, within: radius)
            case .edges:
                if let near, !near.isNear(Int(reader.start)..<Int(reader.entry.end)) {
                    reader.skipEdges()
                    continue
                }
                let outline = query.pointee.outlines[Int(reader.cold[0] >> 1)]
                reader.forEachEdge { vertex in
                    let edge = query.pointee.vertices + 2 * vertex
                    if outline.turnedRing < 0 || query.pointee.isBoundary(vertex, edge) {
                        best = distance.nearer(than: best, edge, turn: -turn)
                    }
                    return true
                }
            }
            if best <= radius && best < .infinity {
                found.append(NearbyRegion(id: Int32(bitPattern: reader.entry.name), signedDistanceMetres: best))
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
        let across = chord(to: point)
        let radius = circle.radius.value
        if SpacePoint.leastOnGround(across) > radius + limit + 1e-6 { return .infinity }
        if SpacePoint.mostOnGround(across) < radius - limit - 1e-6 { return .infinity }
        return abs(radius - circle.centre.distance(to: place).value)
    }
}
