/// A point in space, in metres from the middle of the Earth: z to the north pole, x to the equator at longitude 0.
///
/// Distances through space are cheap and bound those on the ground from both sides.
struct SpacePoint: Hashable, Sendable {
    var x: Double
    var y: Double
    var z: Double

    /// The point of the ellipsoid at a latitude and longitude in degrees; exact to some nanometres.
    init(latitude: Double, longitude: Double) {
        let phi = latitude * (Double.pi / 180)
        let lambda = longitude * (Double.pi / 180)
        let s = sine(phi)
        let c = cosine(phi)
        let normal = WGS84.equatorialRadius / (1 - WGS84.eccentricitySquared * s * s).squareRoot()
        x = normal * c * cosine(lambda)
        y = normal * c * sine(lambda)
        z = normal * (1 - WGS84.eccentricitySquared) * s
    }

    /// The point at a place.
    init(_ place: Coordinate) {
        self.init(latitude: place.latitude, longitude: place.longitude)
    }

    /// The distance through space.
    @inline(__always)
    func chord(to other: SpacePoint) -> Double {
        let (dx, dy, dz) = (other.x - x, other.y - y, other.z - z)
        return (dx * dx + dy * dy + dz * dz).squareRoot()
    }

    /// Returns the least geodesic distance in metres of two points a chord apart. A geodesic is longer than its chord,
    /// the more so the stronger it bends; a radius of 6,500 km is flatter than the Earth.
    static func leastOnGround(_ chord: Double) -> Double {
        chord < 1 ? chord : arc(chord, radius: 6_500_000)
    }

    /// Returns the greatest geodesic distance in metres of two points a chord apart. No geodesic bends more than the
    /// meridian at the equator (Schur's comparison theorem); towards the other side of the Earth there is no such
    /// bound.
    static func mostOnGround(_ chord: Double) -> Double {
        chord < 1.8 * WGS84.leastCurvatureRadius ? arc(chord, radius: WGS84.leastCurvatureRadius) : 21_000_000
    }

    /// The arc of a circle over a chord.
    private static func arc(_ chord: Double, radius: Double) -> Double {
        let half = min(1, chord / (2 * radius))
        return 2 * radius * arcTangent(half, (1 - half * half).squareRoot())
    }
}
