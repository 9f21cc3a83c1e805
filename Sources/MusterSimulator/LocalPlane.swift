package import MusterGeometry

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Metres east and north of somewhere.
package struct Offset: Hashable, Sendable {
    /// Metres east.
    package var east: Double
    /// Metres north.
    package var north: Double

    /// So many metres east and north.
    package init(east: Double, north: Double) {
        self.east = east
        self.north = north
    }

    /// Nowhere else.
    package static let zero = Offset(east: 0, north: 0)
    /// One after the other.
    package static func + (left: Offset, right: Offset) -> Offset {
        Offset(east: left.east + right.east, north: left.north + right.north)
    }
    /// The way from the right to the left.
    package static func - (left: Offset, right: Offset) -> Offset {
        Offset(east: left.east - right.east, north: left.north - right.north)
    }
    /// So many times as far.
    package static func * (left: Offset, factor: Double) -> Offset {
        Offset(east: left.east * factor, north: left.north * factor)
    }

    /// Metres, as the crow flies.
    package var length: Double { (east * east + north * north).squareRoot() }
}

/// Metres around an origin, linear in latitude and longitude: what is straight on the plane is straight in degrees
/// (as RFC 7946 wants edges to be), and the other way round.
///
/// One metre on it is one metre on WGS-84 at the origin; at 5 km from it, at 60° of latitude, it is 0.14 % off.
package struct LocalPlane: Hashable, Sendable {
    /// Where both offsets are 0.
    package let origin: Coordinate
    private let metresPerDegreeNorth: Double
    private let metresPerDegreeEast: Double

    /// A plane around an origin.
    ///
    /// - Precondition: the origin lies between 85° south and 85° north.
    package init(origin: Coordinate) {
        precondition(abs(origin.latitude) <= 85, "no local plane so near a pole")
        self.origin = origin
        let step = 0.01
        let north = Coordinate(validLatitude: origin.latitude + step, longitude: 0)
        let south = Coordinate(validLatitude: origin.latitude - step, longitude: 0)
        metresPerDegreeNorth = south.distance(to: north).value / (2 * step)
        let west = Coordinate(validLatitude: origin.latitude, longitude: -step)
        let east = Coordinate(validLatitude: origin.latitude, longitude: step)
        metresPerDegreeEast = west.distance(to: east).value / (2 * step)
    }

    /// The place at an offset. What would leave the globe stays on its rim; longitudes wrap at the antimeridian.
    package func coordinate(_ offset: Offset) -> Coordinate {
        let latitude = origin.latitude + offset.north / metresPerDegreeNorth
        let longitude = origin.longitude + offset.east / metresPerDegreeEast
        return Coordinate(
            validLatitude: min(max(latitude, -90), 90),
            longitude: longitude - 360 * ((longitude + 180) / 360).rounded(.down))
    }

    /// The offset of a place, the short way round.
    package func offset(_ coordinate: Coordinate) -> Offset {
        var degreesEast = coordinate.longitude - origin.longitude
        if degreesEast > 180 { degreesEast -= 360 }
        if degreesEast < -180 { degreesEast += 360 }
        return Offset(
            east: degreesEast * metresPerDegreeEast,
            north: (coordinate.latitude - origin.latitude) * metresPerDegreeNorth)
    }
}

extension Offset {
    /// A metre in a direction: degrees clockwise from north.
    package static func direction(degrees: Double) -> Offset {
        Offset(east: sin(degrees * .pi / 180), north: cos(degrees * .pi / 180))
    }

    /// Degrees clockwise from north, 0 to less than 360; of nowhere, 0.
    package var bearingDegrees: Double {
        let degrees = atan2(east, north) * 180 / .pi
        return degrees < 0 ? degrees + 360 : degrees
    }
}
