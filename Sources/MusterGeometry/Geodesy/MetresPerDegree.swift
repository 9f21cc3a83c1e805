/// How long a degree is at a latitude on WGS-84, in metres along the meridian and along the parallel. It converts small
/// differences in degrees into metres.
///
/// Exact at the latitude itself. A kilometre north of it, at 60°, a metre east is 0.03 % off.
package struct MetresPerDegree: Hashable, Sendable {
    /// Metres to a degree of latitude.
    package let north: Double
    /// Metres to a degree of longitude; 0 at a pole.
    package let east: Double

    /// By how much they change on the next degree to the north.
    private let northGrowth: Double
    private let eastGrowth: Double

    /// The lengths at a latitude in degrees, −90 to 90.
    package init(latitude: Double) {
        let angle = latitude * (Double.pi / 180)
        let s = sine(angle)
        let w2 = 1 - WGS84.eccentricitySquared * s * s
        let normal = WGS84.equatorialRadius / w2.squareRoot()
        north = normal * (1 - WGS84.eccentricitySquared) / w2 * (Double.pi / 180)
        let c = positive(1 - s * s).squareRoot()
        east = normal * c * (Double.pi / 180)
        northGrowth = north * (3 * WGS84.eccentricitySquared) * s * c / w2 * (Double.pi / 180)
        eastGrowth = -north * s * (Double.pi / 180)
    }

    private init(north: Double, east: Double, northGrowth: Double, eastGrowth: Double) {
        self.north = north
        self.east = east
        self.northGrowth = northGrowth
        self.eastGrowth = eastGrowth
    }

    /// Returns the lengths some degrees to the north: within a kilometre exact to a hundred millionth, except near the
    /// poles.
    @inline(__always)
    func advanced(northDegrees: Double) -> MetresPerDegree {
        MetresPerDegree(
            north: north + northGrowth * northDegrees, east: east + eastGrowth * northDegrees,
            northGrowth: northGrowth, eastGrowth: eastGrowth)
    }
}
