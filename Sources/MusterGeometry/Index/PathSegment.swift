/// The segment between two places, straight in longitude and latitude, across the antimeridian if that is shorter.
struct PathSegment {
    let start: UnrolledPoint
    let end: UnrolledPoint
    /// The segment's box in degrees, with a small margin. The longitudes continue from that of the start.
    let west: Double
    let east: Double
    let south: Double
    let north: Double

    init(from: Coordinate, to: Coordinate) {
        let difference = to.longitude - from.longitude
        let turns = abs(difference) > 180 ? (difference > 0 ? -1 : 1) : 0
        self.init(
            start: UnrolledPoint(
                longitude: TurnedLongitude(degrees: from.longitude, turns: 0), latitude: from.latitude),
            end: UnrolledPoint(longitude: TurnedLongitude(degrees: to.longitude, turns: turns), latitude: to.latitude))
    }

    private init(start: UnrolledPoint, end: UnrolledPoint) {
        self.start = start
        self.end = end
        let margin = 1e-12
        west = min(start.longitude.rounded, end.longitude.rounded) - margin
        east = max(start.longitude.rounded, end.longitude.rounded) + margin
        south = min(start.latitude, end.latitude)
        north = max(start.latitude, end.latitude)
    }

    /// Returns the same segment, `turns` turns further east.
    func turned(by turns: Int) -> PathSegment {
        PathSegment(start: start.turned(by: turns), end: end.turned(by: turns))
    }

    /// Returns the turns by which the segment comes between two longitudes; nil when it does not.
    func turns(into low: Double, _ high: Double) -> ClosedRange<Int>? {
        let first = Int(((low - east) / 360).rounded(.up))
        let last = Int(((high - west) / 360).rounded(.down))
        return first <= last ? first...last : nil
    }

    /// Whether the segment has a point in common with an edge. Exact; false for an edge or a segment without length.
    func touches(_ a: UnrolledPoint, _ b: UnrolledPoint) -> Bool {
        if max(a.latitude, b.latitude) < south || min(a.latitude, b.latitude) > north { return false }
        let (ax, bx) = (a.longitude.rounded, b.longitude.rounded)
        if max(ax, bx) < west || min(ax, bx) > east { return false }
        if start.equals(end) || a.equals(b) { return false }
        if case .none = SegmentContact(start, end, a, b) { return false }
        return true
    }

    /// Whether the segment comes within the radius of a circle.
    func touches(_ circle: Circle) -> Bool {
        let edge = BoundarySearch.Edge(
            longitude: start.longitude.rounded, latitude: start.latitude,
            eastward: end.longitude.rounded - start.longitude.rounded, northward: end.latitude - start.latitude)
        let radius = circle.radius.value
        return BoundarySearch(from: circle.centre).distance(to: edge, below: radius * (1 + 1e-9) + 1e-6) <= radius
    }
}

extension PreparedShape {
    /// Whether the segment between two places has a point in common with the shape.
    func isTouched(by path: PathSegment, from: Coordinate, to: Coordinate) -> Bool {
        if contains(from) || contains(to) { return true }
        if let circle { return path.touches(circle) }
        for area in areas {
            if area.exterior.isTouched(by: path) { return true }
            for hole in area.holes where hole.isTouched(by: path) { return true }
        }
        return false
    }
}

extension Ring {
    /// A vertex.
    @inline(__always)
    func point(_ index: Int) -> UnrolledPoint {
        UnrolledPoint(longitude: longitude(index), latitude: latitudes[index])
    }

    /// Whether an edge has a point in common with a segment.
    fileprivate func isTouched(by path: PathSegment) -> Bool {
        guard south <= path.north, path.south <= north, let turns = path.turns(into: west, east) else { return false }
        for turn in turns {
            let path = path.turned(by: turn)
            for index in 0..<edgeCount where path.touches(point(index), point(index + 1)) { return true }
        }
        return false
    }
}
