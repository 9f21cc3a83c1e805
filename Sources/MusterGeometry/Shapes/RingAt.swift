/// A ring near a point on one of its edges: the direction from which it comes and the direction in which it continues.
struct RingAt {
    /// The number of the corner at the point; nil when the point is no corner.
    let corner: Int?
    let before: UnrolledPoint
    let after: UnrolledPoint
    let polygon: Int
    let interiorIsLeft: Bool

    init(_ ring: CheckedRing, _ edge: EdgeTree.Edge, _ point: UnrolledPoint) {
        let index = Int(edge.index)
        let turns = Int(edge.turns)
        var at: Int?
        if ring.corner(index).turned(by: turns).equals(point) {
            at = index
        } else if ring.corner(index + 1).turned(by: turns).equals(point) {
            at = index + 1
        }
        corner = at.map { $0 % ring.edgeCount }
        before = ring.corner(at.map { $0 - 1 } ?? index).turned(by: turns)
        after = ring.corner((at ?? index) + 1).turned(by: turns)
        polygon = ring.polygon
        interiorIsLeft = ring.interiorIsLeft
    }

    /// Whether the direction from the point to `target` lies strictly on one side of the ring, which here runs
    /// before–point–after (O'Rourke, Computational Geometry in C, the cone test).
    func hasOnSide(_ target: UnrolledPoint, from point: UnrolledPoint, left: Bool) -> Bool {
        let (start, end) = left ? (before, after) : (after, before)
        // A direction along an edge is on neither side.
        for side in [start, end]
        where orientation(point, target, side) == 0 && isSameDirection(point, target, side) {
            return false
        }
        let startSide = orientation(point, target, start)
        let endSide = orientation(point, target, end)
        if orientation(start, point, end) >= 0 { return startSide > 0 && endSide < 0 }
        return !(endSide >= 0 && startSide <= 0)
    }
}

extension CheckedRing {
    /// Whether the direction from a point on this ring to another leads to the inside of its polygon.
    func leadsInside(from point: UnrolledPoint, towards target: UnrolledPoint) -> Bool {
        for index in 0..<edgeCount {
            let (a, b) = (corner(index), corner(index + 1))
            guard min(a.latitude, b.latitude) <= point.latitude, point.latitude <= max(a.latitude, b.latitude) else {
                continue
            }
            // An edge spans at most one turn, so that the point can meet it in two ways.
            let west = min(a.longitude.rounded, b.longitude.rounded) - 1e-9
            let turn = Int(((west - point.longitude.rounded) / 360).rounded(.up))
            for turns in [turn, turn + 1] {
                let here = point.turned(by: turns)
                guard a.compared(with: here) * b.compared(with: here) <= 0, orientation(a, b, here) == 0 else {
                    continue
                }
                let edge = EdgeTree.Edge(
                    ring: 0, index: Int32(index), turns: 0, span: Span(west: 0, east: 0, south: 0, north: 0))
                let at = RingAt(self, edge, here)
                return at.hasOnSide(target.turned(by: turns), from: here, left: interiorIsLeft)
            }
        }
        return false
    }
}
