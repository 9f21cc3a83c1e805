/// The ellipsoid of GPS: World Geodetic System 1984 (NIMA TR8350.2).
enum WGS84 {
    /// a, metres.
    static var equatorialRadius: Double { 6_378_137 }
    /// f.
    static var flattening: Double { 1 / 298.257223563 }
    /// b = a(1 − f), metres.
    static var polarRadius: Double { equatorialRadius * (1 - flattening) }
    /// n = f / (2 − f).
    static var thirdFlattening: Double { flattening / (2 - flattening) }
    /// e² = f(2 − f).
    static var eccentricitySquared: Double { flattening * (2 - flattening) }
    /// e′² = e² / (1 − e²).
    static var secondEccentricitySquared: Double {
        eccentricitySquared / ((1 - flattening) * (1 - flattening))
    }
    /// The least radius of curvature anywhere, a(1 − e²): along the meridian at the equator.
    static var leastCurvatureRadius: Double { equatorialRadius * (1 - eccentricitySquared) }
    /// The greatest radius of curvature anywhere, a²/b: at the poles.
    static var greatestCurvatureRadius: Double { equatorialRadius / (1 - flattening) }
}
