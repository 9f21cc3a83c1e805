/// Measures the distances of edges from one place, up to a radius.
///
/// Near the place and away from the poles it measures on a plane: it finds the foot of the perpendicular with the
/// lengths of degrees at the place, and the distance with those half-way, which is right to some millimetres. Elsewhere
/// it measures geodesics, as `PreparedShape.signedDistanceToBoundary` does.
struct EdgeDistance {
    private let place: Coordinate
    private let radius: Double
    private let metres: MetresPerDegree
    private let isPlanar: Bool
    /// The search that measures distances for which the plane is not good enough.
    private let search: BoundarySearch?

    /// The largest radius for which the plane is good enough, metres.
    private static var planarLimit: Double { 2_000 }
    /// The largest latitude for which the plane is good enough, degrees north or south.
    private static var planarLatitude: Double { 80 }
    /// The largest error of distances with the lengths of degrees at the place, as a factor.
    private static var planarTolerance: Double { 1 + 4e-3 }

    init(from place: Coordinate, radiusMetres: Double) {
        self.place = place
        radius = radiusMetres
        metres = MetresPerDegree(latitude: place.latitude)
        isPlanar = radiusMetres <= Self.planarLimit && abs(place.latitude) <= Self.planarLatitude
        search = isPlanar ? nil : BoundarySearch(from: place)
    }

    /// How many degrees the radius reaches at most; nil where the plane is not good enough.
    @inline(__always)
    var planarReach: (east: Double, north: Double)? {
        guard isPlanar else { return nil }
        let reach = radius * Self.planarTolerance
        return (reach / metres.east, reach / metres.north)
    }

    /// Returns the smaller of a distance in metres and that of an edge, if the edge is within the radius.
    ///
    /// - Parameter turn: the whole turns, in degrees, to add to the edge's longitudes, so that they are near the place.
    @inline(__always)
    func nearer(than best: Double, _ edge: UnsafePointer<Double>, turn: Double) -> Double {
        let (longitude, latitude) = (edge[0] + turn, edge[1])
        let (eastward, northward) = (edge[2] - edge[0], edge[3] - edge[1])
        if let search {
            let limit = min(best, radius * (1 + 1e-9) + 1e-6)
            let found = search.distance(
                to: BoundarySearch.Edge(
                    longitude: longitude, latitude: latitude, eastward: eastward, northward: northward),
                below: limit)
            return found < limit ? found : best
        }
        let x = (longitude - place.longitude) * metres.east
        let y = (latitude - place.latitude) * metres.north
        let (dx, dy) = (eastward * metres.east, northward * metres.north)
        let square = dx * dx + dy * dy
        let along = -(x * dx + y * dy)
        let fraction = along <= 0 || square == 0 ? 0 : (along >= square ? 1 : along / square)
        let (footX, footY) = (x + fraction * dx, y + fraction * dy)
        let limit = min(best, radius) * Self.planarTolerance
        guard footX * footX + footY * footY <= limit * limit else { return best }
        let (toEast, toNorth) = (footX / metres.east, footY / metres.north)
        let between = metres.advanced(northDegrees: toNorth / 2)
        return min(best, length(toEast * between.east, toNorth * between.north))
    }
}
