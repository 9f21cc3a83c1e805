/// Makes polygons from a client's rings and collects their faults.
///
/// It checks in order: each ring's numbers; each ring's direction; how the edges of all rings meet; which ring lies in
/// which.
struct ShapeCheck {
    let winding: Winding
    let rules: ShapeRules
    /// How often edges of different polygons cross.
    var crossings = EdgeCrossings()
    private(set) var faults: [GeometryFault] = []
    private(set) var isTruncated = false
    private(set) var rings: [CheckedRing] = []
    /// For each corner of each ring whether it lies on another ring.
    private var isTouching: [[Bool]] = []

    /// How many corners were looked at for points where several rings meet.
    var cornersVisited = 0

    init(winding: Winding, rules: ShapeRules = .simpleFeatures) {
        self.winding = winding
        self.rules = rules
    }

    /// Returns the polygons, which are valid when there are no faults.
    mutating func polygons(_ raw: [[[RawVertex]]]) -> [Polygon] {
        guard isWithinLimits(raw) else { return [] }
        if raw.isEmpty { add(.empty, at: .init(polygon: 0, ring: 0, vertex: 0)) }
        for (polygon, ringsOfPolygon) in raw.enumerated() {
            if ringsOfPolygon.isEmpty { add(.empty, at: .init(polygon: polygon, ring: 0, vertex: 0)) }
            for (ring, vertices) in ringsOfPolygon.enumerated() {
                guard let coordinates = coordinates(vertices, polygon, ring) else { continue }
                rings.append(CheckedRing(coordinates, polygon: polygon, ring: ring))
            }
        }
        isTouching = rings.map { [Bool](repeating: false, count: $0.corners.count) }
        checkDirections()
        checkEdges()
        checkNesting()
        return faults.isEmpty ? assembled(raw.count) : []
    }

    /// Records a fault; returns false when the limit is reached.
    @discardableResult
    mutating func add(
        _ kind: GeometryFault.Kind, at place: GeometryFault.Place, other: GeometryFault.Place? = nil,
        position: RawVertex? = nil
    ) -> Bool {
        guard faults.count < GeometryFaults.limit else {
            isTruncated = true
            return false
        }
        faults.append(GeometryFault(kind, at: place, other: other, position: position))
        return true
    }

    /// Marks that two rings meet in a corner of one of them.
    mutating func noteTouch(ring: Int, corner: Int) { isTouching[ring][corner] = true }

    /// Returns a corner that lies on no other ring. A corner at a pole is left out, because a pole has no longitude of
    /// its own.
    func freeCorner(ofRing ring: Int) -> Int? {
        let corners = rings[ring].corners
        return corners.indices.first { !isTouching[ring][$0] && abs(corners[$0].latitude) != 90 }
    }

    /// Marks a ring as invalid, so that it is not compared with others.
    mutating func noteUnsound(ring: Int) { rings[ring].isSound = false }

    private mutating func isWithinLimits(_ raw: [[[RawVertex]]]) -> Bool {
        var positions = 0
        var rings = 0
        for (polygon, ringsOfPolygon) in raw.enumerated() {
            for (ring, vertices) in ringsOfPolygon.enumerated() {
                positions += vertices.count
                rings += 1
                if positions > Shape.positionLimit || rings > rules.ringLimit {
                    add(.tooLarge, at: .init(polygon: polygon, ring: ring, vertex: 0))
                    return false
                }
            }
            if polygon >= rules.ringLimit {
                add(.tooLarge, at: .init(polygon: polygon, ring: 0, vertex: 0))
                return false
            }
        }
        return true
    }

    /// Returns the closed ring as coordinates; nil when its numbers cannot be compared.
    private mutating func coordinates(_ vertices: [RawVertex], _ polygon: Int, _ ring: Int) -> [Coordinate]? {
        var coordinates: [Coordinate] = []
        coordinates.reserveCapacity(vertices.count + 1)
        for (index, vertex) in vertices.enumerated() {
            let vertexOnGlobe = winding == .corrected ? vertex.withoutRoundingError : vertex
            if let coordinate = vertexOnGlobe.coordinate {
                coordinates.append(coordinate)
            } else {
                add(.offGlobe, at: .init(polygon: polygon, ring: ring, vertex: index), position: vertex)
            }
        }
        let isOnGlobe = coordinates.count == vertices.count
        let isClosed = vertices.first == vertices.last
        if vertices.count < 4 {
            add(
                .tooFewPositions(vertices.count), at: .init(polygon: polygon, ring: ring, vertex: 0),
                position: vertices.first)
        }
        if !isClosed, let last = vertices.last {
            // The ring is compared with the others as if it were closed.
            add(.unclosed, at: .init(polygon: polygon, ring: ring, vertex: vertices.count - 1), position: last)
            if isOnGlobe { coordinates.append(coordinates[0]) }
        }
        return isOnGlobe && coordinates.count >= 4 ? coordinates : nil
    }

    /// Decides which area each ring bounds; reports flat rings, and wrong directions where they are faults.
    private mutating func checkDirections() {
        var poleOfExterior: Ring.Pole?
        for index in rings.indices {
            if rings[index].isFlat {
                rings[index].isSound = false
                let place = rings[index].faultPlace(0)
                add(.zeroArea, at: place, position: rings[index].corners[0].raw)
                continue
            }
            if rings[index].ring == 0 { poleOfExterior = nil }
            var pole: Ring.Pole?
            if winding == .corrected && rings[index].net != 0 {
                pole = (rings[index].ring > 0 ? poleOfExterior : nil) ?? rings[index].nearerPole
            }
            let isRight = rings[index].decideSide(pole)
            if rings[index].ring == 0 { poleOfExterior = rings[index].region.pole }
            if !isRight && winding == .required {
                add(
                    rings[index].ring == 0 ? .clockwiseExterior : .counterclockwiseHole, at: rings[index].faultPlace(0),
                    position: rings[index].corners[0].raw)
            }
        }
    }

    private func assembled(_ count: Int) -> [Polygon] {
        var polygons = [Polygon](repeating: Polygon(exterior: []), count: count)
        for ring in rings {
            if ring.ring == 0 {
                polygons[ring.polygon].exterior = ring.positions
            } else {
                polygons[ring.polygon].holes.append(ring.positions)
            }
        }
        return polygons
    }
}
