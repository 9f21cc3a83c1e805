/// The shortest line between two places on the WGS-84 ellipsoid, in place of a great circle on a sphere (haversine),
/// which is off by up to half a per cent.
///
/// The algorithms are those of C. F. F. Karney, *Algorithms for geodesics*, J. Geodesy 87, 43–55 (2013),
/// doi:10.1007/s00190-012-0578-z, with series of order 6: errors are some nanometres, and the inverse problem converges
/// for every pair of points, nearly antipodal ones too. Equation numbers in the sources are those of the paper.
public struct Geodesic: Hashable, Sendable {
    /// Where it starts.
    public let start: Coordinate
    /// Where it ends.
    public let end: Coordinate
    /// Its length.
    public let distance: Metres
    /// Its bearing at the start: clockwise from north, −180 to 180.
    public let initialAzimuth: Degrees
    /// Its bearing at the end, in the direction of travel: clockwise from north, −180 to 180.
    public let finalAzimuth: Degrees

    /// The line that starts at `start` in the direction `azimuth` and is `distance` long (the direct problem).
    ///
    /// A negative distance goes backwards. The end's longitude lies between −180 and 180.
    ///
    /// - Precondition: both numbers are finite.
    public init(from start: Coordinate, azimuth: Degrees, distance: Metres) {
        let solution = DirectSolution(from: start, azimuth: azimuth.value, distance: distance.value)
        self.start = start
        self.end = solution.end
        self.distance = distance
        self.initialAzimuth = azimuth
        self.finalAzimuth = Degrees(solution.finalAzimuth)
    }

    /// The shortest line between two places (the inverse problem).
    ///
    /// Of several shortest lines (between antipodal points) it is one. Between equal points its length is 0 and its
    /// bearing north or south.
    public init(from start: Coordinate, to end: Coordinate) {
        let solution = InverseSolution(from: start, to: end)
        self.start = start
        self.end = end
        self.distance = Metres(solution.distance)
        self.initialAzimuth = Degrees(solution.departure.degrees)
        self.finalAzimuth = Degrees(solution.arrival.degrees)
    }
}

extension Coordinate {
    /// The length of the shortest line to another place on WGS-84, exact to some nanometres.
    public func distance(to other: Coordinate) -> Metres {
        Metres(InverseSolution(from: self, to: other).distance)
    }

    /// The direction in which the shortest line to another place leaves: clockwise from north, 0 to 360 (exclusive).
    public func bearing(to other: Coordinate) -> Degrees {
        let azimuth = InverseSolution(from: self, to: other).departure.degrees
        // A hair west of north rounds to 360, which is 0.
        let bearing = azimuth < 0 ? azimuth + 360 : azimuth
        return Degrees(bearing < 360 ? bearing : 0)
    }

    /// Returns the place reached by going `distance` along the geodesic that leaves in the direction `bearing`.
    ///
    /// - Precondition: both numbers are finite.
    public func destination(bearing: Degrees, distance: Metres) -> Coordinate {
        DirectSolution(from: self, azimuth: bearing.value, distance: distance.value).end
    }
}
