/// The edges of a polygon in metres on a plane, packed for the question how far a point is from the nearest one.
///
/// Edges that follow each other lie near each other: sixteen of them share a box, and sixteen boxes another one, so
/// that most are passed over.
struct PlanarBoundary {
    /// A point on the plane.
    struct Point {
        var x: Double
        var y: Double
    }

    /// How far a point is from the boundary.
    struct Nearness {
        /// Positive inside, negative outside.
        var signedDistance: Double
        /// The point of the boundary that is nearest.
        var nearest: Point
    }

    private struct Box {
        var west = Double.infinity
        var east = -Double.infinity
        var south = Double.infinity
        var north = -Double.infinity

        mutating func hold(_ box: Box) {
            west = min(west, box.west)
            east = max(east, box.east)
            south = min(south, box.south)
            north = max(north, box.north)
        }

        func squaredDistance(to point: Point) -> Double {
            let x = max(west - point.x, 0, point.x - east)
            let y = max(south - point.y, 0, point.y - north)
            return x * x + y * y
        }

        /// Whether a ray from the point to the east may meet what is in the box.
        func mayMeetRay(from point: Point) -> Bool { south <= point.y && point.y < north && point.x < east }
    }

    private static let fan = 16
    private var starts: [Point] = []
    private var ends: [Point] = []
    /// The boxes of runs of edges, and of runs of these.
    private var runs: [Box] = []
    private var groups: [Box] = []

    /// The middle of the exterior's box, and half of the longer side.
    private(set) var middle = Point(x: 0, y: 0)
    private(set) var halfSide = 0.0

    /// Lays a polygon out on a plane whose metres are true at the latitude of its middle.
    init(_ area: PreparedShape.Area) {
        let exterior = area.exterior
        let perDegree = MetresPerDegree(latitude: (exterior.south + exterior.north) / 2)
        let centre = (exterior.west + exterior.east) / 2
        for ring in [exterior] + area.holes {
            // A hole may be written on the other side of the antimeridian.
            let turns = 360 * ((centre - (ring.west + ring.east) / 2) / 360).rounded()
            let points = (0...ring.edgeCount).map { index in
                Point(
                    x: (ring.longitude(index).rounded + turns - centre) * perDegree.east,
                    y: ring.latitudes[index] * perDegree.north)
            }
            starts += points.dropLast()
            ends += points.dropFirst()
        }
        middle.y = (exterior.south + exterior.north) / 2 * perDegree.north
        halfSide =
            max((exterior.east - exterior.west) * perDegree.east, (exterior.north - exterior.south) * perDegree.north)
            / 2
        runs = Self.packed(starts.indices.map(box(ofEdge:)))
        groups = Self.packed(runs)
    }

    /// How far a point is from the boundary, on which side, and where the boundary is nearest.
    func nearness(of point: Point) -> Nearness {
        var best = Double.infinity
        var nearest = point
        var isInside = false
        // The group whose box is nearest first: then most others can be passed over.
        var first = 0
        var least = Double.infinity
        for (number, group) in groups.enumerated() {
            let distance = group.squaredDistance(to: point)
            if distance < least { (least, first) = (distance, number) }
        }
        search(group: first, point, &best, &nearest)
        for (number, group) in groups.enumerated() {
            if number != first && group.squaredDistance(to: point) < best {
                search(group: number, point, &best, &nearest)
            }
            if group.mayMeetRay(from: point) && meetsRay(group: number, from: point) { isInside.toggle() }
        }
        return Nearness(
            signedDistance: isInside ? best.squareRoot() : -best.squareRoot(), nearest: nearest)
    }

    private func search(group: Int, _ point: Point, _ best: inout Double, _ nearest: inout Point) {
        for run in group * Self.fan..<min((group + 1) * Self.fan, runs.count)
        where runs[run].squaredDistance(to: point) < best {
            for edge in run * Self.fan..<min((run + 1) * Self.fan, starts.count) {
                let foot = foot(of: point, onEdge: edge)
                let (x, y) = (point.x - foot.x, point.y - foot.y)
                if x * x + y * y < best { (best, nearest) = (x * x + y * y, foot) }
            }
        }
    }

    /// Whether a ray from the point to the east meets an odd number of a group's edges.
    private func meetsRay(group: Int, from point: Point) -> Bool {
        var isOdd = false
        for run in group * Self.fan..<min((group + 1) * Self.fan, runs.count) where runs[run].mayMeetRay(from: point) {
            for edge in run * Self.fan..<min((run + 1) * Self.fan, starts.count) {
                let (start, end) = (starts[edge], ends[edge])
                guard (start.y > point.y) != (end.y > point.y) else { continue }
                let x = start.x + (point.y - start.y) / (end.y - start.y) * (end.x - start.x)
                if x > point.x { isOdd.toggle() }
            }
        }
        return isOdd
    }

    private func foot(of point: Point, onEdge edge: Int) -> Point {
        let start = starts[edge]
        let (x, y) = (ends[edge].x - start.x, ends[edge].y - start.y)
        let square = x * x + y * y
        guard square > 0 else { return start }
        let share = max(0, min(1, ((point.x - start.x) * x + (point.y - start.y) * y) / square))
        return Point(x: start.x + share * x, y: start.y + share * y)
    }

    private func box(ofEdge edge: Int) -> Box {
        let (start, end) = (starts[edge], ends[edge])
        return Box(
            west: min(start.x, end.x), east: max(start.x, end.x), south: min(start.y, end.y),
            north: max(start.y, end.y))
    }

    private static func packed(_ boxes: [Box]) -> [Box] {
        stride(from: 0, to: boxes.count, by: fan).map { start in
            var box = Box()
            for index in start..<min(start + fan, boxes.count) { box.hold(boxes[index]) }
            return box
        }
    }
}
