import MusterGeometry

/// A ring in exact numbers: all its edges, and their copies a whole turn away, between −180 and 180.
struct ExactRing {
    /// Where a place lies with respect to what the ring bounds.
    enum Side {
        case outside
        case boundary
        case inside
    }

    struct Edge {
        var ax: Int128
        var ay: Int128
        var bx: Int128
        var by: Int128
    }

    /// A box between −180 and 180 that holds what the ring bounds.
    let box: ExactBox
    private let edges: [Edge]
    /// The edges whose longitudes touch each of some strips of equal width.
    private var strips: [[Edge]]
    private let holdsNorthPole: Bool
    private let touchesNorthPole: Bool
    private let touchesSouthPole: Bool
    private let holdsSouthPole: Bool

    private static let turn = exact(360)
    private static let north = exact(90)

    init(_ positions: [Coordinate], isHole: Bool) {
        let longitudes = Self.unrolled(positions)
        let latitudes = positions.map { exact($0.latitude) }
        let net = longitudes[longitudes.count - 1] - longitudes[0]
        // Eastwards round the globe has the north pole on its left; an exterior bounds what is on its left.
        holdsNorthPole = net != 0 && (net > 0) != isHole
        holdsSouthPole = net != 0 && (net > 0) == isHole
        touchesNorthPole = latitudes.contains(Self.north)
        touchesSouthPole = latitudes.contains(-Self.north)
        var edges: [Edge] = []
        var box = ExactBox.empty
        for index in 1..<longitudes.count {
            for edge in Self.copies(
                Edge(ax: longitudes[index - 1], ay: latitudes[index - 1], bx: longitudes[index], by: latitudes[index]))
            {
                edges.append(edge)
                box = box.union(edge.box)
            }
        }
        if holdsNorthPole || touchesNorthPole { box = box.union(ExactBox.polar(Self.north)) }
        if holdsSouthPole || touchesSouthPole { box = box.union(ExactBox.polar(-Self.north)) }
        box.west = max(box.west, ExactBox.world.west)
        box.east = min(box.east, ExactBox.world.east)
        self.box = box
        self.edges = edges
        strips = Array(repeating: [], count: max(1, min(4096, edges.count / 4)))
        for edge in edges {
            for strip in strip(edge.box.west)...strip(edge.box.east) { strips[strip].append(edge) }
        }
    }

    /// Where a place lies: it is inside as often as a ray to the north pole meets the ring, beginning with whether the
    /// pole is.
    func side(_ x: Int128, _ y: Int128) -> Side {
        guard box.holds(x, y) else { return .outside }
        if abs(y) == Self.north {
            if y > 0 ? touchesNorthPole : touchesSouthPole { return .boundary }
            return (y > 0 ? holdsNorthPole : holdsSouthPole) ? .inside : .outside
        }
        var isInside = holdsNorthPole
        for edge in strips[strip(x)] where edge.spans(x) {
            if edge.holds(x, y) { return .boundary }
            if (edge.ax <= x) != (edge.bx <= x), edge.isNorth(of: x, y) { isInside.toggle() }
        }
        return isInside ? .inside : .outside
    }

    /// Whether an edge has a point in common with one of the copies of a way.
    func isTouched(by copies: [Edge]) -> Bool { copies.contains { way in edges.contains { $0.touches(way) } } }

    /// The way between two places, the short way round, and its copies.
    static func way(_ from: Coordinate, _ to: Coordinate) -> [Edge] {
        var step = exact(to.longitude) - exact(from.longitude)
        if abs(step) > turn / 2 { step -= step > 0 ? turn : -turn }
        let start = exact(from.longitude)
        return copies(Edge(ax: start, ay: exact(from.latitude), bx: start + step, by: exact(to.latitude)))
    }

    private func strip(_ x: Int128) -> Int {
        let width = (box.east - box.west) / Int128(strips.count) + 1
        return Int(max(0, min(Int128(strips.count - 1), (x - box.west) / width)))
    }

    /// Longitudes that run on: from one position to the next the short way.
    private static func unrolled(_ positions: [Coordinate]) -> [Int128] {
        let given = positions.map { exact($0.longitude) }
        let half = turn / 2
        var result = [given[0]]
        for index in 1..<given.count {
            var step = given[index] - given[index - 1]
            let isWhole = abs(step) == turn
            if abs(step) > half, !(isWhole && isAlongParallel(positions, index)) { step -= step > 0 ? turn : -turn }
            result.append(result[index - 1] + step)
        }
        return result
    }

    /// Whether an edge from −180 to 180 is meant as written: along a pole, or between two edges on the antimeridian.
    private static func isAlongParallel(_ positions: [Coordinate], _ end: Int) -> Bool {
        let (from, to) = (positions[end - 1], positions[end])
        guard from.latitude == to.latitude else { return false }
        let open = positions.count - 1
        let before = positions[(end - 2 + open) % open]
        let after = positions[(end + 1) % open]
        return abs(to.latitude) == 90 || (before.longitude == from.longitude && after.longitude == to.longitude)
    }

    /// The edge moved by whole turns, wherever it then touches the longitudes from −180 to 180.
    private static func copies(_ edge: Edge) -> [Edge] {
        (-3...3).compactMap { (turns: Int128) in
            var copy = edge
            copy.ax += turn * turns
            copy.bx += turn * turns
            return copy.box.west <= turn / 2 && copy.box.east >= -turn / 2 ? copy : nil
        }
    }
}

extension ExactBox {
    /// A pole under all its longitudes.
    fileprivate static func polar(_ latitude: Int128) -> ExactBox {
        ExactBox(west: world.west, east: world.east, south: latitude, north: latitude)
    }
}

extension ExactRing.Edge {
    var box: ExactBox {
        ExactBox(west: min(ax, bx), east: max(ax, bx), south: min(ay, by), north: max(ay, by))
    }

    fileprivate func spans(_ x: Int128) -> Bool { (ax <= x && x <= bx) || (bx <= x && x <= ax) }

    /// Whether a point is on the edge.
    fileprivate func holds(_ x: Int128, _ y: Int128) -> Bool { box.holds(x, y) && turning(x, y) == 0 }

    /// Whether the edge passes north of a point whose longitude it spans.
    fileprivate func isNorth(of x: Int128, _ y: Int128) -> Bool {
        if ay > y && by > y { return true }
        if ay < y && by < y { return false }
        return (turning(x, y) < 0) == (ax < bx)
    }

    /// Whether two closed segments have a point in common.
    fileprivate func touches(_ other: ExactRing.Edge) -> Bool {
        let (mine, theirs) = (box, other.box)
        guard mine.west <= theirs.east, theirs.west <= mine.east else { return false }
        guard mine.south <= theirs.north, theirs.south <= mine.north else { return false }
        return turning(other.ax, other.ay) * turning(other.bx, other.by) <= 0
            && other.turning(ax, ay) * other.turning(bx, by) <= 0
    }

    /// The sign of (b − a) × (p − a): above 0 when the point is on the left.
    private func turning(_ x: Int128, _ y: Int128) -> Int {
        let left = (bx - ax).multipliedFullWidth(by: y - ay)
        let right = (by - ay).multipliedFullWidth(by: x - ax)
        if left == right { return 0 }
        return left.high != right.high ? (left.high > right.high ? 1 : -1) : (left.low > right.low ? 1 : -1)
    }
}
