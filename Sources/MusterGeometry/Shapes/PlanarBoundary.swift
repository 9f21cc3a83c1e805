/// The edges of a polygon in metres on a plane, packed for finding the nearest edge to a point.
///
/// The search measures four edges at once. Consecutive edges lie near each other: sixteen of them share a box, and
/// sixteen boxes another one, so that the search skips most of them. Coordinates are metres from the centre of the
/// polygon as `Float`, exact to a ten-millionth of its size.
struct PlanarBoundary {
    /// A point on the plane.
    struct Point {
        var x: Float
        var y: Float
    }

    /// The distance of a point from the boundary, metres on the plane, and the nearest point of it.
    struct Nearness {
        /// Positive inside, negative outside.
        var signedDistance: Float
        /// The point of the boundary that is nearest.
        var nearest: Point
    }

    private struct Box {
        var west = Float.infinity
        var east = -Float.infinity
        var south = Float.infinity
        var north = -Float.infinity

        mutating func hold(_ box: Box) {
            west = min(west, box.west)
            east = max(east, box.east)
            south = min(south, box.south)
            north = max(north, box.north)
        }

        mutating func hold(_ point: Point) {
            hold(Box(west: point.x, east: point.x, south: point.y, north: point.y))
        }

        func squaredDistance(to point: Point) -> Float {
            let x = max(west - point.x, 0, point.x - east)
            let y = max(south - point.y, 0, point.y - north)
            return x * x + y * y
        }

        /// Whether a ray from the point to the east may meet edges in the box.
        func mayMeetRay(from point: Point) -> Bool { south <= point.y && point.y < north && point.x < east }
    }

    /// Four edges: their start points, their directions, and the latitudes of their ends.
    private struct Four {
        // The filler of the last four: so far away that it is never the nearest, and that no ray meets it.
        var x = FourFloats(repeating: 1e18)
        var y = FourFloats(repeating: 1e18)
        var run = FourFloats(repeating: 0)
        /// The exact numbers with which the next edges begin, so that a ray meets one of two adjacent edges.
        var endY = FourFloats(repeating: 1e18)
        /// 1 by the square of the length; 0 for an edge without length.
        var perSquare = FourFloats(repeating: 0)

        mutating func set(_ lane: Int, from start: Point, to end: Point) {
            (x[lane], y[lane], run[lane], endY[lane]) = (start.x, start.y, end.x - start.x, end.y)
            let square = run[lane] * run[lane] + (end.y - start.y) * (end.y - start.y)
            perSquare[lane] = square > 0 ? 1 / square : 0
        }

        /// Returns the vectors from a point to the nearest points of the edges.
        @inline(__always)
        func ways(from point: Point) -> (x: FourFloats, y: FourFloats) {
            let rise = endY - y
            let (toX, toY) = (x - point.x, y - point.y)
            let share = (toX * run + toY * rise) * -perSquare
            // Between 0 and 1.
            let positive = unsafeBitCast(share, to: FourWords.self) & bits(share .> 0)
            let isBeyond = bits(share .> 1)
            let one = FourWords(repeating: Float(1).bitPattern)
            let fraction = floats((isBeyond & one) | (positive & ~isBeyond))
            return (toX + fraction * run, toY + fraction * rise)
        }

        /// Returns all bits of the lanes whose edges a ray from the point to the east meets.
        @inline(__always)
        func meetsRay(from point: Point) -> FourWords {
            let rise = endY - y
            let side = (point.x - x) * rise - (point.y - y) * run
            return (bits(y .> point.y) ^ bits(endY .> point.y)) & ~(bits(side .< 0) ^ bits(rise .> 0))
        }
    }

    private static let foursInRun = 4
    private static let fan = 16
    private var fours: [Four] = []
    /// The boxes of runs of edges, and of runs of these.
    private var runs: [Box] = []
    private var groups: [Box] = []

    /// Half of the longer side of the exterior's box. Its middle is (0, 0).
    private(set) var halfSide: Float = 0

