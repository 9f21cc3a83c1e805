/// A mesh's data of one outline: a ring of a region, or a circle.
///
/// The outlines of a region follow each other, each exterior before its holes. Outlines are in the order of their
/// regions' numbers.
struct MeshOutline: BitwiseCopyable, Sendable {
    /// Its region by the name that leaves use; see `RegionMesh.idOfName`.
    var name: UInt32
    /// Its region's place among the mesh's regions.
    var rank: UInt32
    /// The first vertex of a ring, among those of all rings.
    var firstVertex: UInt32 = 0
    /// How many vertices a ring has; the first stands again at the end. Between the copies of a turned ring stands a
    /// vertex that is no number.
    var vertexCount: UInt32 = 0
    /// The ring among the turned ones, or −1: a ring whose vertices are all exact.
    var turnedRing: Int32 = -1
    /// The circle among the mesh's circles, or −1.
    var circle: Int32 = -1
    var isHole = false
    /// Whether the area south of all its vertices is inside: the ring goes round the globe and encloses the south pole.
    var holdsSouth = false
    /// The box of all its copies.
    var west = Double.infinity
    var east = -Double.infinity
    var south = Double.infinity
    var north = -Double.infinity
}

/// A circular region as queries test it: prepared so that most places need no geodesic.
struct MeshCircle: BitwiseCopyable, Sendable {
    private let latitude: Double
    private let longitude: Double
    private let radius: Double
    /// The centre in space.
    private let x: Double
    private let y: Double
    private let z: Double

    init(_ circle: Circle) {
        latitude = circle.centre.latitude
        longitude = circle.centre.longitude
        radius = circle.radius.value
        let centre = SpacePoint(circle.centre)
        (x, y, z) = (centre.x, centre.y, centre.z)
    }

    /// The circle itself.
    var circle: Circle {
        Circle(centre: Coordinate(validLatitude: latitude, longitude: longitude), radius: Metres(radius))
    }

    /// The distance of a point from the centre, through space.
    @inline(__always)
    func chord(to point: SpacePoint) -> Double {
        let (dx, dy, dz) = (point.x - x, point.y - y, point.z - z)
        return (dx * dx + dy * dy + dz * dz).squareRoot()
    }

    /// Whether a place is within the radius; exact as `Circle.contains`.
    func contains(_ place: Coordinate, _ point: SpacePoint) -> Bool {
        // The distance through space nearly always decides; the margin is a thousand times its rounding error.
        let chord = chord(to: point)
        if chord > radius + 1e-6 { return false }
        if SpacePoint.mostOnGround(chord) + 1e-6 < radius { return true }
        return circle.contains(place)
    }

    /// Returns how a box of latitudes and longitudes lies to the circle; `.boundary` when that is not certain.
    func location(ofBox cell: MeshCell) -> Location {
        let halfHeight = (0.5 + LeafUnits.listingMargin) * cell.height
        let halfWidth = (0.5 + LeafUnits.listingMargin) * cell.width
        let middle = max(-90, min(90, cell.south + cell.height / 2))
        // Where the box is nearest to the equator its parallels are longest.
        let flattest = max(0, abs(middle) - halfHeight)
        let across = halfWidth * cosine(min(90, flattest) * (Double.pi / 180))
        let degrees = (across * across + halfHeight * halfHeight).squareRoot()
        let reach = degrees * (Double.pi / 180) * WGS84.greatestCurvatureRadius * (1 + 1e-9) + 1e-6
        let chord = chord(to: SpacePoint(latitude: middle, longitude: cell.west + cell.width / 2))
        if SpacePoint.leastOnGround(chord) - reach > radius { return .outside }
        return SpacePoint.mostOnGround(chord) + reach < radius ? .inside : .boundary
    }
}
