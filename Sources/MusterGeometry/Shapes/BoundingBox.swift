/// A box in latitude and longitude that holds a shape. Its sides belong to it.
public struct BoundingBox: Hashable, Sendable {
    /// The southern side, degrees.
    public let south: Double
    /// The western side, degrees, −180 to 180.
    public let west: Double
    /// The northern side, degrees.
    public let north: Double
    /// The eastern side, degrees, −180 to 180. East of the antimeridian, when it is less than `west`.
    public let east: Double

    /// Creates a box; `west` may be greater than `east` if it crosses the antimeridian.
    public init(south: Double, west: Double, north: Double, east: Double) {
        self.south = south
        self.west = west
        self.north = north
        self.east = east
    }

    /// Whether it reaches across the antimeridian.
    public var crossesAntimeridian: Bool { west > east }

    /// Whether a place is in the box; a place on a side is inside. The longitudes −180 and 180 are the same.
    public func contains(_ place: Coordinate) -> Bool {
        guard place.latitude >= south, place.latitude <= north else { return false }
        return reaches(place.longitude)
    }

    private func hasLongitude(_ longitude: Double) -> Bool {
        crossesAntimeridian
            ? longitude >= west || longitude <= east
            : longitude >= west && longitude <= east
    }

    /// Whether the two boxes have a place in common; a place on a side of both is one.
    package func touches(_ other: BoundingBox) -> Bool {
        guard south <= other.north, other.south <= north else { return false }
        return reaches(other.west) || other.reaches(west)
    }

    private func reaches(_ longitude: Double) -> Bool {
        hasLongitude(longitude) || (abs(longitude) == 180 && hasLongitude(-longitude))
    }
}

extension BoundingBox {
    /// Creates a box that holds all places within a distance of a place. When it reaches a pole, it has all longitudes.
    package init(around centre: Coordinate, within distance: Metres) {
        let span = Span(around: centre, radiusMetres: distance.value)
        self.init(
            south: span.south, west: span.west, north: span.north,
            east: span.east > 180 ? span.east - 360 : span.east)
    }
}

extension Shape {
    /// A box that holds every place of the shape.
    ///
    /// It crosses the antimeridian where that is shorter. A shape that holds a pole has all longitudes. The box of a
    /// polygon is the smallest one (up to 10⁻¹² degrees where it crosses the antimeridian); that of a circle may be one
    /// percent too wide.
    public var boundingBox: BoundingBox { PreparedShape(self).boundingBox }
}

extension PreparedShape {
    /// A box that holds every place of the shape; see `Shape.boundingBox`.
    public var boundingBox: BoundingBox {
        let spans = spans
        guard var first = spans.first else { return BoundingBox(south: 0, west: 0, north: 0, east: 0) }
        // The union round the globe: order by the western side and leave out the widest gap.
        for span in spans.dropFirst() {
            first.south = min(first.south, span.south)
            first.north = max(first.north, span.north)
        }
        let ordered = spans.sorted { $0.west < $1.west }
        var reach = ordered[0].east
        var gap = (width: ordered[0].west + 360 - (ordered.map { $0.east }.max() ?? reach), after: ordered.count - 1)
        for index in 1..<max(1, ordered.count) {
            if ordered[index].west - reach > gap.width { gap = (ordered[index].west - reach, index - 1) }
            reach = max(reach, ordered[index].east)
        }
        guard gap.width > 0 else { return BoundingBox(south: first.south, west: -180, north: first.north, east: 180) }
        let west = ordered[(gap.after + 1) % ordered.count].west
        let east = ordered[0...gap.after].map { $0.east }.max() ?? west
        return BoundingBox(
            south: first.south, west: west, north: first.north, east: east > 180 ? east - 360 : east)
    }

    /// Boxes of the parts, unrolled: `west` from −180 to 180, `east` from `west` to `west` + 360.
    var spans: [Span] {
        if let circle { return [Span(circle)] }
        return areas.map { Span($0.exterior) }
    }
}

/// A box whose longitudes run on eastwards over the antimeridian.
struct Span: Hashable, Sendable {
    var west: Double
    var east: Double
    var south: Double
    var north: Double

    init(west: Double, east: Double, south: Double, north: Double) {
        self.west = west
        self.east = east
        self.south = south
        self.north = north
    }

    /// The box of a ring's region.
    init(_ ring: Ring) {
        south = ring.pole == .south ? -90 : ring.south
        north = ring.pole == .north ? 90 : ring.north
        if ring.east - ring.west >= 360 || south == -90 || north == 90 {
            west = -180
            east = 180
        } else {
            let turn = 360 * ((ring.west + 180) / 360).rounded(.down)
            west = max(-180, ring.west - turn)
            east = ring.east - turn
        }
    }

    /// A box that holds a circle.
    init(_ circle: Circle) {
        self.init(around: circle.centre, radiusMetres: circle.radius.value)
    }

    /// A box that holds all places within a distance of a place.
    ///
    /// On a sphere whose radius is the ellipsoid's least radius of curvature every distance is shorter than on the
    /// ellipsoid, so that the box of the spherical circle holds the true one.
    init(around centre: Coordinate, radiusMetres: Double) {
        let angle = min(Double.pi, radiusMetres / WGS84.leastCurvatureRadius * (1 + 1e-9))
        let reach = angle * (180 / Double.pi)
        south = max(-90, centre.latitude - reach)
        north = min(90, centre.latitude + reach)
        let across = sine(min(angle, Double.pi / 2))
        let room = cosine(centre.latitude * (Double.pi / 180))
        guard south > -90, north < 90, across < room else {
            west = -180
            east = 180
            return
        }
        let ratio = across / room
        let half = arcTangent(ratio, ((1 - ratio) * (1 + ratio)).squareRoot()) * (180 / Double.pi) * (1 + 1e-9)
        let turn: Double = centre.longitude - half < -180 ? 360 : 0
        west = centre.longitude - half + turn
        east = centre.longitude + half + turn
    }

    /// The one or two boxes between −180 and 180 that it covers. The longitude 180 counts as −180.
    var pieces: [Span] {
        if east < 180 || east - west >= 360 { return [self] }
        let beyond = Span(west: -180, east: min(180, east - 360 + 1e-12), south: south, north: north)
        return [Span(west: west, east: 180, south: south, north: north), beyond]
    }
}