    /// Projects a polygon on a plane whose metres are exact at the latitude of its centre.
    init(_ area: PreparedShape.Area) {
        let exterior = area.exterior
        let middle = (exterior.south + exterior.north) / 2
        let perDegree = MetresPerDegree(latitude: middle)
        let centre = (exterior.west + exterior.east) / 2
        var count = 0
        for ring in [exterior] + area.holes {
            // A hole may be written on the other side of the antimeridian.
            let turns = 360 * ((centre - (ring.west + ring.east) / 2) / 360).rounded()
            var previous: Point?
            for index in 0...ring.edgeCount {
                let point = Point(
                    x: Float((ring.longitude(index).rounded + turns - centre) * perDegree.east),
                    y: Float((ring.latitudes[index] - middle) * perDegree.north))
                if let previous { add(from: previous, to: point, number: &count) }
                previous = point
            }
        }
        halfSide = Float(
            max((exterior.east - exterior.west) * perDegree.east, (exterior.north - exterior.south) * perDegree.north)
                / 2)
        groups = stride(from: 0, to: runs.count, by: Self.fan).map { start in
            runs[start..<min(start + Self.fan, runs.count)].reduce(into: Box()) { $0.hold($1) }
        }
    }

    private mutating func add(from start: Point, to end: Point, number: inout Int) {
        if number % (4 * Self.foursInRun) == 0 { runs.append(Box()) }
        if number % 4 == 0 { fours.append(Four()) }
        fours[number / 4].set(number % 4, from: start, to: end)
        runs[runs.count - 1].hold(start)
        runs[runs.count - 1].hold(end)
        number += 1
    }

    /// Returns the distance of a point from the boundary, its side, and the nearest point of the boundary.
    func nearness(of point: Point) -> Nearness {
        var best = Float.infinity
        var nearest = 0
        var met = FourWords(repeating: 0)
        // The search begins with the group whose box is nearest, so that it can skip most others.
        var first = 0
        if groups.count > 1 {
            var least = Float.infinity
            for (number, group) in groups.enumerated() {
                let distance = group.squaredDistance(to: point)
                if distance < least { (least, first) = (distance, number) }
            }
        }
        search(group: first, point, &best, &nearest)
        for (number, group) in groups.enumerated() {
            if number != first && group.squaredDistance(to: point) < best {
                search(group: number, point, &best, &nearest)
            }
            if group.mayMeetRay(from: point) { meetRay(group: number, from: point, &met) }
        }
        let isInside = (met[0] ^ met[1] ^ met[2] ^ met[3]) != 0
        return Nearness(
            signedDistance: isInside ? best.squareRoot() : -best.squareRoot(), nearest: foot(of: point, in: nearest))
    }

    private func search(group: Int, _ point: Point, _ best: inout Float, _ nearest: inout Int) {
        for run in group * Self.fan..<min((group + 1) * Self.fan, runs.count)
        where runs[run].squaredDistance(to: point) < best {
            for four in run * Self.foursInRun..<min((run + 1) * Self.foursInRun, fours.count) {
                let (x, y) = fours[four].ways(from: point)
                let squares = x * x + y * y
                let least = min(min(squares[0], squares[1]), min(squares[2], squares[3]))
                if least < best { (best, nearest) = (least, four) }
            }
        }
    }

    /// Marks the edges of a group that a ray from the point to the east meets.
    private func meetRay(group: Int, from point: Point, _ met: inout FourWords) {
        for run in group * Self.fan..<min((group + 1) * Self.fan, runs.count) where runs[run].mayMeetRay(from: point) {
            for four in run * Self.foursInRun..<min((run + 1) * Self.foursInRun, fours.count) {
                met ^= fours[four].meetsRay(from: point)
            }
        }
    }

    /// The nearest point of four edges.
    private func foot(of point: Point, in four: Int) -> Point {
        let (x, y) = fours[four].ways(from: point)
        let squares = x * x + y * y
        var lane = 0
        for other in 1..<4 where squares[other] < squares[lane] { lane = other }
        return Point(x: point.x + x[lane], y: point.y + y[lane])
    }
}
