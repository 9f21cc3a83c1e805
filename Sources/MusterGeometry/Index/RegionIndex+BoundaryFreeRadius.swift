/// How far a device may move before its regions can change.
extension RegionIndex {
    /// Returns a radius around a place within which no region has a boundary: less than the distance to the nearest
    /// boundary, and at most `limit`. A device that moves by less than that stays in the same regions.
    ///
    /// It is a lower bound and not the distance, because it is computed from rounded edges alone. It is 0 where these
    /// do not decide, where too many cells would have to be visited, within 10° of a pole, and at the antimeridian.
    ///
    /// - Parameter limit: at most 500 m.
    /// - Complexity: that of 32 leaves, and of the regions beside the mesh whose box is near.
    package func boundaryFreeRadius(around place: Coordinate, within limit: Metres) -> Metres {
        var walk = BoundaryFreeRadiusSearch(open.query, around: place, limitMetres: min(500, limit.value))
        walk.lookAround()
        return delta.count == 0
            ? Metres(walk.metres) : delta.boundaryFreeRadius(around: place, within: Metres(walk.metres))
    }
}

/// Searches the clipped edges around a place, those of its own leaf first; the radius found there limits the rest of
/// the search.
private struct BoundaryFreeRadiusSearch {
    private let query: UnsafePointer<MeshQuery>
    private let place: Coordinate
    private let perDegree: MetresPerDegree
    /// The boundary-free radius so far.
    private(set) var metres: Double
    private var leavesLeft = Self.leafLimit
    /// The word of the leaf that holds the place.
    private var ownWord: UInt32 = 0

    /// The largest number of leaves with edges to visit; beyond it the radius is 0.
    private static var leafLimit: Int { 32 }
    /// The largest number of cells of the root to visit; there may be far more than leaves.
    private static var cellLimit: Int { 1024 }
    /// The share of a distance on a plane that remains in the bound, because the Earth is round. It subtracts far more
    /// than the plane's error within 500 m and 80°.
    private static var planarShare: Double { 1 - 5e-3 }
    private static var latitudeLimit: Double { 80 }

    init(_ query: UnsafePointer<MeshQuery>, around place: Coordinate, limitMetres: Double) {
        self.query = query
        self.place = place
        perDegree = MetresPerDegree(latitude: place.latitude)
        metres = abs(place.latitude) <= Self.latitudeLimit ? limitMetres : 0
    }

    mutating func lookAround() {
        guard metres > 0 else { return }
        let grid = query.pointee.grid
        var own = query.pointee.locate(place)
        let side = query.pointee.descend(&own)
        ownWord = own.word.bits
        if !own.word.isEmpty {
            measure(own.word, own.point, beside: (0, 0), width: grid.width / side, height: grid.height / side)
        }
        let (east, north) = (metres / perDegree.east, metres / perDegree.north)
        guard abs(place.longitude) + east < 180 else { return metres = 0 }
        let (x, y) = (place.longitude - grid.west, place.latitude - grid.south)
        let (perWidth, perHeight) = (query.pointee.perWidth, query.pointee.perHeight)
        let local = LocalBox(
            west: (x - east) * perWidth, east: (x + east) * perWidth, south: (y - north) * perHeight,
            north: (y + north) * perHeight, u: x * perWidth, v: y * perHeight)
        visit(local, columns: grid.columns, rows: grid.rows, words: query.pointee.root, grid.width, grid.height)
    }

    /// Visits the cells of a grid that a box touches.
    private mutating func visit(
        _ box: LocalBox, columns: Int, rows: Int, words: UnsafePointer<UInt32>, _ width: Double, _ height: Double
    ) {
        let touched = LocalBox.cells(box.west, box.east, count: columns)
        let touchedRows = LocalBox.cells(box.south, box.north, count: rows)
        guard touched.count * touchedRows.count <= Self.cellLimit else { return metres = 0 }
        for row in touchedRows {
            for column in touched {
                let word = CellWord(bits: words[row &* columns &+ column])
                if word.isEmpty || word.bits == ownWord { continue }
                let local = box.moved(to: column, row)
                if word.isSubgrid {
                    let side = 1 << word.levels
                    visit(
                        local.scaled(by: Double(side), Double(side)), columns: side, rows: side,
                        words: query.pointee.hot + word.firstWord, width / Double(side), height / Double(side))
                } else {
                    let beside = (max(0, max(-local.u, local.u - 1)), max(0, max(-local.v, local.v - 1)))
                    measure(
                        word, LeafPoint(u: local.u, v: local.v), beside: beside, width: width, height: height)
                }
            }
        }
    }

    /// Visits the edges and rims of a leaf.
    ///
    /// - Parameter beside: how far beside the cell the place is, in shares of its sides.
    @inline(__always)
    private mutating func measure(
        _ word: CellWord, _ point: LeafPoint, beside: (east: Double, north: Double), width: Double, height: Double
    ) {
        let words = query.pointee.hot + word.firstWord
        let header = LeafHeader(bits: words[0])
        if header.isWhole { return }
        leavesLeft -= 1
        if leavesLeft < 0 { return metres = 0 }
        let (across, along) = (width * perDegree.east, height * perDegree.north)
        if header.isHeavy {
            // The leaf counts as if boundaries filled it.
            return bound(by: length(beside.east * across, beside.north * along) * Self.planarShare)
        }
        let square = MeshQuery.leastSquare(
            words + LeafHeader.wordCount, header.blockCount, point, Float(across), Float(along))
        // Rounding an edge to units moves it by less than one, and so much again for these sums.
        let rounding = 2 * max(across, along) / LeafUnits.perCell
        bound(by: Double(square.squareRoot()) * Self.planarShare - rounding)
        if header.isComposite { measureRims(words, header) }
    }

    @inline(never)
    private mutating func measureRims(_ words: UnsafePointer<UInt32>, _ header: LeafHeader) {
        let query = query
        let point = SpacePoint(place)
        let entries = words + LeafHeader.wordCount + header.blockCount * EdgeBlock.wordCount
        var reader = LeafReader(entries, header, cold: query.pointee.cold + Int(words[1]))
        while reader.next() {
            switch reader.kind {
            case .whole: continue
            case .edges: reader.skipEdges()
            case .rim: bound(by: query.pointee.circles[reader.nextCircle()].leastDistanceToRim(from: point))
            }
        }
    }

    @inline(__always)
    private mutating func bound(by metres: Double) { self.metres = max(0, min(self.metres, metres)) }
}

extension MeshCircle {
    /// Returns a lower bound of the distance from a point to the rim, metres.
    fileprivate func leastDistanceToRim(from point: SpacePoint) -> Double {
        let across = chord(to: point)
        let radius = circle.radius.value
        return max(SpacePoint.leastOnGround(across) - radius, radius - SpacePoint.mostOnGround(across)) - 1e-6
    }
}

extension DeltaRegions {
    /// Returns a radius around a place within which these regions have no boundary, at most `limit`.
    fileprivate func boundaryFreeRadius(around place: Coordinate, within limit: Metres) -> Metres {
        guard limit.value > 0 else { return 0 }
        var clear = limit.value
        forEachShape(near: place, within: limit) { shape in
            clear = min(clear, abs(shape.signedDistanceToBoundary(from: place).value) - 0.01)
        }
        return Metres(max(0, clear))
    }
}
