/// A client's ring while it is checked: unrolled, and without edges of length 0.
struct CheckedRing {
    let polygon: Int
    let ring: Int
    /// The positions of the ring as it will be stored, closed.
    private(set) var positions: [Coordinate]
    /// The corners, unrolled, each different from the one before; not closed.
    private(set) var corners: [UnrolledPoint]
    /// For each corner the number of its position in the input.
    private(set) var cornerSources: [Int]
    /// By how many turns the end of the ring is east of its start.
    let net: Int
    /// Whether no edge of it crosses the antimeridian.
    let isPlain: Bool
    /// Whether the area that the ring bounds (for a hole, the hole) lies on the left of its edges. `decideSide` sets
    /// it.
    private(set) var regionIsLeft = true
    /// The area that the ring bounds; `decideSide` sets it.
    private(set) var region: Ring
    /// Whether the ring by itself is valid, so that it can be compared with others.
    var isSound = true

    /// Takes a closed ring of coordinates.
    init(_ given: [Coordinate], polygon: Int, ring: Int) {
        self.polygon = polygon
        self.ring = ring
        var positions: [Coordinate] = []
        var sources: [Int] = []
        for (index, position) in given.enumerated() where position != positions.last {
            positions.append(position)
            sources.append(index)
        }
        self.positions = positions
        let unrolled = Ring(positions, isHole: ring > 0)
        region = unrolled
        net = unrolled.turns.last ?? 0
        isPlain = unrolled.turns.isEmpty
        corners = []
        cornerSources = []
        for index in positions.indices.dropLast(positions.count > 1 ? 1 : 0) {
            let corner = UnrolledPoint(longitude: unrolled.longitude(index), latitude: positions[index].latitude)
            if let last = corners.last, last.equals(corner) { continue }
            corners.append(corner)
            cornerSources.append(sources[index])
        }
        if let first = corners.first {
            while corners.count > 1, corners[corners.count - 1].equals(first.turned(by: net)) {
                corners.removeLast()
                cornerSources.removeLast()
            }
        }
    }

    /// The number of edges; the edge i runs from corner i to corner i + 1.
    var edgeCount: Int { corners.count }

    /// Returns a corner by its number, which may run on round the ring in both directions.
    func corner(_ index: Int) -> UnrolledPoint {
        if index >= 0 && index < corners.count { return corners[index] }
        let round = index >= 0 ? index / corners.count : -((corners.count - 1 - index) / corners.count)
        return corners[index - round * corners.count].turned(by: round * net)
    }

    /// Returns the place of a corner in the input.
    func faultPlace(_ corner: Int) -> GeometryFault.Place {
        GeometryFault.Place(polygon: polygon, ring: ring, vertex: cornerSources[corner])
    }

    /// Whether all corners lie on one line, so that the ring encloses nothing.
    var isFlat: Bool {
        if net != 0 { return false }
        guard corners.count >= 3 else { return true }
        return corners.allSatisfy { orientation(corners[0], corners[1], $0) == 0 }
    }

    /// Whether the polygon's inside is on the left of the edges.
    var interiorIsLeft: Bool { (ring == 0) == regionIsLeft }

    /// Decides which area the ring bounds, and whether it runs in the right direction: an exterior with its inside on
    /// the left, a hole with the hole on the right.
    ///
    /// - Parameter pole: the pole that a ring round the globe must enclose; nil for the one that follows from its
    ///   direction.
    /// - Returns: whether its direction was right.
    mutating func decideSide(_ pole: Ring.Pole?) -> Bool {
        if net != 0 {
            let own: Ring.Pole = (net > 0) == (ring == 0) ? .north : .south
            let enclosed = pole ?? own
            if enclosed == own {
                regionIsLeft = ring == 0
                return true
            }
        } else {
            regionIsLeft = isCounterclockwise
            if regionIsLeft == (ring == 0) { return true }
        }
        // Reversed, the ring bounds the right area. The corners keep their order, for the places of faults.
        regionIsLeft = ring > 0
        positions.reverse()
        region = Ring(positions, isHole: ring > 0)
        return false
    }

    /// The pole with which a ring round the globe encloses the smaller part of the map.
    var nearerPole: Ring.Pole {
        var sum = 0.0
        for index in corners.indices {
            let (a, b) = (corner(index), corner(index + 1))
            sum += (b.longitude.rounded - a.longitude.rounded) * (a.latitude + b.latitude)
        }
        return (sum >= 0) == (net >= 0) ? .north : .south
    }

    /// Whether the ring runs counter-clockwise, by the direction at an extreme corner, which is convex.
    private var isCounterclockwise: Bool {
        guard corners.count >= 3 else { return true }
        var lowest = 0
        for index in corners.indices where corners[index].compared(with: corners[lowest]) < 0 { lowest = index }
        let turn = orientation(corner(lowest - 1), corners[lowest], corner(lowest + 1))
        if turn != 0 { return turn > 0 }
        // Only a spike is flat there; it is a fault of its own.
        var twiceArea = 0.0
        for index in corners.indices {
            let (a, b) = (corner(index), corner(index + 1))
            twiceArea += (a.longitude.rounded - b.longitude.rounded) * (a.latitude + b.latitude)
        }
        return twiceArea >= 0
    }
}
