/// Checks which edges of a shape's rings meet, and whether they may.
extension ShapeCheck {
    /// The largest number of corners to visit for points where several rings meet: about a second's work.
    private static let visitLimit = 50_000_000

    /// Compares all edges that come near each other.
    mutating func checkEdges() {
        let tree = EdgeTree(rings)
        let isDone = tree.forEachPair { one, other in
            compare(one, other)
            return !isTruncated && cornersVisited < Self.visitLimit
        }
        if !isDone || cornersVisited >= Self.visitLimit {
            add(.tooComplex, at: .init(polygon: 0, ring: 0, vertex: 0))
        }
    }

    private mutating func compare(_ one: EdgeTree.Edge, _ other: EdgeTree.Edge) {
        let isSameRing = one.ring == other.ring
        if isSameRing && one.index == other.index { return }
        let first = rings[Int(one.ring)]
        let second = rings[Int(other.ring)]
        let a = first.corner(Int(one.index)).turned(by: Int(one.turns))
        let b = first.corner(Int(one.index) + 1).turned(by: Int(one.turns))
        let c = second.corner(Int(other.index)).turned(by: Int(other.turns))
        let d = second.corner(Int(other.index) + 1).turned(by: Int(other.turns))
        if isSameRing {
            if Self.follows(one, other, b, c, first) { return checkSpike(one, a, b, d) }
            if Self.follows(other, one, d, a, first) { return checkSpike(other, c, d, b) }
        }
        let contact = SegmentContact(a, b, c, d)
        if first.polygon != second.polygon, let limit = rules.crossingsOfEdge {
            if case .crossing = contact {
                countCrossing(one, other, SegmentContact.crossingPoint(a, b, c, d), limit: limit)
            }
            return
        }
        switch contact {
        case .none: return
        case .crossing:
            report(one, other, SegmentContact.crossingPoint(a, b, c, d))
        case .touch(let point):
            if isSameRing {
                if !Self.isCut(first, a, b, c, d) { report(one, other, point.raw) }
            } else {
                checkTouch(one, other, point)
            }
        case .overlap(let point, let isSameDirection):
            if isSameRing {
                if !Self.isCut(first, a, b, c, d) { report(one, other, point.raw) }
            } else if first.polygon == second.polygon {
                reportShared(one, other, point.raw)
            } else if isSameDirection == (first.interiorIsLeft == second.interiorIsLeft) {
                report(one, other, point.raw)
            }
            if !isSameRing { noteTouches(one, other, a, b, c, d) }
        }
    }

    /// Whether an edge is the next one of the ring, and here starts where the other ends.
    private static func follows(
        _ one: EdgeTree.Edge, _ other: EdgeTree.Edge, _ end: UnrolledPoint, _ start: UnrolledPoint, _ ring: CheckedRing
    ) -> Bool {
        Int(other.index) == (Int(one.index) + 1) % ring.edgeCount && end.equals(start)
    }

    /// Whether a ring that stays between −180 and 180 meets itself on the antimeridian, where it was cut: the one edge
    /// lies at 180 and the other at −180.
    private static func isCut(
        _ ring: CheckedRing, _ a: UnrolledPoint, _ b: UnrolledPoint, _ c: UnrolledPoint, _ d: UnrolledPoint
    ) -> Bool {
        ring.isPlain && a.longitude.turns != c.longitude.turns
    }

    private mutating func checkSpike(
        _ edge: EdgeTree.Edge, _ before: UnrolledPoint, _ corner: UnrolledPoint, _ after: UnrolledPoint
    ) {
        guard orientation(before, corner, after) == 0, isSameDirection(corner, before, after) else { return }
        // The same corner is met again in the copies of its edges.
        let ring = rings[Int(edge.ring)]
        let place = ring.faultPlace((Int(edge.index) + 1) % ring.edgeCount)
        if faults.contains(where: { $0.kind == .spike && $0.place == place }) { return }
        noteUnsound(ring: Int(edge.ring))
        add(.spike, at: place, position: corner.raw)
    }

    /// Checks two rings that meet in a corner, and reports a fault when one of them continues where it must not.
    private mutating func checkTouch(
        _ one: EdgeTree.Edge, _ other: EdgeTree.Edge, _ point: UnrolledPoint
    ) {
        // Two rings of one polygon: this check does not run where polygons may overlap.
        if !rules.ringsMayTouch { return report(.ringsTouch, one, other, point.raw) }
        let first = RingAt(rings[Int(one.ring)], one, point)
        let second = RingAt(rings[Int(other.ring)], other, point)
        if let corner = first.corner { noteTouch(ring: Int(one.ring), corner: corner) }
        if let corner = second.corner { noteTouch(ring: Int(other.ring), corner: corner) }
        if entersForbidden(first, of: second, from: point) || entersForbidden(second, of: first, from: point) {
            report(one, other, point.raw)
        }
    }

