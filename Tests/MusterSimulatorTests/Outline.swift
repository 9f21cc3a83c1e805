import MusterGeometry

@testable import MusterSimulator

/// A shape on the plane, which computes the times that a straight leg is inside. It is slow, simple and independent of
/// the index that servers use, because it is what tests compare that index with.
struct Outline {
    private enum Part {
        /// Rings without their repeated end.
        case polygon([[Offset]])
        case circle(Circle, middle: Offset)
    }

    private let parts: [Part]
    private let plane: LocalPlane

    init(_ shape: Shape, on plane: LocalPlane) {
        self.plane = plane
        func part(_ polygon: Polygon) -> Part {
            .polygon(([polygon.exterior] + polygon.holes).map { ring in ring.dropLast().map(plane.offset) })
        }
        switch shape {
        case .polygon(let polygon): parts = [part(polygon)]
        case .multiPolygon(let polygons): parts = polygons.map(part)
        case .circle(let circle): parts = [.circle(circle, middle: plane.offset(circle.centre))]
        }
    }

    /// Returns the times that a leg spends inside, ascending and disjoint. A leg of a pause is inside for all of its
    /// time or for none.
    func stays(on leg: Leg) -> [ClosedRange<Double>] {
        guard leg.from != leg.to else {
            return contains(leg.from) ? [leg.startSeconds...leg.endSeconds] : []
        }
        let bounds = (parts.flatMap { cuts(leg, $0) } + [0, 1]).sorted()
        let duration = leg.endSeconds - leg.startSeconds
        var stays: [ClosedRange<Double>] = []
        for (low, high) in zip(bounds, bounds.dropFirst()) where high > low {
            guard contains(leg.from + (leg.to - leg.from) * ((low + high) / 2)) else { continue }
            let stay = (leg.startSeconds + low * duration)...(leg.startSeconds + high * duration)
            if let last = stays.last, last.upperBound == stay.lowerBound {
                stays[stays.count - 1] = last.lowerBound...stay.upperBound
            } else {
                stays.append(stay)
            }
        }
        return stays
    }

    /// Whether a point is inside, by counting the edges to the east of it.
    private func contains(_ point: Offset) -> Bool {
        parts.contains { part in
            switch part {
            case .polygon(let rings):
                rings.map { crossingsEast(of: point, $0) }.reduce(0, +) % 2 == 1
            case .circle(let circle, _):
                circle.centre.distance(to: plane.coordinate(point)) <= circle.radius
            }
        }
    }

    private func crossingsEast(of point: Offset, _ ring: [Offset]) -> Int {
        var count = 0
        for (index, end) in ring.enumerated() {
            let begin = ring[index == 0 ? ring.count - 1 : index - 1]
            guard (begin.north > point.north) != (end.north > point.north) else { continue }
            let share = (point.north - begin.north) / (end.north - begin.north)
            if begin.east + share * (end.east - begin.east) > point.east { count += 1 }
        }
        return count
    }

    /// Returns the shares of a leg, 0 to 1, at which it meets the boundary; touching it counts too.
    private func cuts(_ leg: Leg, _ part: Part) -> [Double] {
        switch part {
        case .polygon(let rings):
            rings.flatMap { ring in
                ring.indices.compactMap { index in
                    meeting(leg, ring[index == 0 ? ring.count - 1 : index - 1], ring[index])
                }
            }
        case .circle(let circle, let middle):
            cuts(leg, circle, middle: middle)
        }
    }

    private func meeting(_ leg: Leg, _ begin: Offset, _ end: Offset) -> Double? {
        let (way, edge, gap) = (leg.to - leg.from, end - begin, begin - leg.from)
        let cross = way.east * edge.north - way.north * edge.east
        guard cross != 0 else { return nil }
        let onWay = (gap.east * edge.north - gap.north * edge.east) / cross
        let onEdge = (gap.east * way.north - gap.north * way.east) / cross
        return (0...1).contains(onWay) && (0...1).contains(onEdge) ? onWay : nil
    }

    /// Finds the rim by bisection on either side of the point that is nearest to the centre.
    private func cuts(_ leg: Leg, _ circle: Circle, middle: Offset) -> [Double] {
        let way = leg.to - leg.from
        let gap = middle - leg.from
        let nearest = min(max((gap.east * way.east + gap.north * way.north) / (way.length * way.length), 0), 1)
        func isInside(_ share: Double) -> Bool {
            let place = plane.coordinate(leg.from + way * share)
            return circle.centre.distance(to: place) <= circle.radius
        }
        guard isInside(nearest) else { return [] }
        return [0.0, 1.0].compactMap { far in
            guard !isInside(far) else { return nil }
            var (inside, outside) = (nearest, far)
            for _ in 0..<60 {
                let half = (inside + outside) / 2
                if isInside(half) { inside = half } else { outside = half }
            }
            return inside
        }
    }
}
