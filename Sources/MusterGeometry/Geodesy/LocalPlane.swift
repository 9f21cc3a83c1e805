/// A distance east and north on a local plane, in metres.
package struct Offset: Hashable, Sendable {
    /// Metres east.
    package var east: Double
    /// Metres north.
    package var north: Double

    /// Creates an offset from metres east and north.
    package init(east: Double, north: Double) {
        self.east = east
        self.north = north
    }

    /// The offset of length 0.
    package static let zero = Offset(east: 0, north: 0)
    /// The sum of two offsets.
    package static func + (left: Offset, right: Offset) -> Offset {
        Offset(east: left.east + right.east, north: left.north + right.north)
    }
    /// The offset from the right one to the left one.
    package static func - (left: Offset, right: Offset) -> Offset {
        Offset(east: left.east - right.east, north: left.north - right.north)
    }
    /// The offset multiplied by a factor.
    package static func * (left: Offset, factor: Double) -> Offset {
        Offset(east: left.east * factor, north: left.north * factor)
    }

    /// The length in metres, as the crow flies.
    package var length: Double { (east * east + north * north).squareRoot() }
}

/// A plane in metres around an origin, linear in latitude and longitude. A line that is straight on the plane is
/// straight in degrees, as the edges of RFC 7946 are, and the other way round.
///
/// At the origin, one metre on the plane is one metre on WGS-84. At 5 km from it, at 60° of latitude, it is 0.14 % off.
package struct LocalPlane: Hashable, Sendable {
    /// The place with the offset 0.
    package let origin: Coordinate
    private let metresPerDegreeNorth: Double
    private let metresPerDegreeEast: Double

    /// Creates a plane around an origin.
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

    /// Returns the place at an offset. A place that would leave the globe stays on its rim; longitudes wrap at the
    /// antimeridian.
    package func coordinate(_ offset: Offset) -> Coordinate {
        let latitude = origin.latitude + offset.north / metresPerDegreeNorth
        let longitude = origin.longitude + offset.east / metresPerDegreeEast
        return Coordinate(
            validLatitude: min(max(latitude, -90), 90),
            longitude: longitude - 360 * ((longitude + 180) / 360).rounded(.down))
    }

    /// Returns the offset of a place, the short way round.
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
    /// Returns an offset of one metre in a direction, in degrees clockwise from north.
    package static func direction(degrees: Double) -> Offset {
        Offset(east: sine(degrees * .pi / 180), north: cosine(degrees * .pi / 180))
    }

    /// The direction in degrees clockwise from north, from 0 to below 360; 0 for an offset of length 0.
    package var bearingDegrees: Double {
        let degrees = arcTangent(east, north) * 180 / .pi
        return degrees < 0 ? degrees + 360 : degrees
    }
}