    /// Whether a ring goes from a point to the side of another one where it must not be: out of the same polygon, or
    /// into another polygon.
    private mutating func entersForbidden(_ one: RingAt, of other: RingAt, from point: UnrolledPoint) -> Bool {
        let isSamePolygon = one.polygon == other.polygon
        for target in [one.before, one.after]
        where other.hasOnSide(target, from: point, left: isSamePolygon != other.interiorIsLeft) {
            // When a hole of that polygon has a corner here too, its exterior alone does not decide.
            if isSamePolygon || isInterior(ofPolygon: other.polygon, from: point, towards: target) { return true }
        }
        return false
    }

    /// Whether the direction from a point to another leads into a polygon, by all its rings.
    private mutating func isInterior(
        ofPolygon polygon: Int, from point: UnrolledPoint, towards target: UnrolledPoint
    ) -> Bool {
        for ring in rings where ring.polygon == polygon && ring.isSound {
            cornersVisited += ring.edgeCount
            switch ring.region.locate(longitude: point.longitude.degrees, latitude: point.latitude) {
            case .inside: if ring.ring > 0 { return false }
            case .outside: if ring.ring == 0 { return false }
            case .boundary:
                if !ring.leadsInside(from: point, towards: target) { return false }
            }
        }
        return true
    }

    /// Marks the ends of two overlapping edges that lie on the other edge.
    private mutating func noteTouches(
        _ one: EdgeTree.Edge, _ other: EdgeTree.Edge, _ a: UnrolledPoint, _ b: UnrolledPoint, _ c: UnrolledPoint,
        _ d: UnrolledPoint
    ) {
        func isOn(_ point: UnrolledPoint, _ start: UnrolledPoint, _ end: UnrolledPoint) -> Bool {
            point.compared(with: start) * point.compared(with: end) <= 0
        }
        let count = rings[Int(one.ring)].edgeCount
        let otherCount = rings[Int(other.ring)].edgeCount
        if isOn(a, c, d) { noteTouch(ring: Int(one.ring), corner: Int(one.index)) }
        if isOn(b, c, d) { noteTouch(ring: Int(one.ring), corner: (Int(one.index) + 1) % count) }
        if isOn(c, a, b) { noteTouch(ring: Int(other.ring), corner: Int(other.index)) }
        if isOn(d, a, b) { noteTouch(ring: Int(other.ring), corner: (Int(other.index) + 1) % otherCount) }
    }

    /// Reports the fault of two edges that meet.
    private mutating func report(
        _ one: EdgeTree.Edge, _ other: EdgeTree.Edge, _ position: RawVertex
    ) {
        let first = rings[Int(one.ring)]
        let second = rings[Int(other.ring)]
        let kind: GeometryFault.Kind =
            one.ring == other.ring
            ? .selfIntersection : (first.polygon == second.polygon ? .ringsCross : .polygonsOverlap)
        report(kind, one, other, position)
    }

    private mutating func reportShared(
        _ one: EdgeTree.Edge, _ other: EdgeTree.Edge, _ position: RawVertex
    ) {
        report(.ringsShareEdge, one, other, position)
    }

    private mutating func report(
        _ kind: GeometryFault.Kind, _ one: EdgeTree.Edge, _ other: EdgeTree.Edge, _ position: RawVertex
    ) {
        let (low, high) = (one.ring, one.index) < (other.ring, other.index) ? (one, other) : (other, one)
        let normal = RawVertex(
            longitude: position.longitude == -180 ? 180 : position.longitude, latitude: position.latitude)
        // Several edges meet in a corner; that is one fault.
        let (ring, otherRing) = (rings[Int(low.ring)], rings[Int(high.ring)])
        let isKnown = faults.contains {
            $0.kind == kind && $0.position == normal && $0.place.polygon == ring.polygon && $0.place.ring == ring.ring
                && $0.other?.polygon == otherRing.polygon && $0.other?.ring == otherRing.ring
        }
        if isKnown { return }
        noteUnsound(ring: Int(one.ring))
        noteUnsound(ring: Int(other.ring))
        add(
            kind, at: ring.faultPlace(Int(low.index)), other: otherRing.faultPlace(Int(high.index)), position: normal)
    }
}
